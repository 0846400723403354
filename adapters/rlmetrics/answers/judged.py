"""What a single value of a key tells: judged by what the spec says of it, in the order in which it decides.

What a release's own records say of the value comes first; then that the value cannot change there, what the metric says
of it, its range, health rules that one value decides, and what the traits of the computation can make of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rlmetrics.names.reading import covers
from rlmetrics.names.records import Reading
from rlmetrics.names.view import FrameworkView

from .pasted import Given
from .trust import needs_words

if TYPE_CHECKING:
    from rlmetrics.health import Finding
    from rlmetrics.names import Resolution
    from rlmetrics.names.config import Configuration
    from rlmetrics.names.protocol import View
    from rlmetrics.names.tables import Tables

__all__ = ["LEVELS", "Judgement", "findings_at_once", "judge", "readings_of", "showing"]

LEVELS = ("plain", "expected", "info", "warning", "error")
"""From a value of which there is nothing to say to one that is certainly wrong."""

_BAD = frozenset(LEVELS[-2:])

_CONSTANT = re.compile(r"(?:always )?(?:the )?(-?[0-9]+(?:\.[0-9]+)?|ln 2)\b")
_LOGARITHM = "ln 2"
_NEAR = 1e-4
"""How far a logged value may be from what the spec says exactly: logs are rounded."""
_ROUNDING = 1e-6
"""How far float32 leaves a range: below that a number is taken for its bound."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one value of a key tells.

    Attributes:
        level: One of `LEVELS`.
        origin: What says so: ``reading``, ``constant``, ``absent``, ``range``, ``health``, ``trait`` or
            ``nothing``.
        says: What it means; the first sentence is the answer.
        why: How the value comes about.
        worry: What would make it a bad sign.
        watch: What to look at instead or besides.
        rule: The health rule or the trait.
        follows: Metrics of which a bad value in the same row explains this one.
    """

    level: str
    origin: str
    says: str
    why: str | None = None
    worry: str | None = None
    watch: str | None = None
    rule: str | None = None
    follows: tuple[str, ...] = ()


def judge(view: View, resolution: Resolution, given: Given, findings: Iterable[Finding] = ()) -> list[Judgement]:
    """Return what a value tells, what decides first; never empty.

    Args:
        view: The source, with its configuration.
        resolution: What the key means.
        given: The value.
        findings: What health rules found in the value.
    """
    tables = view.tables
    traits = [
        _read(item, given, "trait", name)
        for name in showing(view, resolution)
        for item in readings_of(tables.traits[name])
        if covers(item.value, given.number)
    ]
    said = [_read(item, given) for item in resolution.reads if covers(item.value, given.number)]
    said += _constants(view, resolution, given)
    said += [item for item in traits if item.level in _BAD]
    if not said and resolution.logged is False and not _is_finite(given.number):
        missing = needs_words(view, resolution) or "not logged"
        says = f"{given.text} stands for no value: {resolution.key} is {missing}."
        lost = [item.message for item in findings if item.key == resolution.key and item.level == LEVELS[-1]]
        says += f" If it is logged, {given.text} is never normal: {_within(lost[0])}" if lost else ""
        said.append(Judgement("expected", "absent", says))
    if not said:
        texts: Mapping[str, Any] = tables.texts.get(resolution.metric or "", {})
        said += [_read(item, given) for item in readings_of(texts) if covers(item.value, given.number)]
    if not any(item.level in _BAD for item in said):
        said += _outside(resolution, given, tables)
        if not any(item.origin == "absent" for item in said):
            said += [_found(item, given) for item in findings if item.key == resolution.key]
    said += [item for item in traits if item.level not in _BAD]
    return said or [_nothing(resolution, given, tables)]


def readings_of(row: Mapping[str, Any]) -> list[Reading]:
    """Return the readings in a row of the tables."""
    return [Reading(**item) for item in row.get("reads", ())]


def findings_at_once(
    at: str,
    row: Mapping[str, Given],
    metrics: Mapping[str, str],
    tables: Tables,
    config: Mapping[str, Any] | None = None,
) -> Sequence[Finding]:
    """Return what health rules find in one row: those that need no second one.

    Args:
        at: The source.
        row: Values by key.
        metrics: What the keys measure.
        tables: The spec.
        config: Settings that were given.
    """
    lost: set[str] = {metric for key, metric in metrics.items() if not _is_finite(row[key].number)}
    if not any(_at_once(rule, metrics.values(), lost) for rule in tables.health["JUDGED"]):
        return ()
    from rlmetrics.health import Monitor

    monitor = Monitor(at, config, spec=tables)
    monitor.observe(1, {key: row[key].number for key in metrics})
    return monitor.findings()


def _at_once(rule: Mapping[str, Any], metrics: Iterable[str], lost: set[str]) -> bool:
    """Tell whether a rule can find something in one row."""
    if rule.get("special"):
        return not lost.isdisjoint(rule.get("metrics", ()))
    waits = rule.get("steps", 1) > 1 or rule.get("points", 1) > 1 or rule.get("warm_up", 0) > 0
    return not waits and not {*rule.get("metrics", ())}.isdisjoint(metrics)


def _is_finite(number: float | None) -> bool:
    return number is not None and math.isfinite(number)


def _read(item: Reading, given: Given, origin: str = "reading", rule: str | None = None) -> Judgement:
    said, why, worry, watch = (
        None if text is None else text.replace("{value}", given.text)
        for text in (item.says, item.why, item.worry, item.watch)
    )
    return Judgement(item.level, origin, said or "", why, worry, watch, rule, tuple(item.follows))


def _found(item: Finding, given: Given) -> Judgement:
    says = f"{given.text}: {item.message}"
    if not _is_finite(given.number) and item.level == LEVELS[-1]:
        says = f"{given.text} is never normal: {_within(item.message)}"
    return Judgement(item.level, "health", says, watch=item.advice, rule=item.rule)


def _within(message: str) -> str:
    """Return the first sentence of a message as it stands behind a colon."""
    first = re.split(r"(?<=[.!?])\s", message)[0]
    return first if first[1:2].isupper() else first[:1].lower() + first[1:]


def showing(view: View, resolution: Resolution) -> list[str]:
    """Return the traits of a number that may show under the configuration."""
    names: Sequence[str] = () if resolution.signature is None else resolution.signature.traits
    if not isinstance(view, FrameworkView):
        return [*names]
    from .causes import shows

    side = view.circumstances(str(resolution.component))
    return [name for name in names if shows(name, side, resolution.mode or "train", view.tables) is not False]


def _constants(view: View, resolution: Resolution, given: Given) -> list[Judgement]:
    """Return that this release, under this configuration, logs nothing else."""
    said = []
    config = view.components[str(resolution.component)].config if isinstance(view, FrameworkView) else None
    for text in resolution.constant_when:
        stated = _CONSTANT.match(text)
        if stated is None or given.number is None or not _is(stated[1], given.number):
            continue
        if "in evaluation" in text and resolution.mode != "eval":
            continue
        _, when, guard = text.partition(" when ")
        answer = _answer(config, guard) if when and config is not None else None
        if answer is False:
            continue
        certain = not when or answer is True
        begin = "is expected" if certain else "is possible"
        if when and certain and config is not None:
            text = f"{text.partition(' when ')[0]} while {guard}, as here"
        says = f"{given.text} {begin}: it is {text}."
        level = "expected" if certain else "info"
        said.append(Judgement(level, "constant", says))
    return said


def _is(stated: str, number: float) -> bool:
    value = math.log(2) if stated == _LOGARITHM else float(stated)
    return number == value or (stated == _LOGARITHM and abs(number - value) <= _NEAR)


def _answer(config: Configuration, guard: str) -> bool | None:
    from rlmetrics.names.errors import NamesError

    try:
        return config.holds(guard)
    except NamesError:
        return None  # the rest of a sentence, not a guard


def _outside(resolution: Resolution, given: Given, tables: Tables) -> list[Judgement]:
    """Return that the metric cannot have the value."""
    signature = resolution.signature
    span = tables.metrics.get(resolution.metric or "", {}).get("range")
    if span is None or given.number is None or not math.isfinite(given.number) or signature is None:
        return []
    scale, offset = signature.scale, signature.offset
    if isinstance(scale, str) or isinstance(offset, str) or scale == 0:
        return []
    number = (given.number - offset) / scale
    low, high = span
    if low is not None and number < low:
        side, distance = f"below {low:g}", low - number
    elif high is not None and number > high:
        side, distance = f"above {high:g}", number - high
    else:
        return []
    if distance <= _ROUNDING * max(1.0, abs(number)):
        return [Judgement("info", "range", f"{given.text} is {side} by rounding: read it as the bound itself.")]
    departs = [
        trait["what"]
        for name in signature.traits
        if (trait := tables.traits[name])["facet"] == "defect" and trait["grade"] != "minor"
    ]
    why = f"In this release {'; '.join(departs)}." if departs else None
    never = {"below 0": "is never negative", "above 0": "is never positive"}.get(side, f"is never {side}")
    says = f"{given.text} is {side}, but {resolution.metric} {never}."
    if why is None:
        says += " The key is not what this source logs under this name, or it was changed on its way."
        return [Judgement("error", "range", says)]
    return [Judgement("warning", "range", says, why)]


def _nothing(resolution: Resolution, given: Given, tables: Tables) -> Judgement:
    """Return that there is nothing to say of the value alone."""
    number = given.number
    if number is None:
        says = f"{given.text} stands for no value: none was logged here, or it was NaN."
        return Judgement("info", "nothing", says)
    if not math.isfinite(number):
        return Judgement("warning", "nothing", f"{given.text} is no number: something on the way to it was not finite.")
    span = tables.metrics.get(resolution.metric or "", {}).get("range")
    within = f" in its range ({_span(span)})" if span is not None else ""
    return Judgement("plain", "nothing", f"{given.text} is unremarkable by itself{within}.")


def _span(span: Sequence[float | None]) -> str:
    low, high = span
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    return f"{low:g} or more" if low is not None else f"{high:g} or less"
