"""What a mean is taken over: padding that dilutes it, and a mean of means against all values pooled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .drawing import Say, boxes, label, labels, number, svg
from .picture_values import Formula, formula_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["EXAMPLE", "Means", "means_of"]

EXAMPLE = "kl/old/k2"
"""The metric whose values the example shows: half a squared log-ratio for each token."""
_PADDED = "padded"
_INPUTS = {"logprobs", "old_logprobs", "mask"}
LOG_RATIOS = ((0.2, 0.4, 0.2, 0.6, 0.2, 0.4), (0.4, 0.2, 0.2), (0.6, 0.6))
"""The log-ratio of each token of three responses, whose lengths differ."""
_HIGH, _TOP = 24, 24


@dataclass(frozen=True)
class Means:
    """The example with the formulas that reduce it.

    Attributes:
        metric: The metric whose values are shown.
        pooled: The mean over tokens.
        padded: The mean over all positions.
    """

    metric: str
    pooled: Formula
    padded: Formula

    def inputs(self, rows: Sequence[Sequence[float]] = LOG_RATIOS) -> dict[str, Any]:
        """Return responses as a trainer holds them: padded to the longest, with a mask."""
        longest = max(map(len, rows))
        return {
            "logprobs": [[*row, *[0.0] * (longest - len(row))] for row in rows],
            "old_logprobs": [[0.0] * longest for _ in rows],
            "mask": [[place < len(row) for place in range(longest)] for row in rows],
        }

    def token(self, log_ratio: float) -> float:
        """Return the value of one token."""
        return self.pooled(self.inputs([[log_ratio]]))

    @property
    def filled(self) -> float:
        """What stands in the padding."""
        inputs = self.inputs([[0.0]])
        return self.padded({**inputs, "mask": [[False]]})

    @property
    def over_tokens(self) -> float:
        """The mean over the tokens of all responses."""
        return self.pooled(self.inputs())

    @property
    def over_positions(self) -> float:
        """The mean over all positions, padding included."""
        return self.padded(self.inputs())

    @property
    def of_responses(self) -> tuple[float, ...]:
        """The mean of each response."""
        return tuple(self.pooled(self.inputs([row])) for row in LOG_RATIOS)

    @property
    def of_means(self) -> float:
        """The mean of the means of the responses."""
        return math.fsum(self.of_responses) / len(LOG_RATIOS)

    def draw_padding(self, t: Say, name: str) -> str:
        """Return the picture of what padding does to a mean."""
        tokens = sum(map(len, LOG_RATIOS))
        positions = len(LOG_RATIOS) * max(map(len, LOG_RATIOS))
        right = t("over tokens: {sum} / {count} = {mean}", **_division(self.over_tokens, tokens))
        wrong = t("over all positions: {sum} / {count} = {mean}", **_division(self.over_positions, positions))
        below = _TOP + _HIGH * len(LOG_RATIOS)
        parts = [
            *self._cells(t, padding=True),
            label(4, below + 24, right, "ok", bold=True),
            label(4, below + 43, wrong, "sick", bold=True),
        ]
        description = f"{t('Three responses of different lengths, padded to the longest.')} {right}; {wrong}."
        return svg(name, 340, below + 54, t("What padding does to a mean"), description, parts)

    def draw_parts(self, t: Say, name: str) -> str:
        """Return the picture of a mean of means against the pooled mean."""
        tokens = sum(map(len, LOG_RATIOS))
        means = self.of_responses
        right = t("pooled: {sum} / {count} = {mean}", **_division(self.over_tokens, tokens))
        wrong = t("mean of the {count} means: {mean}", count=len(means), mean=number(self.of_means))
        below = _TOP + _HIGH * len(LOG_RATIOS)
        parts = [*self._cells(t, padding=False), label(336, 15, t("mean"), "sick", at="end")]
        for row, mean in enumerate(means):
            y = _TOP + _HIGH * row + 16
            parts.append(label(336, y, number(mean, 2), "sick", at="end", bold=True))
        parts.append(label(4, below + 24, right, "ok", bold=True))
        parts.append(label(4, below + 43, wrong, "sick", bold=True))
        description = f"{t('Three parts of different sizes.')} {right}; {wrong}."
        return svg(name, 340, below + 54, t("Mean of means against pooled mean"), description, parts)

    def _cells(self, t: Say, *, padding: bool) -> Iterator[str]:
        longest = max(map(len, LOG_RATIOS))
        left, wide = (22, 53) if padding else (58, 39)
        yield label(left, 15, t("value of each token"))
        wide = wide - 3
        tokens, empty, values, filled = [], [], [], []
        for row, ratios in enumerate(LOG_RATIOS):
            y = _TOP + _HIGH * row
            yield label(4, y + 16, f"{row + 1}" if padding else t("part {number}", number=row + 1))
            for place in range(longest):
                x = left + (wide + 3) * place
                if place < len(ratios):
                    tokens.append((x, y, wide, _HIGH - 3))
                    values.append((x + wide / 2, y + 15, number(self.token(ratios[place]))))
                elif padding:
                    empty.append((x, y, wide, _HIGH - 3))
                    filled.append((x + wide / 2, y + 15, number(self.filled)))
        yield boxes(tokens, "ok", "ok")
        yield labels(values, "fg", size=11)
        if empty:
            yield boxes(empty, "none", "mute", dashes="3 2")
            yield labels(filled, "mute", size=11)


def _division(mean: float, count: int) -> dict[str, object]:
    """Return what a mean is made of, in digits."""
    return {"sum": number(mean * count, 4), "count": count, "mean": number(mean)}


def means_of(tables: Tables, metric: str = EXAMPLE) -> Means | None:
    """Return the example, with the values of a metric if it is of the same inputs; None of a spec without any."""
    for name in (metric, EXAMPLE):
        pooled, padded = formula_of(tables, name), formula_of(tables, name, _PADDED)
        if pooled is not None and padded is not None and set(pooled.inputs) == _INPUTS:
            return Means(name, pooled, padded)
    return None
