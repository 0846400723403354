"""What the values of a row say about the run: settings that they prove or refute, and parts that were empty.

A log beats every default. A key that is there proves its condition; a value that a setting would keep constant refutes
that setting. What was given is never contradicted; where nobody says how a setting was chosen, it counts as unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.differences.severity import unmet
from rlmetrics.names.meanings.key_index import KEY
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.names.settings.configuration import UNKNOWN
from rlmetrics.names.tables.readings import covers
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.signature_words import listed

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.settings.configuration import Configuration

    from .pasted import Given

__all__ = ["CONSTANT", "NOTHING", "RowEvidence", "constant_guard", "evidence_of", "is_stated"]

CONSTANT = re.compile(r"(?:always )?(?:the )?(-?[0-9]+(?:\.[0-9]+)?|ln 2)\b")
"""What a statement of a constant value begins with."""
_WHEN = " when "
_LOGARITHM = "ln 2"
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
        for guard, is_false in _decided(item, value, config):
            names = [name for name in _names(guard) if name in config.defaults]
            free = [name for name in names if name not in config.given]
            if is_false and (free or config.holds(guard) is False):
                refuted.append(frozenset(unmet(guard, None)))
            if config.holds(guard) is not is_false or not free:
                continue  # as the settings say, or as somebody said
            settings.update({name: _proved(guard, name, holds=not is_false) for name in free})
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
    for text in item.constant_when:
        stated, guard = CONSTANT.match(text), constant_guard(text, config)
        if guard is not None and stated is not None and not is_stated(stated[1], value):
            yield guard, True
    if item.logged is False and item.condition is not None:
        yield from ((part, False) for part in item.condition.split("; ") if _answer(config, part) is False)


def constant_guard(text: str, config: Configuration | None) -> str | None:
    """Return the guard under which a value is constant; None where words say it, or nothing does."""
    _, when, guard = text.partition(_WHEN)
    return guard if when and config is not None and _is_guard(config, guard) else None


def _is_guard(config: Configuration, text: str) -> bool:
    try:
        config.holds(text)
    except NamesError:
        return False
    return True


def _answer(config: Configuration, guard: str) -> bool | None:
    return config.holds(guard) if _is_guard(config, guard) else None


def is_stated(stated: str, value: Given) -> bool:
    """Tell whether a value can be one that the spec states: ``0``, or ``ln 2``."""
    number, near = (math.log(2), _NEAR) if stated == _LOGARITHM else (float(stated), 0.0)
    return value.number is not None and abs(value.number - number) <= near + value.half


def _constant(item: Resolution, guard: str) -> str:
    stated = (CONSTANT.match(text) for text in item.constant_when if text.endswith(f"{_WHEN}{guard}"))
    return next((match[1] for match in stated if match is not None), "constant")


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
    return brief[:1].lower() + brief[1:].rstrip(".")
