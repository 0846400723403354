"""Group advantage: the rewards of the responses to one prompt, less their mean, over their spread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rlmetrics.advantages.reference import group_relative

from .drawing import Say, label, line, number, rect, svg
from .picture_values import Formula, formula_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["GROUPS", "REWARDS", "Groups", "groups_of"]

REWARDS = (1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0)
"""The rewards of the responses to two prompts."""
GROUPS = (0, 0, 0, 0, 1, 1, 1, 1)
"""To which prompt each response belongs."""

_SPREAD, _ZERO = "reward/group_std", "reward/zero_std_fraction"
_SCALE = 30
"""So many units of the drawing are one unit of advantage."""


@dataclass(frozen=True)
class Groups:
    """The example with the formulas of both metrics that judge it.

    Attributes:
        spread: Mean standard deviation within a group.
        zero: Share of groups without any.
    """

    spread: Formula
    zero: Formula

    def value(self, metric: str) -> float | None:
        """Return a metric of the example; None if it is neither of both."""
        formula = {_SPREAD: self.spread, _ZERO: self.zero}.get(metric)
        return None if formula is None else formula(self.inputs())

    @staticmethod
    def inputs() -> dict[str, Any]:
        """Return the rewards with their groups."""
        return {"rewards": list(REWARDS), "group_ids": list(GROUPS)}

    @staticmethod
    def advantages() -> list[float]:
        """Return the advantage of each response."""
        return group_relative(REWARDS, GROUPS)

    def of_group(self, group: int) -> float:
        """Return the standard deviation of the rewards of one group."""
        rewards = [reward for reward, own in zip(REWARDS, GROUPS, strict=True) if own == group]
        return self.spread({"rewards": rewards, "group_ids": [0] * len(rewards)})

    def draw(self, t: Say, name: str) -> str:
        """Return the picture."""
        spread, zero = self.spread(self.inputs()), self.zero(self.inputs())
        told = t("mean std {spread}, share of groups with std 0: {zero}", spread=number(spread), zero=number(zero))
        parts = [
            *self._axes(t),
            *(part for group in sorted(set(GROUPS)) for part in self._group(t, group)),
            label(170, 196, told, "fg", at="middle", bold=True),
        ]
        description = f"{t('Rewards of two groups of four responses, and what is left of them as advantage.')} {told}."
        return svg(name, 340, 204, t("Rewards of a group become advantages"), description, parts)

    def _axes(self, t: Say) -> Iterator[str]:
        yield label(4, 15, t("reward"))
        yield label(4, 46, t("advantage"))
        yield line(70, _ZERO_LINE, 336, _ZERO_LINE, "mute")
        yield label(64, _ZERO_LINE + 4, "0", at="end")

    def _group(self, t: Say, group: int) -> Iterator[str]:
        left = 74 + 138 * group
        own = [place for place, theirs in enumerate(GROUPS) if theirs == group]
        advantages = self.advantages()
        for column, place in enumerate(own):
            x = left + 32 * column
            value = advantages[place]
            yield label(x + 13, 15, number(REWARDS[place]), "fg", at="middle", bold=True)
            height = abs(value) * _SCALE
            top = _ZERO_LINE - height if value > 0 else _ZERO_LINE
            if height:
                yield rect(x, top, 26, height, "ok" if value > 0 else "sick", opacity=0.8)
            text = number(value, 2)
            yield label(x + 13, top - 5 if value >= 0 else top + height + 13, text, "fg", at="middle", size=11)
        spread = self.of_group(group)
        said = t("std {value}", value=number(spread)) if spread else t("std 0: no signal")
        yield label(left + 61, 172, said, "mute" if spread else "sick", at="middle", bold=not spread)


_ZERO_LINE = 116


def groups_of(tables: Tables) -> Groups | None:
    """Return the example; None of a spec without its metrics."""
    spread, zero = formula_of(tables, _SPREAD), formula_of(tables, _ZERO)
    return Groups(spread, zero) if spread is not None and zero is not None else None
