"""How clipping cuts the ratio axis: the objective of one token by its ratio, and where a clip fraction counts it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .drawing import Plot, Say, dots, label, line, number, path, rect, svg
from .picture_values import Formula, formula_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["Clipping", "clipping_of"]

_RATIO_INPUTS = {"logprobs", "old_logprobs", "advantages", "sequence_advantages", "mask"}
_BOUNDS = {"clip_low", "clip_high"}
_PLAIN = "policy/loss"
"""The objective that is drawn where a clip fraction has none of its own."""
_FINEST = 1e-6
_SAME = 2e-5
_GRID = 40
_PLACES = {1: (0.12, 0.4, 0.6, 0.88), -1: (0.1, 0.36, 0.66, 0.9)}
"""Where the tokens of the example lie on the axis, by the sign of their advantage."""


@dataclass(frozen=True)
class Clipping:
    """A clip fraction or a clipped loss, and how it treats a token.

    Attributes:
        metric: The metric.
        objective: The loss of its algorithm.
        counted: What tells whether a token counts; None of a loss, of which the flat part counts.
        parameters: The bounds.
        mean: Whether the metric is a plain share of what is counted.
        whole: Whether a response has one ratio, so that responses are counted.
    """

    metric: str
    objective: Formula
    counted: Formula | None
    parameters: Mapping[str, float]
    mean: bool
    whole: bool

    def loss(self, ratio: float, sign: int) -> float:
        """Return the loss of one token with advantage 1 or -1."""
        return self.objective(_tokens([ratio], [sign]), self.parameters)

    def counts(self, ratio: float, sign: int) -> bool:
        """Return whether a token of this ratio counts: as clipped, or as without a gradient."""
        if self.counted is not None:
            return self.counted(_tokens([ratio], [sign]), self.parameters) > 0.5
        return abs(self.loss(ratio * (1 + _FINEST), sign) - self.loss(ratio, sign)) < 0.01 * _FINEST

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """Ratios at which the objective becomes flat, or at which tokens begin to count."""
        bounds = tuple(sorted(self.parameters.items()))
        found = list(_edges(self.objective, None, bounds))
        for edge in _edges(self.objective, self.counted, bounds) if self.counted is not None else ():
            if all(abs(edge - other) > _SAME for other in found):
                found.append(edge)
        return tuple(sorted(found))

    @cached_property
    def fine(self) -> bool:
        """Whether the bounds are so close to 1 that their places need more digits."""
        return max((abs(edge - 1) for edge in self.edges), default=1) < 0.01

    def mark(self, ratio: float) -> str:
        """Return a ratio as it stands at the axis."""
        return number(ratio, 5 if self.fine else 3)

    @cached_property
    def axis(self) -> tuple[float, float]:
        """The ratios that are drawn."""
        reach = max((abs(edge - 1) for edge in self.edges), default=0.2)
        return max(0.0, 1 - 2.2 * reach), 1 + (2.2 if reach < 1 else 1.25) * reach

    @cached_property
    def tokens(self) -> tuple[tuple[float, int, bool], ...]:
        """The tokens of the example: ratio, sign of the advantage, whether it counts."""
        low, high = self.axis
        digits = 5 if self.fine else 2
        return tuple(
            (ratio, sign, self.counts(ratio, sign))
            for sign, shares in _PLACES.items()
            for ratio in (round(low + share * (high - low), digits) for share in shares)
        )

    def example(self) -> dict[str, Any]:
        """Return the inputs that hold the tokens of the example, each as a response of its own."""
        return _tokens([ratio for ratio, _, _ in self.tokens], [sign for _, sign, _ in self.tokens])

    def value(self) -> float | None:
        """Return the metric of the example; None if it is no share of what is counted."""
        if self.counted is None or not self.mean:
            return None
        return self.counted(self.example(), self.parameters)

    def draw(self, t: Say, name: str) -> str:
        """Return the picture."""
        shown = sum(counts for _, _, counts in self.tokens)
        bounds = ", ".join(map(self.mark, self.edges))
        parts: list[str] = []
        for sign, left, title in ((1, 8, t("advantage > 0")), (-1, 178, t("advantage < 0"))):
            parts += self._panel(t, sign, left, title)
        told = self._told(t, shown)
        parts.append(label(170, 187, told, "fg", at="middle", bold=True))
        description = t(
            "The objective of one token by its probability ratio, for either sign of the advantage, with bounds at "
            "{bounds}. Shaded is where a token counts. {told}",
            bounds=bounds,
            told=told,
        )
        return svg(name, 340, 196, t("How clipping cuts the ratio axis"), description, parts)

    def _told(self, t: Say, shown: int) -> str:
        values = {"shown": shown, "all": len(self.tokens)}
        if self.counted is None:
            return t("{shown} of {all} tokens have no gradient", **values)
        value = self.value()
        if value is None:
            return t("{shown} of {all} tokens count", **values)
        share = number(value)
        if self.whole:
            return t("{shown} of {all} responses count: {share}", **values, share=share)
        return t("{shown} of {all} tokens count: {share}", **values, share=share)

    def _panel(self, t: Say, sign: int, left: float, title: str) -> Iterator[str]:
        low, high = self.axis
        ratios = sorted({*(low + (high - low) * step / 16 for step in range(17)), *self.edges})
        ratios = [max(ratio, 1e-3) for ratio in ratios if ratio <= high]
        course = [(ratio, -self.loss(ratio, sign)) for ratio in ratios]
        values = [value for _, value in course]
        room = (max(values) - min(values)) * 0.12
        plot = Plot(left, 34, 154, 108, self.axis, (min(values) - room, max(values) + room))
        yield label(left, 13, title, "fg", bold=True)
        for start, end in _counted(lambda ratio: self.counts(ratio, sign), self.axis, self.edges):
            x, width = plot.across(start), plot.across(end) - plot.across(start)
            yield rect(x, plot.top, width, plot.height, "sick", opacity=0.16)
            said = t("no gradient") if self.counted is None else t("counts")
            right = end >= high
            yield label(x + width if right else x, 29, said, "sick", at="end" if right else "start")
        marks = "".join(f"M{plot.across(edge):.1f} {plot.top:g}V142" for edge in self.edges)
        yield path(marks, "mute", dashes="2 3", width=1)
        yield line(left, 142, left + plot.width, 142, "mute")
        yield path(plot.trace(course), "a", width=2.4)
        for counted, fill, rim in ((True, "sick", "sick"), (False, "paper", "a")):
            own = [ratio for ratio, side, counts in self.tokens if side == sign and counts == counted]
            yield dots([(plot.across(ratio), plot.up(-self.loss(ratio, sign))) for ratio in own], fill, rim)
        taken: list[tuple[float, float]] = []
        for ratio in (*sorted(self.edges, key=lambda edge: -abs(edge - 1)), 1.0):
            text, x = self.mark(ratio), plot.across(ratio)
            half = 3.6 * len(text) + 2
            if all(abs(x - other) > half + theirs for other, theirs in taken):
                taken.append((x, half))
                yield label(x, 155, text, at="middle")
        yield label(left + plot.width / 2, 169, t("probability ratio"), at="middle")


def clipping_of(tables: Tables, metric: str) -> Clipping | None:
    """Return how a metric clips; None if it does not, or not by the ratio alone."""
    identity: Mapping[str, Any] = tables.metrics.get(metric, {}).get("identity", {})
    if identity.get("quantity") not in ("clip_fraction", "policy_loss"):
        return None
    formula = formula_of(tables, metric)
    if formula is not None and set(formula.inputs) == {"rank_values"}:
        return _of_processes(tables, metric, identity)
    if formula is None or not _by_ratio(formula):
        return None
    if identity["quantity"] == "policy_loss":
        found = Clipping(metric, formula, None, formula.parameters, False, False)
        return found if _depends_on_ratio_alone(found) and found.edges else None
    objective = _objective(tables, identity, formula)
    if objective is None:
        return None
    mean = identity.get("statistic") == "mean"
    return Clipping(metric, objective, formula, formula.parameters, mean, identity.get("of") == "responses")


def _of_processes(tables: Tables, metric: str, identity: Mapping[str, Any]) -> Clipping | None:
    """Return the clipping of what a metric compares between processes: the share with the same predicate."""
    for other, row in tables.metrics.items():
        own = row.get("identity", {})
        same = all(own.get(name) == identity.get(name) for name in ("quantity", "predicate", "estimator"))
        if same and own.get("statistic") == "mean":
            found = clipping_of(tables, other)
            if found is not None:
                return Clipping(metric, found.objective, found.counted, found.parameters, False, found.whole)
    return None


def _by_ratio(formula: Formula) -> bool:
    inputs = set(formula.inputs)
    return inputs <= _RATIO_INPUTS and "old_logprobs" in inputs and not _BOUNDS.isdisjoint(formula.parameters)


def _objective(tables: Tables, identity: Mapping[str, Any], fraction: Formula) -> Formula | None:
    """Return the loss of the algorithm of a clip fraction: of the same estimator, else PPO's with the same bounds."""
    for metric, row in tables.metrics.items():
        own = row.get("identity", {})
        if own.get("quantity") == "policy_loss" and own.get("estimator") == identity.get("estimator"):
            formula = formula_of(tables, metric)
            if formula is not None and _by_ratio(formula):
                found = Clipping(metric, formula, None, fraction.parameters, False, False)
                return formula if _depends_on_ratio_alone(found) else None
    if set(fraction.parameters) <= _BOUNDS:
        return formula_of(tables, _PLAIN)
    if not set(fraction.parameters) > _BOUNDS:
        return None
    for variant in tables.texts.get(_PLAIN, {}).get("variants", {}):
        formula = formula_of(tables, _PLAIN, variant)
        if formula is not None and all(name in formula.words for name in fraction.parameters):
            return formula
    return None


def _depends_on_ratio_alone(clipping: Clipping) -> bool:
    """Tell whether the loss of a token is the same however likely the token is."""
    at = [clipping.objective(_tokens([1.1], [1], level), clipping.parameters) for level in (0.0, -3.0)]
    return math.isclose(*at, rel_tol=1e-9)


def _tokens(ratios: Sequence[float], signs: Sequence[int], level: float = 0.0) -> dict[str, Any]:
    """Return the inputs of responses of one token each."""
    return {
        "logprobs": [[level + math.log(max(ratio, 1e-9))] for ratio in ratios],
        "old_logprobs": [[level] for _ in ratios],
        "advantages": [[float(sign)] for sign in signs],
        "sequence_advantages": [float(sign) for sign in signs],
        "mask": [[True] for _ in ratios],
    }


@lru_cache(maxsize=256)
def _edges(objective: Formula, counted: Formula | None, bounds: tuple[tuple[str, float], ...]) -> tuple[float, ...]:
    """Return where tokens begin or cease to count, each by halving the stretch that holds it."""
    clipping = Clipping("", objective, counted, dict(bounds), False, False)
    ratios = [0.02 * 400 ** (step / _GRID) for step in range(_GRID + 1)]
    found: list[float] = []
    for sign in (1, -1):
        states = [clipping.counts(ratio, sign) for ratio in ratios]
        for place in range(_GRID):
            if states[place] != states[place + 1]:
                low, high = ratios[place], ratios[place + 1]
                for _ in range(24):
                    middle = (low + high) / 2
                    low, high = (middle, high) if clipping.counts(middle, sign) == states[place] else (low, middle)
                edge = round((low + high) / 2, 5)
                if all(abs(edge - other) > _SAME for other in found):
                    found.append(edge)
    return tuple(found)


def _counted(
    counts: Callable[[float], bool], axis: tuple[float, float], edges: Sequence[float]
) -> Iterator[tuple[float, float]]:
    """Yield the stretches of the axis on which tokens count."""
    marks = [axis[0], *(edge for edge in edges if axis[0] < edge < axis[1]), axis[1]]
    for start, end in pairwise(marks):
        if counts((start + end) / 2):
            yield start, end
