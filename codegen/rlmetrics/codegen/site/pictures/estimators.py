"""k1, k2 and k3: what each makes of one sampled token, and of the average of many."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .drawing import Plot, Say, label, line, number, path, svg
from .picture_values import Formula, formula_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["FIRST", "SECOND", "Estimator", "estimator_of", "sampled"]

FIRST = (0.5, 0.25, 0.25)
"""How often the policy that samples writes each of three tokens, in the example."""
SECOND = (0.25, 0.25, 0.5)
"""How often the other policy does."""

_DRAWN = ("k1", "k2", "k3")
_COLOURS = {"k1": "a", "k2": "ok", "k3": "d", "abs": "b"}
_DASHES = {"k1": "6 3", "k2": "", "k3": "2 3", "abs": "8 2 2 2"}
_INPUTS = {"current": "logprobs", "old": "old_logprobs", "reference": "ref_logprobs", "rollout": "rollout_logprobs"}
_ENDS = (-2.0, 2.0)
_STEPS = 24


def sampled() -> tuple[list[float], list[float]]:
    """Return log-probabilities under both policies of tokens in which each is as often as the first one samples it."""
    first: list[float] = []
    second: list[float] = []
    for often, other in zip(FIRST, SECOND, strict=True):
        for _ in range(round(often / min(FIRST))):
            first.append(math.log(often))
            second.append(math.log(other))
    return first, second


@dataclass(frozen=True)
class Estimator:
    """An estimate of a divergence.

    Attributes:
        own: Which one it is.
        policies: Both policies; the tokens should be sampled from the first.
        whole: Whether one value is of a whole response.
        formulas: The formula of each estimator that is drawn, with the names of its two inputs.
        truth: The divergence itself, of the example.
    """

    own: str
    policies: tuple[str, str]
    formulas: Mapping[str, tuple[Formula, str, str]]
    truth: float
    whole: bool

    def of_token(self, name: str, log_ratio: float) -> float:
        """Return what an estimator makes of one token, whose log-ratio is second minus first."""
        return self._value(name, [0.0], [log_ratio])

    def of_example(self, name: str) -> tuple[float, float]:
        """Return the lowest value of a token of the example, and the average of all."""
        first, second = sampled()
        lowest = min(self._value(name, [one], [other]) for one, other in zip(first, second, strict=True))
        return lowest, self._value(name, first, second)

    def _value(self, name: str, first: Sequence[float], second: Sequence[float]) -> float:
        formula, one, other = self.formulas[name]
        inputs: dict[str, Any] = {one: [list(first)], other: [list(second)], "mask": [[True] * len(first)]}
        return formula(inputs)

    def draw(self, t: Say, name: str) -> str:
        """Return the picture."""
        parts = [*self._curves(t), *self._table(t)]
        low, mean = self.of_example(self.own)
        description = t(
            "What the estimators {names} make of one token, by its log-ratio. Of the example, {own} has an average of "
            "{mean} and a smallest token of {low}, where the divergence is {truth}.",
            names=", ".join(self.formulas),
            own=self.own,
            mean=number(mean),
            low=number(low),
            truth=number(self.truth),
        )
        return svg(name, 340, 178 + 17 * len(self.formulas) + 22, t("Estimators of one divergence"), description, parts)

    def _curves(self, t: Say) -> Iterator[str]:
        ratios = [_ENDS[0] + (_ENDS[1] - _ENDS[0]) * step / _STEPS for step in range(_STEPS + 1)]
        courses = {name: [self.of_token(name, ratio) for ratio in ratios] for name in self.formulas}
        low = min(min(course) for course in courses.values())
        high = max(max(course) for course in courses.values())
        plot = Plot(24, 8, 272, 130, _ENDS, (low, high))
        zero = plot.up(0)
        yield line(plot.left, zero, plot.left + plot.width, zero, "mute")
        yield line(plot.across(0), plot.top, plot.across(0), plot.top + plot.height, "line")
        yield label(plot.left - 5, zero + 4, "0", at="end")
        for mark in (-2, -1, 0, 1, 2):
            yield label(plot.across(mark), 151, number(mark), at="middle")
        axis = t("log-ratio of one response") if self.whole else t("log-ratio of one token")
        yield label(plot.left + plot.width / 2, 166, axis, at="middle")
        for name, course in courses.items():
            width = 3 if name == self.own else 1.6
            points = zip(ratios, course, strict=True)
            yield path(plot.trace(points), _COLOURS[name], dashes=_DASHES[name], width=width)
        taken: list[float] = []
        for name, course in courses.items():
            place = plot.up(course[-1]) + 4
            while any(abs(place - other) < 12 for other in taken):
                place += 12
            taken.append(place)
            yield label(300, place, name, _COLOURS[name], bold=name == self.own)

    def _table(self, t: Say) -> Iterator[str]:
        top = 190
        yield label(218, top, t("average"), at="end")
        yield label(332, top, t("smallest token"), at="end")
        for row, name in enumerate(self.formulas):
            low, mean = self.of_example(name)
            y = top + 17 * (row + 1)
            own = name == self.own
            yield label(24, y, name, _COLOURS[name], bold=own)
            yield label(218, y, number(mean, places=3), "fg", at="end", bold=own)
            yield label(332, y, number(low, places=3) if low else "0", "sick" if low < 0 else "fg", at="end", bold=own)
        yield label(24, top, t("true: {value}", value=number(self.truth, places=3)), "fg")


def estimator_of(tables: Tables, metric: str) -> Estimator | None:
    """Return the estimator that a metric is; None if it is none of those that are told apart by a curve."""
    identity: Mapping[str, Any] = tables.metrics.get(metric, {}).get("identity", {})
    own = identity.get("estimator")
    policies = identity.get("distributions") or []
    if identity.get("quantity") != "kl_divergence" or own not in _COLOURS or len(policies) != 2:
        return None
    if not set(policies) <= set(_INPUTS):
        return None
    formulas = {name: found for name in _DRAWN if (found := _plain(tables, name)) is not None}
    if own not in formulas:
        found = _plain(tables, own)
        if found is None:
            return None
        formulas[own] = found
    if not _is_one(tables, metric, own, formulas):
        return None
    first, second = policies
    truth = math.fsum(one * math.log(one / other) for one, other in zip(FIRST, SECOND, strict=True))
    return Estimator(own, (first, second), formulas, truth, identity.get("extent") == "sequence")


def _is_one(tables: Tables, metric: str, own: str, formulas: Mapping[str, tuple[Formula, str, str]]) -> bool:
    """Tell whether a metric gives for one token what its estimator gives, and takes nothing else in."""
    policies = tables.metrics[metric]["identity"]["distributions"]
    formula = formula_of(tables, metric)
    if formula is None or set(formula.inputs) != {_INPUTS[policies[0]], _INPUTS[policies[1]], "mask"}:
        return False
    plain, one, other = formulas[own]
    for log_ratio in (-0.7, 0.7):
        mine = {_INPUTS[policies[0]]: [[0.0]], _INPUTS[policies[1]]: [[log_ratio]], "mask": [[True]]}
        theirs = {one: [[0.0]], other: [[log_ratio]], "mask": [[True]]}
        if not math.isclose(formula(mine), plain(theirs), rel_tol=1e-9):
            return False
    return True


def _plain(tables: Tables, name: str) -> tuple[Formula, str, str] | None:
    """Return the formula of the first metric that is this estimate of one token and nothing more."""
    for metric, row in tables.metrics.items():
        identity = row.get("identity", {})
        policies = identity.get("distributions") or []
        plain = identity.get("quantity") == "kl_divergence" and identity.get("estimator") == name
        if plain and identity.get("extent") == "token" and identity.get("statistic") == "mean":
            formula = formula_of(tables, metric) if set(policies) <= set(_INPUTS) else None
            inputs = [_INPUTS[policy] for policy in policies] if formula is not None else []
            if formula is not None and set(formula.inputs) == {*inputs, "mask"}:
                return formula, inputs[0], inputs[1]
    return None
