"""What values tell: one value of a key, or a row that somebody pasted.

`rlmetrics.answers.asked_source` says of which source they are, and `rlmetrics.answers.row` what a whole row says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.wording.condition_words import guard_words
from rlmetrics.wording.key_words import key_brief
from rlmetrics.wording.metric_facts import (
    as_shown,
    measured_text,
    metric_brief,
    own_formula,
    reads_texts,
)
from rlmetrics.wording.signature_words import listed, source_words
from rlmetrics.wording.terminal import columns, labelled, wrapped

from .judged import findings_at_once, judge
from .judgement import BAD, LEVELS, Judgement
from .key_health import key_health_texts
from .pasted import Given, parse_row
from .trust import averaged_lines, bias_words, is_biased, is_unreviewed, logged_lines, trust_texts
from .value_evidence import evidence_of
from .value_ranges import axis_of, outside

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.meanings.protocol import View

__all__ = ["JudgedValue", "brief_text", "judge_row", "parse_row", "some", "usual", "value_json", "value_lines"]

_MOST_ALSO = 2
_MOST_OTHER = 7
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
        shows: What its row says about settings.
    """

    view: View
    given: Given
    found: Resolution
    judged: tuple[Judgement, ...]
    otherwise: tuple[tuple[str, str], ...] = ()
    shows: tuple[str, ...] = ()

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
    from rlmetrics.names.lookup.resolving import resolve_in

    answers = {key: resolve_in(view, [key]) for key in row}
    evidence = evidence_of(view, row, answers)
    if evidence.settings and isinstance(view, FrameworkView):
        view = FrameworkView(view.tables, view.source, {**(config or {}), **evidence.settings})
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
            said = judge(view, resolution, given, findings, evidence)
            otherwise = _otherwise(view, resolution, given)
            judged.append(JudgedValue(view, given, resolution, tuple(said), otherwise, tuple(evidence.says)))
    return judged


def value_json(values: Sequence[JudgedValue]) -> list[dict[str, Any]]:
    """Return the objects that `resolve --json` gives for keys, each with its value and what that tells."""
    return [
        {
            **{name: getattr(item.found, name) for name in item.found.__match_args__},
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
    first, *others = known if assumed else usual(known)
    resolution, head = first.found, first.judged[0]
    who = _who(first)
    others = [item for item in others if item.says != first.says]
    says = head.says
    biases = bias_words(first.view, resolution) if head.origin == "nothing" and first.level == LEVELS[0] else None
    says += f" The number is biased: {biases}" if biases else ""
    if assumed:
        says = f"{says} This assumes {who}; --at names another source."
    elif others:
        says = f"{says} This is so in {who}."
    near = "" if resolution.near_miss is None else f"Did you mean {resolution.near_miss}? As a number of your own: "
    lines = [*wrapped(f"{near}{says}"), ""]
    if head.origin == "nothing":
        # A value about which nothing is said: what is known of the curve is the answer.
        from .resolved import told_notes

        notes = told_notes(first.view, resolution, installed=False)
        lines += labelled("reads", _on_axis(first, reads_texts(str(resolution.metric), first.view.tables)))
        lines += labelled("note", notes if full else notes[:_MOST_ALSO])
    trust = trust_texts(first.view, resolution)
    if is_unreviewed(resolution):
        lines += labelled("trust", trust[:1])
    elif biases is None and is_biased(trust):
        lines += labelled("trust", trust)
    advice = "do" if head.origin == "health" else "watch"
    for label, text in (("why", head.why), ("worry if", head.worry), (advice, head.watch)):
        lines += labelled(label, text) if text else []
    most = 1 if assumed else _MOST_ALSO
    also = [item.says for item in first.judged[1:] if item.says != head.says]
    lines += labelled("also", also if full else also[:most]) if also else []
    if first.otherwise:
        shown = first.otherwise if full else first.otherwise[:most]
        lines += labelled("settings", [f"{when}: {text}" for when, text in shown])
    lines += [] if lines[-1] == "" else [""]
    lines += _computed(first, assumed=assumed, full=full)
    if others:
        lines += ["", *_elsewhere(others, full=full)]
    return lines


def brief_text(item: JudgedValue, *, full: bool) -> str:
    """Return what a value tells, in a sentence where it is no bad sign."""
    if full or item.level in BAD:
        return item.says
    text = _first_sentence(item.says)
    if item.judged[0].origin == "constant" and len(text) > _LONG:
        components = item.view.components if isinstance(item.view, FrameworkView) else {}
        known = str(item.found.component) in components and components[str(item.found.component)].config.given
        return f"{item.given.text} is all that {'these' if known else 'the default'} settings give."
    return text


def _first_sentence(text: str) -> str:
    first = _SENTENCE.match(text)
    return text if first is None else first[1]


def usual(values: Sequence[JudgedValue]) -> list[JudgedValue]:
    """Return the values of one key, those that are logged first, otherwise in the order of the source."""
    return sorted(values, key=lambda item: (not item.judged, item.found.logged is False, item.found.logged is None))


def _elsewhere(others: Sequence[JudgedValue], *, full: bool) -> list[str]:
    """Return what the value tells in other components, those together of which it tells the same."""
    groups: dict[str, list[JudgedValue]] = {}
    for item in others:
        groups.setdefault(brief_text(item, full=False), []).append(item)
    rows = [
        [some([str(item.found.component) for item in items]), text if len(text) > 1 else items[0].says]
        for text, items in groups.items()
    ]
    shown = rows if full else rows[:_MOST_OTHER]
    lines = ["Elsewhere", *columns(shown)]
    return lines if len(shown) == len(rows) else [*lines, f"  and {len(rows) - len(shown)} more: --full"]


def some(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are."""
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
    signature = resolution.signature
    variant, span = (None, None) if signature is None else (signature.reproduced_by, signature.span)
    # A value that stands for something else, such as -1 for none, is not told that it cannot be.
    formula = own_formula(metric, signature, tables, ranged=not outside(resolution, item.given, tables))
    measured = measured_text(metric, tables, span)
    axis = axis_of(resolution)
    told = metric_brief(metric, variant, tables)
    brief, over = key_brief(told, signature, metric, tables, resolution.mode)
    lines = labelled("metric", f"{as_shown(brief, axis)}{f', here over {over}' if over else ''} ({metric})")
    lines += labelled("formula", formula if full or len(formula) <= _MOST_FORMULA else formula[:1])
    lines += labelled("measures", [] if measured is None else [measured])
    lines += averaged_lines(view, resolution)
    healthy = key_health_texts(view, resolution, full=full, advice=False)
    lines += labelled("healthy", healthy if full or item.level != "expected" else [])
    lines += logged_lines(view, resolution)
    lines += changed_lines(view, resolution, full=full) if full or not assumed else []
    return [*lines, *source_lines(resolution, full=full)]


def _on_axis(item: JudgedValue, texts: Sequence[str]) -> list[str]:
    """Return how a metric's curve behaves, with what the value is on the metric's own axis."""
    axis, number = axis_of(item.found), item.given.number
    if axis is None or axis.is_plain or number is None or number - number != 0:
        return [*texts]
    return [f"{item.given.text} is {axis.undone(number):.6g} of the metric itself: {text}" for text in texts]


def _who(item: JudgedValue) -> str:
    framework, _, release = str(item.found.source).partition("==")
    return source_words(f"{framework.partition('[')[0]}[{item.found.component}]=={release}", item.view.tables)


def _otherwise(view: View, resolution: Resolution, given: Given) -> tuple[tuple[str, str], ...]:
    """Return what a value would tell under other settings."""
    from rlmetrics.names.tables.readings import covers

    component = getattr(view, "components", {}).get(resolution.component)
    if component is None or resolution.template is None or resolution.mode is None:
        return ()
    told: dict[str, str] = {}
    for when, reading in component.reads_otherwise(resolution.template, resolution.mode):
        if covers(reading.value, given.number, given.half):
            says = _first_sentence(reading.says.replace("{value}", given.text))
            words = guard_words(when, component.config)
            # Of several settings under which the same is true the simplest is told.
            told[says] = min(told.get(says, words), words, key=len)
    return tuple((words, says) for says, words in told.items())


def _plain(number: float) -> float | str:
    """Return a number as JSON can hold it."""
    return number if number - number == 0 else str(number)
