"""Why a key shows other numbers in another release, or in another run: the causes in one paragraph, and their sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from rlmetrics.comparison.comparison_words import outcome_words, reason_of
from rlmetrics.comparison.run_comparison import Likeness, Pair, judged_alike, printed_within, shared_points
from rlmetrics.comparison.standings import standing
from rlmetrics.health.curves import RunCurves
from rlmetrics.health.judged_keys import Counterparts, known_settings
from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.names import DiffResult, diff, keys, resolve
from rlmetrics.names.differences.typical_sizes import typical_of_level, typical_of_trait
from rlmetrics.names.mapping.programs import EVERY
from rlmetrics.names.meanings.key_index import KEY, SHOWN, TEMPLATE
from rlmetrics.names.sources.source import older_first
from rlmetrics.names.tables.key_records import Typical
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.names.upgrades.causes import Effect, SharedCause
from rlmetrics.wording.cause_words import cause_words, taken_back_words
from rlmetrics.wording.metric_facts import sentence
from rlmetrics.wording.repeated_causes import told_once
from rlmetrics.wording.signature_words import quantity_words, source_words
from rlmetrics.wording.size_words import spoken_size
from rlmetrics.wording.source_places import own_places, place_texts
from rlmetrics.wording.terminal import labelled, wrapped
from rlmetrics.wording.voice import later, phrase, spoken

from .diff_summary import summary

__all__ = ["Why", "why", "why_lines"]

_OPEN = {None, "group/user_metric"}
_AS_LOGGED = {KEY, SHOWN, TEMPLATE}
"""How a key is understood that a source logs, and no other name of a metric."""
_MOST = 6
"""So many causes one paragraph tells."""


class UnknownKeyError(UserError):
    """Neither side logs the key."""


@dataclass(frozen=True)
class Why:
    """Why a key shows other numbers.

    Attributes:
        key: The key.
        old: The old source.
        new: The new one.
        result: What changed about the key between the two, from the older to the newer; None where they are not two
            releases of one framework.
        turned: Whether the old source is the newer release.
        alike: How the numbers relate under the settings of both.
        settings: Settings that differ between two runs, with both values.
        other: What the key is called on the other side; None where nothing is the same there.
        runs: The runs, where some were given.
        pair: How the curves stand to each other; None unless both runs have one.
    """

    key: str
    old: str
    new: str
    result: DiffResult | None
    turned: bool
    alike: Likeness
    settings: tuple[tuple[str, Any, Any], ...]
    other: str | None
    runs: tuple[RunCurves, ...]
    pair: Pair | None

    def as_json(self, tables: Tables) -> dict[str, Any]:
        """Return the answer as ``rlmetrics why --json`` prints it."""
        causes = () if self.result is None else self.result.causes
        told = None if self.pair is None or self.pair.standing.courses is None else self.pair.standing
        return {
            "key": self.key,
            "other": self.other,
            "old": self.old,
            "new": self.new,
            "answer": paragraph(self, tables),
            "relation": self.alike.relation,
            "severity": self.alike.severity,
            "causes": [
                {
                    "release": cause.release,
                    "kind": cause.kind,
                    "what": "; ".join(cause_words(cause, tables, full=True)),
                    "severity": cause.severity,
                    "applies": cause.applies,
                    "typical": _sizes_json(cause, self, tables),
                }
                for cause in causes
            ],
            "taken_back": []
            if self.result is None
            else [
                {"releases": item.releases, "what": taken_back_words(item, tables, full=True), "applies": item.applies}
                for item in self.result.taken_back
            ],
            "differs_by": self.alike.differs_by,
            "settings": [{"name": name, "old": one, "new": other} for name, one, other in self.settings],
            "runs": [run.run for run in self.runs],
            "curves": None
            if told is None or told.courses is None
            else {
                "outcome": told.outcome,
                "last_common_step": told.step,
                "last": [course.last for course in told.courses],
                "level": [course.level for course in told.courses],
            },
        }


def why(
    key: str,
    old: str | RunCurves,
    new: str | RunCurves,
    tables: Tables,
    config: Mapping[str, Any] | None = None,
) -> Why:
    """Return why a key shows other numbers on the one side than on the other.

    Args:
        key: As logged by either side.
        old: A source, or a run.
        new: Another one.
        tables: The spec.
        config: Settings of both sides beside those that runs recorded.

    Raises:
        UnknownKeyError: Neither side logs the key.
        NamesError: A source is unknown.
    """
    runs = tuple(side for side in (old, new) if isinstance(side, RunCurves))
    one, two = (side.at if isinstance(side, RunCurves) else side for side in (old, new))
    _require(key, (one, two), runs, tables)
    own, others = ({**(side.settings if isinstance(side, RunCurves) else {}), **(config or {})} for side in (old, new))
    first, last, turned = older_first(one, two, tables)
    result = None
    if _framework(first) == _framework(last) and first != last:
        common = {name: value for name, value in own.items() if name in others and others[name] == value}
        known = [known_settings(at, common, tables) or {} for at in (first, last)]
        accepted = {name: value for name, value in common.items() if all(name in each for each in known)}
        result = diff(first, last, config=accepted, spec=tables, keys=[key], program=EVERY, evidence=True)
        one, two = (result.to, result.from_) if turned else (result.from_, result.to)
    counterparts = Counterparts(one, two, tables, (own, others))
    other = _other_key(key, result) if result is not None else counterparts.target(key)
    alike = judged_alike(counterparts, key, other or key)
    pair = _paired(key, other or key, runs, alike) if len(runs) == 2 else None
    differing = tuple(_differing((own, others), (one, two), tables)) if len(runs) == 2 else ()
    return Why(key, one, two, result, turned, alike, differing, other, runs, pair)


def _paired(key: str, other: str, runs: Sequence[RunCurves], alike: Likeness) -> Pair | None:
    """Return how the curves of a key stand to each other in two runs; None if one of them has none."""
    for one, two in ((key, other), (other, key), (key, key)):
        if one in runs[0].curves and two in runs[1].curves:
            convert = alike.convert if alike.comparable else None
            shared = shared_points(runs, (one, two), convert)
            within = printed_within(runs[0].curves[one], runs[1].curves[two])
            return Pair(runs[0].meanings[one].metric or "", one, two, alike, len(shared), standing(shared, within), 0)
    return None


def _framework(source: str) -> str:
    return source.partition("==")[0].partition("[")[0]


def _require(key: str, sources: Sequence[str], runs: Sequence[RunCurves], tables: Tables) -> None:
    """Refuse a key that neither side logs.

    Raises:
        UnknownKeyError: It names what comes near.
    """
    if any(key in run.curves for run in runs):
        return
    logged: dict[str, None] = {}
    for run in runs:
        logged.update(dict.fromkeys(run.curves))
    for at in sources if not runs else ():
        if any(item.metric not in _OPEN for item in resolve(key, at=at, spec=tables)):
            return
        logged.update(dict.fromkeys(item.key for item in keys(at, spec=tables)))
    near = get_close_matches(key, logged, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"logged are {', '.join([*logged][:5])} …"
    whose = " and ".join(dict.fromkeys([run.run for run in runs] or sources))
    msg = f"{whose} {'have' if ' and ' in whose else 'has'} no key {key}; {hint}"
    raise UnknownKeyError(msg)


def _differing(
    settings: Sequence[Mapping[str, Any]], sources: Sequence[str], tables: Tables
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the settings that decide about meanings and differ between two runs that both recorded them."""
    one, other = (known_settings(at, own, tables) or {} for at, own in zip(sources, settings, strict=True))
    for name in sorted(set(one) & set(other)):
        if one[name] != other[name]:
            yield name, one[name], other[name]


def _other_key(key: str, result: DiffResult | None) -> str:
    """Return what a key is called on the other side."""
    for item in result.renamed if result is not None else ():
        if key in (item.from_, item.to):
            return item.to if key == item.from_ else item.from_
    return key


def paragraph(found: Why, tables: Tables) -> str:
    """Return the causes in one paragraph."""
    if found.result is None:
        return _without_releases(found, tables)
    texts = [spoken(summary(found.result, tables, key=found.key))]
    told = told_once(found.result.causes, tables)
    causes = [cause for cause in told if cause.applies is not False]
    for cause in causes[:_MOST]:
        said = spoken("; ".join(cause_words(cause, tables, full=cause.kind == "metric")))
        sizes = dict.fromkeys(spoken_size(size) for _, size in sizes_of(cause, found, tables))
        size = f" ({phrase('; ').join(sizes)})" if sizes else ""
        since = phrase("In {release}: {what}", release=cause.release or found.new, what=said)
        texts.append(sentence(f"{since}{size}"))
    for item in found.result.taken_back:
        if item.applies is not False and found.key in (*item.keys, *item.folded):
            what = spoken(taken_back_words(item, tables))
            texts.append(sentence(phrase("In between, {releases}: {what}", releases=item.releases, what=what)))
    rest = len(told) - len(causes)
    if rest and causes:
        texts.append(phrase("{count} more show only with other settings: --full.", count=rest))
    elif rest:
        texts.append(phrase("{count} changes show only with other settings: --full.", count=rest))
    if found.turned:
        texts.append(phrase("Read from the older release to the newer one: OLD is the newer."))
    return " ".join(text for text in texts if text)


def _without_releases(found: Why, tables: Tables) -> str:
    """Return what sets two settings of one release apart, or two frameworks."""
    if _framework(found.old) == _framework(found.new):
        said = phrase("Both are {source}: no release stands between them.", source=source_words(found.old, tables))
        if not found.alike.differs_by:
            same = phrase("Under what is known of their settings {key} is the same number.", key=found.key)
            return f"{said} {same}"
        what = reason_of(found.alike.differs_by, (phrase("the first"), phrase("the second")))
        return (
            f"{said} {sentence(phrase('Their settings make {key} another number: {what}', key=found.key, what=what))}"
        )
    old, new = source_words(found.old, tables), source_words(found.new, tables)
    if found.other is None and (meant := _meant_there(found, tables)):
        said = phrase(
            "{old} and {new} are two frameworks, and mean different numbers by {key}.", old=old, new=new, key=found.key
        )
        return f"{said} {phrase('In the second it is: {what}', what=spoken(meant))}"
    if found.other is None:
        kind = later("{old} and {new} are two frameworks, and nothing in the second is {key}.")
    else:
        kind = later("{old} and {new} are two frameworks; {key} of the first is nearest to {other} of the second.")
    said = phrase(kind, old=old, new=new, key=found.key, other=found.other)
    return (
        f"{said} {sentence(reason_of(found.alike.differs_by, (phrase('the first'), phrase('the second'))))}"
        if found.alike.differs_by
        else said
    )


def _meant_there(found: Why, tables: Tables) -> str | None:
    """Return what the second source means by the key; None if it does not log it."""
    metrics = [item.metric for item in resolve(found.key, at=found.new, spec=tables) if item.matched in _AS_LOGGED]
    known = [metric for metric in metrics if metric is not None]
    return sentence(quantity_words(known[0], tables)) if known else None


def sizes_of(cause: SharedCause, found: Why, tables: Tables) -> Iterator[tuple[str, Typical]]:
    """Yield how far each part of a cause usually moves the number, as measured on reference steps."""
    changed = next((item for item in (found.result.changed if found.result else ()) if item.key == found.key), None)
    if changed is None or changed.metric is None:
        return
    known = resolve(found.key, at=f"{found.result.to}" if found.result else found.new, spec=tables)
    variant = next(
        (item.signature.reproduced_by for item in known if item.metric == changed.metric and item.signature), None
    )
    parts: Sequence[SharedCause | Effect] = cause.effects if cause.kind == "setting" else (cause,)
    for part in parts:
        if part.kind == "reduction":
            befores, afters = ([value] if isinstance(value, str) else [*value] for value in (part.before, part.after))
            for level, before, after in zip(part.name.split(", "), befores, afters, strict=True):
                size = typical_of_level(tables, (changed.metric, variant), level, (before, after))
                if size is not None and size.high:
                    yield level, size
        elif part.kind == "trait":
            size = typical_of_trait(tables, (changed.metric, variant), part.name, in_target=bool(part.after))
            if size is not None and size.high:
                yield part.name, size


def _sizes_json(cause: SharedCause, found: Why, tables: Tables) -> list[dict[str, Any]]:
    return [
        {"of": of, "low": size.low, "high": size.high, "unit": size.unit, "direction": size.direction}
        for of, size in sizes_of(cause, found, tables)
    ]


def _without_curve(found: Why) -> str:
    """Return which of two runs has no curve to draw."""
    names = dict.fromkeys((found.key, found.other or found.key))
    missing = [run.run for run in found.runs if not any(name in run.curves for name in names)]
    if len(missing) == 1:
        return phrase("{run} does not log {key}, so that there is nothing to compare", run=missing[0], key=found.key)
    return phrase("the two runs log no curves that can be set beside each other")


def why_lines(found: Why, tables: Tables, *, full: bool = False) -> list[str]:
    """Return the answer without the curves.

    Args:
        found: Why the key shows other numbers.
        tables: The spec.
        full: Whether to tell also what shows only with other settings.
    """
    lines = wrapped(paragraph(found, tables))
    rows: list[str] = []
    if found.pair is not None:
        rows += labelled("curves", outcome_words(found.pair, by_row=found.runs[0].by_row))
    elif len(found.runs) == 2:
        rows += labelled("curves", _without_curve(found))
    if found.settings:
        told = [f"{name} {one} -> {other}" for name, one, other in found.settings]
        rows += labelled("settings", told if full else told[:_MOST])
    changed = next((item for item in (found.result.changed if found.result else ()) if item.key == found.key), None)
    if changed is not None and changed.evidence:
        rows += labelled("source", place_texts(found.key, own_places(found.key, changed.evidence)))
    if full and found.result is not None:
        hidden = [cause for cause in found.result.causes if cause.applies is False]
        for cause in hidden:
            rows += labelled(cause.release or "", "; ".join(cause_words(cause, tables, full=True)))
    return [*lines, *([""] if rows else []), *rows]
