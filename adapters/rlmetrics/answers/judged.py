"""What a single value of a key tells: judged by what the spec says of it, in the order in which it decides.

What a release's own records say of the value comes first; then that the value cannot change there, what the metric says
of it, its range, health rules that one value decides, and what the traits of the computation can make of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.meanings.constancy import stated
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.tables.key_records import Reading
from rlmetrics.names.tables.readings import covers
from rlmetrics.names.tables.sentence_case import lowered

from .judgement import BAD, LEVELS, Judgement
from .pasted import Given
from .trust import needs_words
from .usual_values import unremarkable
from .value_evidence import NOTHING, STAND_IN, RowEvidence, answer, is_value
from .value_limits import at_limit
from .value_ranges import applies, as_read, covers_end, outside, rounded

if TYPE_CHECKING:
    from rlmetrics.health import Finding
    from rlmetrics.names import Resolution
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.tables.tables import Tables

__all__ = ["findings_at_once", "judge", "readings_of", "showing"]

_FEWEST = 2
"""Fewer values are no table, in which NaN fills what a row does not have."""


def judge(
    view: View,
    resolution: Resolution,
    given: Given,
    findings: Iterable[Finding] = (),
    evidence: RowEvidence = NOTHING,
) -> list[Judgement]:
    """Return what a value tells, what decides first; never empty.

    Args:
        view: The source, with its configuration.
        resolution: What the key means.
        given: The value.
        findings: What health rules found in the value.
        evidence: What the row says about its run.
    """
    tables = view.tables
    traits = [
        _read(item, given, "trait", name)
        for name in showing(view, resolution)
        for item in readings_of(tables.traits[name])
        if covers(item.value, given.number, given.half)
    ]
    recorded = [item for item in resolution.reads if covers(item.value, given.number, given.half)]
    own = [_read(item, given) for item in _in_row(recorded, evidence)]
    empty = _empty(resolution, given, evidence, tables)
    said = [
        *empty,
        *own,
        *_constants(view, resolution, given, evidence),
        *(item for item in traits if item.level in BAD),
    ]
    if not said and resolution.logged is False and not _is_finite(given.number):
        missing = needs_words(view, resolution) or "not logged"
        absent = f"{given.text} stands for no value: {resolution.key} is {missing}."
        lost = [item.message for item in findings if item.key == resolution.key and item.level == LEVELS[-1]]
        never = f"{given.text} is never normal: {_within(lost[0])}" if lost else ""
        if lost and len(evidence.numbers) < _FEWEST:
            # Who asks about this value alone has it in a log: that beats the default.
            says = f"{never} Only in a table of several keys it may stand for no value, where the key is {missing}."
            said.append(Judgement(LEVELS[-1], "absent", says))
        else:
            said.append(Judgement("expected", "absent", f"{absent} If it is logged, {never}" if lost else absent))
    readings = readings_of(tables.texts.get(resolution.metric or "", {}))
    if not said:
        about = [item for item in readings if applies(item, resolution, given)]
        if beyond := outside(resolution, given, tables):
            # What is said of large values is said of those that the metric can have.
            impossible = any(item.level in BAD for item in beyond)
            about = [item for item in about if not (impossible and covers_end(item, resolution, given, tables))]
        said += [_read(item, as_read(item, resolution, given)) for item in _in_row(about, evidence)]
    if not any(item.level in BAD for item in said):
        # What is said of a value may lie outside the range: -1 for a number that is not available, or rounding.
        told = own or traits or any(item.origin == "reading" for item in said)
        said += [] if told else outside(resolution, given, tables)
        said += at_limit(view, resolution, given)
        if not any(item.origin == "absent" for item in said):
            said += [_found(item, given) for item in findings if item.key == resolution.key]
    said += [item for item in traits if item.level not in BAD]
    said += rounded(resolution, given, readings, tables)
    return said or [unremarkable(resolution, given, tables)]


def readings_of(row: Mapping[str, Any]) -> list[Reading]:
    """Return the readings in a row of the tables."""
    return [Reading(**item) for item in row.get("reads", ())]


def _in_row(readings: Sequence[Reading], evidence: RowEvidence) -> list[Reading]:
    """Return what the rest of the row asks for, or what asks nothing of it."""
    shown = [
        item
        for item in readings
        if item.beside and all(evidence.shows(part["metric"], part["value"]) for part in item.beside)
    ]
    return shown or [item for item in readings if not item.beside]


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
    monitor.observe(1, {key: row[key].text if row[key].half else row[key].number for key in metrics})
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
    return lowered(re.split(r"(?<=[.!?])\s", message)[0])


def showing(view: View, resolution: Resolution) -> list[str]:
    """Return the traits of a number that may show under the configuration."""
    names: Sequence[str] = () if resolution.signature is None else resolution.signature.traits
    if not isinstance(view, FrameworkView):
        return [*names]
    from rlmetrics.wording.difference_words import shows

    side = view.circumstances(str(resolution.component))
    return [name for name in names if shows(name, side, resolution.mode or "train", view.tables) is not False]


def _empty(resolution: Resolution, given: Given, evidence: RowEvidence, tables: Tables) -> list[Judgement]:
    """Return that nothing was counted, where a part of the responses is left out and 0 stands for an empty rest."""
    traits = () if resolution.signature is None else resolution.signature.traits
    why = next((evidence.empty[name] for name in traits if name in evidence.empty), None)
    if given.number is not None and (given.number != 0 or given.half):
        return []
    if why is not None:
        return [Judgement("info", "empty", f"{given.text} means that nothing was counted: {why}.")]
    left = {trait for _, trait, shares in tables.signatures["WITHOUT"].values() if shares}
    if left.isdisjoint(traits):
        return []
    # That a policy is certain of every token is much less likely than that there was none.
    readings = readings_of(tables.texts.get(resolution.metric or "", {}))
    alarming = any(item.level in BAD and applies(item, resolution, given) for item in readings)
    zeros = [(name, item) for name in traits for item in readings_of(tables.traits[name]) if item.value == 0]
    return [_read(item, given, "trait", name) for name, item in zeros[:1] if alarming and given.number == 0]


def _constants(view: View, resolution: Resolution, given: Given, evidence: RowEvidence) -> list[Judgement]:
    """Return that this release, under this configuration, logs nothing else."""
    said = []
    config = view.components[str(resolution.component)].config if isinstance(view, FrameworkView) else None
    for text in resolution.constant_when:
        constant = stated(text)
        if constant is None or constant.number is None or given.number is None:
            continue
        if constant.mode not in (None, resolution.mode):
            continue
        guard = constant.guard
        holds = answer(config, guard) if guard is not None and config is not None else None
        if holds is False or (guard is not None and evidence.refutes(guard)):
            continue
        if not is_value(constant, given):
            if constant.always and math.isfinite(given.number):
                says = f"{given.text} does not fit: it is {text}."
                said.append(Judgement("warning", "constant", says))
            elif holds and not constant.remark and math.isfinite(given.number):
                says = f"{given.text} does not fit the settings that were given: it is {constant.value} while {guard}."
                said.append(Judgement("warning", "constant", says))
            continue
        certain = bool(holds) or constant.always or constant.mode is not None
        begin = "is expected" if certain else "is possible"
        if guard is not None and holds:
            here = "as here" if config is not None and config.given else "as by default"
            text = f"{constant.value} while {guard}, {here}{constant.remark}"
        said.append(Judgement("expected" if certain else "info", "constant", f"{given.text} {begin}: it is {text}."))
    return said or _stand_ins(view, resolution, given)


def _stand_ins(view: View, resolution: Resolution, given: Given) -> list[Judgement]:
    """Return that 0 stands in place of a measurement, where a setting has it so and no constant is stated."""
    has = resolution.signature is not None and STAND_IN in resolution.signature.traits
    if not has or given.number != 0 or given.half or not isinstance(view, FrameworkView):
        return []
    component = view.components[str(resolution.component)]
    here = "as here" if component.config.given else "as by default"
    # An entry of a view, whose values are judged as well, is a template itself.
    template = str(getattr(resolution, "template", resolution.key))
    guards = component.guards_of_trait(STAND_IN, template, resolution.mode or "train")
    says = [f"{given.text} is expected: it is 0, and nothing is measured, while {guard}, {here}." for guard in guards]
    return [Judgement("expected", "constant", text) for text in says[:1]]
