"""What the values of a row say about the run: settings that they prove or refute, and parts that were empty.

A log beats every default. A key that is there proves its condition; a value that a setting would keep constant refutes
that setting. What was given is never contradicted; where nobody says how a setting was chosen, it counts as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any, NamedTuple
from rlmetrics.names.differences.severity import unmet
from rlmetrics.names.meanings.constancy import stated
from rlmetrics.names.meanings.key_index import KEY
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import UNKNOWN, DeducedName, holds
from rlmetrics.names.tables.readings import covers
from rlmetrics.names.tables.sentence_case import lowered
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.signature_words import listed

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.meanings.constancy import StatedConstant
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.settings.configuration import Configuration

    from .pasted import Given

__all__ = ["NOTHING", "STAND_IN", "RowEvidence", "answer", "evidence_of", "is_value"]

_VALUES = (True, False, None, 0, 1, 2, "other")
"""Values that settings may have beside those that a guard names."""
STAND_IN = "placeholder_zero"
"""What a number is called that is 0 where nothing is measured."""
_NEAR = 1e-4
"""How far a logged value may be from what the spec says exactly: logs are rounded."""


class RowEvidence(NamedTuple):
    """What a row says about its run.

    Attributes:
        settings: Settings that nobody gave, as the row shows them: a value, or that the default does not hold.
        refuted: Guards that do not hold in this run, each as the parts that must all hold.
        empty: Why nothing is left of what a number without some responses is taken over, by the trait of such numbers.
        says: What shows which settings differ from their defaults, as sentences.
        numbers: What the row has of each metric, on the metric's own axis.
    """

    settings: Mapping[str, Any]
    refuted: Sequence[frozenset[str]]
    empty: Mapping[str, str]
    says: Sequence[str]
    numbers: Mapping[str, Given]

    def shows(self, metric: str, value: float | str) -> bool:
        """Tell whether the row has a metric with such a value."""
        given = self.numbers.get(metric)
        return given is not None and covers(value, given.number, given.half)

    def refutes(self, guard: str) -> bool:
        """Tell whether a guard does not hold in this run."""
        parts = frozenset(unmet(guard, None))
        return any(known <= parts for known in self.refuted)


NOTHING = RowEvidence({}, (), {}, (), {})


def evidence_of(view: View, row: Mapping[str, Given], answers: Mapping[str, Sequence[Resolution]]) -> RowEvidence:
    """Return what a row says about its run.

    Args:
        view: The source, with the settings that were given.
        row: Values by key.
        answers: What each key means.
    """
    if not isinstance(view, FrameworkView):
        return NOTHING
    told = [(item, row[key]) for key, items in answers.items() for item in items if item.component is not None]
    settings: dict[str, Any] = {}
    refuted: list[frozenset[str]] = []
    says: dict[str, str] = {}
    for item, value in told:
        config = view.components[str(item.component)].config
        component = view.components[str(item.component)]
        for guard, is_false in (*_decided(item, value, config), *_measured(item, value, component)):
            names = [name for name in _names(guard) if name in config.defaults]
            free = [name for name in names if name not in config.given]
            if is_false and (free or config.holds(guard) is False):
                refuted.append(frozenset(unmet(guard, None)))
            if config.holds(guard) is not is_false or not free:
                continue  # as the settings say, or as somebody said
            # What decides nothing as long as the rest has its default is taken to have its own.
            free = [name for name in free if _decides(config, guard, name)] or free
            settings.update({DeducedName(name): _proved(guard, name, holds=not is_false) for name in free})
            shown = f"is not {_constant(item, guard)}" if is_false else "is logged"
            others = f"one of {listed(free)} does" if len(free) > 1 else f"{free[0]} does"
            says.setdefault(guard, f"{item.key} {shown}: {others} not have its default here")
    return RowEvidence(settings, refuted, _empty(view, told), [*says.values()], _numbers(told))


def _numbers(told: Iterable[tuple[Resolution, Given]]) -> dict[str, Given]:
    """Return what a row of training has of each metric, on the metric's own axis."""
    return {
        str(item.metric): given._replace(number=axis.undone(given.number), half=given.half / abs(axis.scale))
        for item, given in told
        if item.mode == "train" and given.number is not None
        if item.signature is not None and (axis := item.signature.axis) is not None
    }


def _decided(item: Resolution, value: Given, config: Configuration) -> Iterator[tuple[str, bool]]:
    """Yield guards that a value decides, each with whether it shows that it does not hold."""
    if item.mode != "train" or item.matched != KEY or value.number is None or value.number - value.number != 0:
        return
    for constant in map(stated, item.constant_when):
        # What else must be so, as a remark says it, can be why a value is another one.
        if constant is None or constant.guard is None or constant.remark or answer(config, constant.guard) is None:
            continue
        if constant.number is not None and not is_value(constant, value):
            yield constant.guard, True
    if item.logged is False and item.condition is not None:
        yield from ((part, False) for part in item.condition.split("; ") if answer(config, part) is False)


def _measured(item: Resolution, value: Given, component: ComponentView) -> Iterator[tuple[str, bool]]:
    """Yield the guards under which a 0 stands in place of a measurement, which another value shows not to hold."""
    has = item.signature is not None and STAND_IN in item.signature.traits and item.template is not None
    if has and item.mode == "train" and item.matched == KEY and abs(value.number or 0.0) > value.half:
        for guard in component.guards_of_trait(STAND_IN, str(item.template), item.mode):
            yield guard, True


def _decides(config: Configuration, guard: str, name: str) -> bool:
    """Tell whether another value of one setting alone can make a guard hold, or not hold."""
    from rlmetrics.names.settings.guards import GuardLiteral, parse

    literals = [node.value for node in parse(guard).walk() if isinstance(node, GuardLiteral)]
    usual = config.holds(guard)
    return any(_held(guard, {**config.values, name: value}) not in (usual, None) for value in [*literals, *_VALUES])


def _held(guard: str, values: Mapping[str, Any]) -> bool | None:
    """Return whether a guard holds; None where nobody knows, or where a value is of no kind that it compares."""
    try:
        return holds(guard, values)
    except NamesError:
        return None


def answer(config: Configuration, guard: str) -> bool | None:
    """Return whether a guard holds; None where nobody knows, or where it is said in words."""
    try:
        return config.holds(guard)
    except NamesError:
        return None


def is_value(constant: StatedConstant, value: Given) -> bool:
    """Tell whether a value can be the one that is stated; logs are rounded."""
    number = constant.number
    near = _NEAR if number is not None and number != round(number) else 0.0
    return None not in (number, value.number) and abs((value.number or 0.0) - (number or 0.0)) <= near + value.half


def _constant(item: Resolution, guard: str) -> str:
    told = (constant for text in item.constant_when if (constant := stated(text)) is not None)
    return next((constant.value for constant in told if constant.guard == guard), "a constant 0")


def _names(guard: str) -> list[str]:
    from rlmetrics.names.settings.guards import names_in

    return sorted(names_in(guard))


def _proved(guard: str, name: str, *, holds: bool) -> Any:
    """Return the value that a guard asks of a setting by itself; `UNKNOWN` where it asks none."""
    from rlmetrics.names.settings.guards import Compare, GuardLiteral, Not, SettingName, parse

    parts = unmet(guard, None)
    for part in parts if holds or len(parts) == 1 else ():
        node = parse(part)
        if isinstance(node, SettingName) and node.name == name:
            return holds
        if isinstance(node, Not) and isinstance(node.operand, SettingName) and node.operand.name == name:
            return not holds
        if isinstance(node, Compare) and node.operator == ("==" if holds else "!="):
            left, right = node.parts()
            if isinstance(left, SettingName) and left.name == name and isinstance(right, GuardLiteral):
                return right.value
    return UNKNOWN


def _empty(view: View, told: Iterable[tuple[Resolution, Given]]) -> dict[str, str]:
    """Return for each trait of a number that leaves something out why nothing is left of it."""
    left: Mapping[str, tuple[str, str, Sequence[str]]] = view.tables.signatures["WITHOUT"]
    whole = {
        str(item.metric): f"{item.key} = {value.text}"
        for item, value in told
        if value.number is not None
        and item.signature is not None
        and item.signature.axis is not None
        and item.signature.axis.undone(value.number) == 1
    }
    return {
        trait: f"with {whole[share]} nothing is left but {_within(brief)}, and these do not count here"
        for brief, trait, shares in left.values()
        for share in shares
        if share in whole
    }


def _within(brief: str) -> str:
    return lowered(brief).rstrip(".")
