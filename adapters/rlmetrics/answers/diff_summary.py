"""The first sentences of ``diff``: how much changed, and what one sees of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.differences.relations import unstated_words
from rlmetrics.names.tables.sentence_case import lowered
from rlmetrics.names.upgrades.causes import shown, taken_over
from rlmetrics.names.upgrades.changes import course_of
from rlmetrics.names.upgrades.key_lineage import followed
from rlmetrics.wording.cause_words import metric_words
from rlmetrics.wording.keylists import braced, counted, few
from rlmetrics.wording.repeated_causes import told_once
from rlmetrics.wording.signature_words import listed, source_words
from rlmetrics.wording.voice import later, phrase, spoken

if TYPE_CHECKING:
    from rlmetrics.names import DiffResult
    from rlmetrics.names.tables.key_records import LookAlike
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.names.upgrades.causes import SharedCause
    from rlmetrics.names.upgrades.diff_records import ListedKey

__all__ = ["between", "summary"]

_FEW = 24
"""Characters of keys that are named where something shows only by chance."""
_EFFECTS = {
    "unit": later("in another unit"),
    "higher": later("higher"),
    "lower": later("lower"),
    "noisier": later("noisier"),
    "smoother": later("smoother"),
}
_READS = (later("{keys} is {effect}"), later("{keys} are {effect}"))
_USUALLY = (later("{keys} is usually {effect}"), later("{keys} are usually {effect}"))
_UNLESS = (
    later("{keys} is {effect} unless {condition}"),
    later("{keys} are {effect} unless {condition}"),
)
"""What a curve of one key and of several does."""
_STATES = {
    True: (later("{keys} is logged now"), later("{keys} are logged now")),
    False: (later("{keys} is not logged any more"), later("{keys} are not logged any more")),
}
"""What became of one key and of several."""
_BY_SETTING = {
    True: (
        later("{keys} is logged now ({setting} is {value} now)"),
        later("{keys} are logged now ({setting} is {value} now)"),
    ),
    False: (
        later("{keys} is gone ({setting} is {value} now)"),
        later("{keys} are gone ({setting} is {value} now)"),
    ),
}
"""The same, where another default is why."""
_MOST = 4
"""How many things the first sentences name."""


def summary(result: DiffResult, tables: Tables, *, key: str | None = None) -> str:
    """Return the first sentences.

    Args:
        result: What changed.
        tables: The spec.
        key: The only key that was asked for.
    """
    seen = [*_seen(result, tables)][:_MOST]
    if key is not None:
        sentences = [_of_key(result, key, tables)]
        if seen and not result.added:
            head = later("With these settings {what}.") if result.given else later("By default {what}.")
            sentences.append(phrase(head, what=_joined(seen)))
    else:
        sentences = [_counts(result, tables)]
        to = source_words(result.to, tables)
        sentences += [f"{to} is what {item.former} was." for item in result.classes]
        if seen:
            default = later("With default settings you see this: {what}.")
            head = later("With these settings you see this: {what}.") if result.given else default
            sentences.append(phrase(head, what=_joined(seen)))
    if not seen and result.changed and all(item.applies is False for item in result.changed):
        default = "With default settings none of it shows."
        sentences.append("With these settings none of it shows." if result.given else default)
    sentences += _unreviewed(result, key)
    return " ".join(sentences)


def _unreviewed(result: DiffResult, key: str | None) -> Iterator[str]:
    """Yield of how many keys not all is stated that may have changed, too; of one key, what that is."""
    if key is not None:
        for unstated in dict.fromkeys(item.unstated for item in result.unreviewed):
            what = spoken(unstated_words(unstated))
            yield phrase("Unreviewed: {what}, so that may have changed, too.", what=what)
        return
    training = [item for item in result.unreviewed if item.mode == "train"]
    if training:
        whole = result.kept + sum(item.mode == "train" for item in result.renamed)
        of_them = (
            later(
                "Unreviewed: how {count} of {total} keys are computed is not stated in full, so more may have changed."
            )
            if len(training) > 1
            else later(
                "Unreviewed: how {count} of {total} keys is computed is not stated in full, so more may have changed."
            )
        )
        yield phrase(of_them, count=len(training), total=whole)


def _joined(seen: Sequence[str]) -> str:
    """Return what one sees, one thing after the other."""
    return phrase("; ").join(map(spoken, seen))


def between(from_: str, to: str, tables: Tables) -> str:
    """Return two sources in prose, such as "from TRL GRPOTrainer 0.18.2 to 1.16.0"."""
    first, second = source_words(from_, tables), source_words(to, tables)
    same = from_.partition("==")[0] == to.partition("==")[0]
    return f"from {first} to {second.rpartition(' ')[2] if same else second}"


def _counts(result: DiffResult, tables: Tables) -> str:
    apart = {*result.ended, *result.begun}
    changed, renamed, removed, added = (
        sum(item.mode == "train" and item.component not in apart for item in items)
        for items in (result.changed, result.renamed, result.removed, result.added)
    )
    others = [
        phrase(one if count == 1 else several, count=count)
        for count, one, several in (
            (renamed, later("{count} has another name"), later("{count} have another name")),
            (removed, later("{count} is gone"), later("{count} are gone")),
            (added, later("{count} is new"), later("{count} are new")),
        )
        if count
    ]
    if not (changed or others):
        where = between(result.from_, result.to, tables)
        if result.unreviewed:
            return f"Nothing that is stated of any training key changed {where}."
        return f"No training key changed its name or meaning {where}."
    if not result.kept:
        return f"No training key kept its name: {listed(others)}."
    if not changed:
        rest = f"; {listed(others)}" if others else ""
        stated = " as far as it is stated" if result.unreviewed else ""
        return f"None of the {counted(result.kept, 'training key')} that both have changed its meaning{stated}{rest}."
    keys = later("{count} of {total} training keys") if result.kept > 1 else later("{count} of {total} training key")
    head = phrase(keys, count=changed, total=result.kept)
    first = f"{head} {phrase('changed its meaning' if changed == 1 else 'changed their meaning')}"
    # Where more keys went than stayed, that is the news.
    return f"{first}; {listed(others)}." if renamed + removed > result.kept else f"{first}."


def _of_key(result: DiffResult, key: str, tables: Tables) -> str:
    where, to = between(result.from_, result.to, tables), source_words(result.to, tables)
    if result.renamed:
        names = ", ".join(f"{item.from_} is {item.to} since {item.since or to}" for item in result.renamed)
        return f"{names}."
    if result.changed:
        changed = f"{key} changed its meaning {where}: {counted(len(told_once(result.causes, tables)), 'cause')}"
        own = {cause.severity for cause in result.causes if cause.kind not in ("setting", "logged")}
        converted = any(cause.kind in ("scale", "offset") for cause in result.causes)
        close = ", and the numbers stay close" if own and own <= {"same", "close"} and not converted else ""
        return f"{changed}{close}.{_given_by(result, tables)}"
    if result.removed:
        item = result.removed[0]
        gone = f"{key} is gone: not logged any more since {item.since or to}"
        if item.instead:
            return f"{gone}; {item.instead}, which was there before, measures the same."
        return f"{gone}. {look_alike_words(item.related[0])}" if item.related else f"{gone}, and nothing is like it."
    if result.added:
        item = result.added[0]
        since, former = item.since or to, _first_name(result, item, tables)
        if former is None:
            return f"{key} is new: logged since {since}."
        began = phrase("logged since {release} as {key}", release=former[0], key=former[1])
        return phrase("{key} is new: {what}, under this name since {release}.", key=key, what=began, release=since)
    return (
        f"Nothing that is stated of {key} changed {where}." if result.unreviewed else f"{key} means the same {where}."
    )


def _first_name(result: DiffResult, item: ListedKey, tables: Tables) -> tuple[str, str] | None:
    """Return since which release in between a key that came was logged under which other name; None if under none."""
    framework = result.to.partition("==")[0].partition("[")[0]
    if framework not in tables.frameworks:
        return None
    course = course_of(tables, framework, item.component)
    order = tables.framework(framework).releases.index
    first, last = (order(source.partition("==")[2]) for source in (result.from_, result.to))
    names = followed(course, item.key, item.mode)
    for release, name in names.items():
        if first < order(release) <= last and name is not None:
            return None if name == item.key else (release, name)
    return None


def _given_by(result: DiffResult, tables: Tables) -> str:
    """Return that a number does not depend on when the trainer computes it."""
    models = {tables.metrics.get(item.metric or "", {}).get("given_by") for item in result.changed}
    return f" {_ONLY_OF[str(models.pop())]}" if len(models) == 1 and models != {None} else ""


_ONLY_OF = {
    "engine": later("Only the engine's log-probabilities enter it."),
    "teacher": later("Only the teacher's numbers enter it."),
    "reference": later("Only the reference's numbers enter it."),
}


def look_alike_words(item: LookAlike) -> str:
    """Return that a key is taken for another one, and what sets it apart."""
    why = (item.short or item.why).rstrip(".")
    return f"{item.to} is a look-alike: {lowered(why)}."


def _seen(result: DiffResult, tables: Tables) -> Iterator[str]:
    """Yield what one sees with default settings, what weighs most first."""
    bookkeeping = {item.key for item in (*result.changed,) if item.bookkeeping}
    bookkeeping |= {item.to for item in result.renamed if item.bookkeeping}
    causes = [cause for cause in result.causes if set(cause.keys) - bookkeeping and cause.applies is not False]
    yield from islice(_came_and_went(causes), 2)
    yield from islice((item.says for item in result.defaults if item.says and item.decides), 2)
    measured = [cause for cause in causes if cause.kind == "metric" and cause.applies]
    for cause in measured[:1]:
        over = taken_over(cause.before, cause.after, tables)
        now = spoken(metric_words(cause.before if over else None, str(cause.after), tables).removeprefix("measures "))
        yield phrase("{keys}: now {what}", keys=few(braced(cause.keys)), what=now)
    movers = sorted(
        (item for item in result.defaults if item.says and not item.decides), key=lambda item: -len(item.moves)
    )
    yield from (item.says for item in movers[:1] if item.says)
    for cause in causes:
        if cause.severity == "biased" and cause.effect is not None:
            several, does = len(cause.keys) > 1, phrase(_EFFECTS[cause.effect])
            if cause.applies:
                kind = _READS if cause.effect == "unit" else _USUALLY
                yield phrase(kind[several], keys=few(braced(cause.keys)), effect=does)
            elif cause.vanishes_when is not None:
                keys, condition = few(braced(cause.keys), _FEW), spoken(cause.vanishes_when)
                yield phrase(_UNLESS[several], keys=keys, effect=does, condition=condition)
    yield from (item.says for item in movers[1:] if item.says)


def _came_and_went(causes: list[SharedCause]) -> Iterator[str]:
    for cause in causes:
        if cause.kind == "logged" and cause.before is not None and cause.after is not None:
            several, now = len(cause.keys) > 1, bool(cause.after)
            yield phrase(_STATES[now][several], keys=few(braced(cause.keys)))
        for effect in cause.effects:
            if effect.kind == "logged" and effect.keys:
                keys, several = few(braced(effect.keys)), len(effect.keys) > 1
                state = _BY_SETTING[bool(effect.after)][several]
                yield phrase(state, keys=keys, setting=cause.name, value=shown(cause.after))
