"""What values tell: one value of a key, or a row that somebody pasted.

The command line gives `values_at` a source, or `values_anywhere` none, and prints the lines of the answer or its JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from .facts import formula_texts, health_texts, measured_text, reads_texts
from .judged import LEVELS, Judgement, findings_at_once, judge
from .pasted import Given, parse_row
from .settings import guard_words
from .terminal import columns, labelled, wrapped
from .trust import averaged_lines, bias_words, is_biased, logged_lines, trust_lines
from .words import listed, source_words

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.protocol import View

__all__ = ["JudgedValue", "judge_row", "parse_row", "row_lines", "value_json", "value_lines"]

_MOST_ALSO = 2
_MOST_OTHER = 7
_MOST_ROWS = 9
_BAD = frozenset({"warning", "error"})
_MOST_PLAIN = 12
_MOST_FORMULA = 3
_LONG = 90
_SENTENCE = re.compile(r"(.*?[.!?])(?:\s|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class JudgedValue:
    """A value of a key in one component, with what it tells.

    Attributes:
        view: The source.
        given: The value.
        found: What the key means; its metric is None where the source does not log it.
        judged: What the value tells, what decides first; empty where the key is unknown.
        otherwise: What it would tell under other settings: the guard, and the text.
    """

    view: View
    given: Given
    found: Resolution
    judged: tuple[Judgement, ...]
    otherwise: tuple[tuple[str, str], ...] = ()

    @property
    def level(self) -> str:
        """How much there is to say of it."""
        return self.judged[0].level if self.judged else LEVELS[0]

    @property
    def says(self) -> str:
        """The answer."""
        return self.judged[0].says if self.judged else str(self.found.reason)


def judge_row(view: View, row: Mapping[str, Given], config: Mapping[str, Any] | None = None) -> list[JudgedValue]:
    """Return what the values of a row tell, key by key in its order, once for each component that logs the key.

    Args:
        view: The source, with its configuration.
        row: Values by key, as `parse_row` gives them.
        config: The settings that were given, for health rules.
    """
    from rlmetrics.names.resolving import resolve_in

    answers = {key: resolve_in(view, [key]) for key in row}
    metrics = {
        key: item.metric
        for key, resolutions in answers.items()
        for item in reversed(resolutions)
        if item.metric is not None
    }
    findings = findings_at_once(str(view.source), row, metrics, view.tables, config)
    judged = []
    for key, given in row.items():
        for resolution in answers[key]:
            if resolution.metric is None:
                judged.append(JudgedValue(view, given, resolution, ()))
                continue
            said = judge(view, resolution, given, findings)
            judged.append(JudgedValue(view, given, resolution, tuple(said), _otherwise(view, resolution, given)))
    return judged


def value_json(values: Sequence[JudgedValue]) -> list[dict[str, Any]]:
    """Return the objects that `resolve --json` gives for keys, each with its value and what that tells."""
    return [
        {
            **{field.name: getattr(item.found, field.name) for field in fields(item.found)},
            "value": item.given.text if item.given.number is None else _plain(item.given.number),
            "judged": list(item.judged),
        }
        for item in values
    ]


def value_lines(values: Sequence[JudgedValue], *, full: bool = False, assumed: bool = False) -> list[str]:
    """Return the answer for one value.

    Args:
        values: What `judge_row` gave for a row of one key, of one source or of several.
        full: Whether nothing is folded.
        assumed: Whether nobody named the source, so that the answer must say which one it is about.
    """
    known = [item for item in values if item.judged]
    if not known:
        return _unknown(values)
    first, *others = known if assumed else _usual(known)
    resolution, head = first.found, first.judged[0]
    who = _who(first)
    others = [item for item in others if item.says != first.says]
    says = head.says
    biases = bias_words(first.view, resolution) if head.origin == "nothing" and first.level == LEVELS[0] else None
    says += f" Yet the number is biased: {biases}" if biases else ""
    if assumed:
        says = f"{says} This assumes {who}; --at names another source."
    elif others:
        says = f"{says} This is so in {who}."
    near = "" if resolution.near_miss is None else f"Did you mean {resolution.near_miss}? As a number of your own: "
    lines = [*wrapped(f"{near}{says}"), ""]
    if head.origin == "nothing":
        # A value about which nothing is said: what is known of the curve is the answer.
        from .resolved import told_notes

        trust = trust_lines(first.view, resolution)
        notes = told_notes(first.view, resolution, installed=False)
        lines += labelled("reads", reads_texts(str(resolution.metric), first.view.tables))
        lines += trust if biases is None and is_biased(trust) else []
        lines += labelled("note", notes if full else notes[:_MOST_ALSO])
    advice = "do" if head.origin == "health" else "watch"
    for label, text in (("why", head.why), ("worry if", head.worry), (advice, head.watch)):
        lines += labelled(label, text) if text else []
    also = [item.says for item in first.judged[1:] if item.says != head.says]
    lines += labelled("also", also if full else also[:_MOST_ALSO]) if also else []
    if first.otherwise:
        shown = first.otherwise if full else first.otherwise[:_MOST_ALSO]
        lines += labelled("settings", [f"{when}: {text}" for when, text in shown])
    lines += [] if lines[-1] == "" else [""]
    lines += _computed(first, assumed=assumed, full=full)
    if others:
        lines += ["", *_elsewhere(others, full=full)]
    return lines


def row_lines(view: View, values: Sequence[JudgedValue], *, full: bool = False, said: str | None = None) -> list[str]:
    """Return the answer for a row: what is remarkable, causes first and the most serious first, and the rest folded.

    Args:
        view: The source.
        values: What `judge_row` gave.
        full: Whether nothing is folded.
        said: How the source became known, such as "inferred from 24 keys".
    """
    ranked = [item for item in _first_of_each(values) if item.judged]
    ranked.sort(key=lambda item: -LEVELS.index(item.level))
    signs = {str(item.found.metric): item for item in ranked if item.level in _BAD}
    causes = {item.found.key: [signs[name] for name in item.judged[0].follows if name in signs] for item in ranked}
    bad = [item for item in ranked if item.level in _BAD and not causes[item.found.key]]
    following = [item for item in ranked if causes[item.found.key]]
    free = [item for item in ranked if item not in bad and item not in following]
    ask, expected, plain = ([item for item in free if item.level == level] for level in ("info", "expected", "plain"))
    lines = wrapped(_verdict(bad, ask, expected, len(ranked)))
    lines += [*wrapped(f"{source_words(view.source, view.tables)}{f', {said}' if said else ''}"), ""]
    table = _together([(_label(item), item, _text(item, full=full)) for item in (*bad, *ask, *expected)])
    shown = table if full else table[: max(_MOST_ROWS, len(bad))]
    lines += columns(shown, indent=0)
    lines += [f"and {len(table) - len(shown)} more: --full"] if len(shown) < len(table) else []
    if following:
        named = [each for item in following for each in causes[item.found.key]]
        roots = [item.found.key for item in bad if item in named]
        given = ", ".join(f"{item.found.key} = {item.given.text}" for item in following)
        lines += ["", *labelled("follows", f"from {listed(roots)}: {given}")]
    advice = list(dict.fromkeys(item.judged[0].watch for item in bad if item.judged[0].watch))
    lines += ["", *labelled("look at", advice[:_MOST_ALSO])] if advice else []
    if plain:
        lines += ["", *wrapped(f"Unremarkable ({len(plain)}): {_keys(plain, full=full)}")]
    unknown = [item for item in _first_of_each(values) if not item.judged]
    if unknown:
        lines += wrapped(f"Not logged by this source ({len(unknown)}): {_keys(unknown, full=full)}")
    return lines


def _together(rows: Sequence[tuple[str, JudgedValue, str]]) -> list[list[str]]:
    """Return rows of a table, those as one of which the same is said."""
    groups: dict[tuple[str, str], list[str]] = {}
    for label, item, text in rows:
        groups.setdefault((label, text), []).append(item.found.key)
    return [[label, _some(keys), text] for (label, text), keys in groups.items()]


def _verdict(
    bad: Sequence[JudgedValue], ask: Sequence[JudgedValue], expected: Sequence[JudgedValue], count: int
) -> str:
    """Return the first line: the worst value, or that there is none."""
    if bad:
        more = f" {len(bad)} of {count} values are bad signs." if len(bad) > 1 else ""
        return f"{bad[0].found.key}: {bad[0].says}{more}"
    if ask:
        return f"None of {count} values is a bad sign. {ask[0].found.key}: {ask[0].says}"
    if expected:
        return f"None of {count} values is a bad sign. {expected[0].found.key}: {expected[0].says}"
    return f"None of {count} values is remarkable by itself; one row shows no trend (rlmetrics check RUN does)."


def _label(item: JudgedValue) -> str:
    return {"info": "look"}.get(item.level, item.level)


def _text(item: JudgedValue, *, full: bool) -> str:
    if full or item.level in _BAD:
        return item.says
    text = _first_sentence(item.says)
    if item.judged[0].origin == "constant" and len(text) > _LONG:
        return f"{item.given.text} is all that these settings give."
    return text


def _first_sentence(text: str) -> str:
    first = _SENTENCE.match(text)
    return text if first is None else first[1]


def _keys(items: Sequence[JudgedValue], *, full: bool) -> str:
    names = [item.found.key for item in items]
    if full or len(names) <= _MOST_PLAIN:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_PLAIN])} and {len(names) - _MOST_PLAIN} more"


def _first_of_each(values: Sequence[JudgedValue]) -> list[JudgedValue]:
    """Return one value for each key: where it is logged by default, if that is so anywhere."""
    by_key: dict[str, list[JudgedValue]] = {}
    for item in values:
        by_key.setdefault(item.found.key, []).append(item)
    return [_usual(items)[0] for items in by_key.values()]


def _usual(values: Sequence[JudgedValue]) -> list[JudgedValue]:
    """Return the values of one key, those that are logged first, otherwise in the order of the source."""
    return sorted(values, key=lambda item: (not item.judged, item.found.logged is False, item.found.logged is None))


def _elsewhere(others: Sequence[JudgedValue], *, full: bool) -> list[str]:
    """Return what the value tells in other components, those together of which it tells the same."""
    groups: dict[str, list[JudgedValue]] = {}
    for item in others:
        groups.setdefault(_text(item, full=False), []).append(item)
    rows = [
        [_some([str(item.found.component) for item in items]), text if len(text) > 1 else items[0].says]
        for text, items in groups.items()
    ]
    shown = rows if full else rows[:_MOST_OTHER]
    lines = ["Elsewhere", *columns(shown)]
    return lines if len(shown) == len(rows) else [*lines, f"  and {len(rows) - len(shown)} more: --full"]


def _some(names: Sequence[str]) -> str:
    rest = len(names) - 1
    return names[0] if not rest else listed(names) if rest == 1 else f"{names[0]} and {rest} more"


def _unknown(values: Sequence[JudgedValue]) -> list[str]:
    lines = []
    for item in values:
        near = f" Nearest: {', '.join(item.found.nearest)}." if item.found.nearest else ""
        lines += wrapped(f"{item.found.key}: {item.found.reason}.{near}")
    return lines


def _computed(item: JudgedValue, *, assumed: bool, full: bool) -> list[str]:
    """Return what the number is: in words, as a formula, how averaged, when logged, what changed, where it stands."""
    from .resolved import changed_lines, source_lines

    view, resolution = item.view, item.found
    tables, metric = view.tables, str(resolution.metric)
    variant = None if resolution.signature is None else resolution.signature.reproduced_by
    formula = formula_texts(metric, variant, tables)
    measured = measured_text(metric, tables)
    lines = labelled("metric", f"{str(resolution.brief).rstrip('.')} ({metric})")
    lines += labelled("formula", formula if full or len(formula) <= _MOST_FORMULA else formula[:1])
    lines += labelled("measures", [] if formula or measured is None else [measured])
    lines += averaged_lines(view, resolution)
    lines += labelled("healthy", health_texts(metric, tables, full=full) if full or item.level != "expected" else [])
    lines += logged_lines(view, resolution)
    lines += changed_lines(view, resolution, full=full) if full or not assumed else []
    return [*lines, *source_lines(resolution, full=full)]


def _who(item: JudgedValue) -> str:
    framework, _, release = str(item.found.source).partition("==")
    return source_words(f"{framework.partition('[')[0]}[{item.found.component}]=={release}", item.view.tables)


def _otherwise(view: View, resolution: Resolution, given: Given) -> tuple[tuple[str, str], ...]:
    """Return what a value would tell under other settings."""
    from rlmetrics.names.reading import covers

    component = getattr(view, "components", {}).get(resolution.component)
    if component is None or resolution.template is None or resolution.mode is None:
        return ()
    return tuple(
        (guard_words(when, component.config), _first_sentence(reading.says.replace("{value}", given.text)))
        for when, reading in component.reads_otherwise(resolution.template, resolution.mode)
        if covers(reading.value, given.number)
    )


def _plain(number: float) -> float | str:
    """Return a number as JSON can hold it."""
    return number if number - number == 0 else str(number)
