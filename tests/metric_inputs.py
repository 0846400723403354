"""Tensors and parameters for any metric function, made so that faults show.

Each seed stands for a situation. Between them, inputs tie with each other and with thresholds, lie on both sides of
every usual threshold and beyond every bound, come in many short rows and in few long ones, and leave parameters at
their defaults, all or some.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from rlmetrics.state import MetricFunction
from torch import Tensor

VOCABULARY = 6
Tensors = dict[str, Tensor]

VALUES = {"limit": 5, "end_token": 3, "unfilled": 4, "lower": -0.3, "upper": 0.4, "n": 3, "k": 2}
"""Values of parameters that have no default."""

SHORT = {"resamples": 25}
"""Values of parameters whose default would take long."""

SIZES = ("n", "k", "resamples")
"""Parameters that are sizes: the smallest one is 1."""

_TIES = (0.0, 0.0, 2e-4, 0.15, 1.0, 2.5)
_WILD = (0.0, 2.5, 13.0, 25.0)
_NEGATIVE = ("logprobs",)
_POSITIVE = ("entropy", "norm", "rate", "coefficient", "statistic", "weight")


@dataclass(frozen=True)
class Situation:
    """What the inputs of a seed are like.

    Attributes:
        rows: Number of responses.
        columns: Number of positions of each.
        noise: Two inputs of one shape differ by noise of one of these sizes at each place.
        tilt: What each further input of one shape has more than the one before it.
        quarters: Whether numbers are whole quarters, or whole numbers where there is one per response.
        scattered: Whether masks have holes; otherwise they are true up to the length of a response.
        empty_row: Whether a response has no token.
        lonely: Whether a group has only one response.
        spread: How far the numbers of one group lie apart, as a share of what they would; 0 makes them equal.
        parameters: Which values parameters have; see :func:`make_parameters`.
        counts: Least and largest whole number.
    """

    rows: int = 7
    columns: int = 5
    noise: tuple[float, ...] = _TIES
    tilt: float = 0.0
    quarters: bool = False
    scattered: bool = False
    empty_row: bool = False
    lonely: bool = False
    spread: float = 1.0
    parameters: str = "default"
    counts: tuple[int, int] = (1, 8)


SITUATIONS = (
    Situation(columns=4),
    Situation(rows=8, quarters=True, scattered=True, spread=0.0, parameters="changed"),
    Situation(rows=9, columns=6, empty_row=True, spread=0.03),
    Situation(columns=7, scattered=True, parameters="changed"),
    Situation(rows=8, columns=4, quarters=True, lonely=True, spread=0.0, counts=(0, 8)),
    Situation(rows=9, scattered=True, spread=0.03, parameters="changed"),
    Situation(columns=6, noise=_WILD, empty_row=True, counts=(1, 6000)),
    Situation(rows=8, columns=7, quarters=True, scattered=True, spread=0.0, parameters="zero"),
    Situation(rows=9, columns=6, quarters=True, parameters="one", counts=(0, 3)),
    Situation(rows=3, columns=9, tilt=0.7, parameters="some"),
    Situation(rows=3, columns=8, tilt=-0.7, quarters=True, parameters="some", counts=(0, 2)),
    Situation(rows=3, columns=9, noise=_WILD, scattered=True, parameters="some", counts=(1, 6000)),
    Situation(rows=4, columns=3, tilt=-0.4, empty_row=True, lonely=True, parameters="some", counts=(1, 2)),
    # Of one response, every statistic over responses shows what it is made of.
    Situation(rows=1, columns=9, tilt=1.0, counts=(0, 2)),
    Situation(rows=1, columns=8, tilt=-1.0, scattered=True, quarters=True),
    Situation(rows=1, columns=6, noise=(0.1, 0.8, 6.0), tilt=0.3, parameters="some", counts=(0, 1)),
    # Everything is exactly on the threshold.
    Situation(rows=2, columns=6, noise=(0.0,), quarters=True, parameters="zero"),
    Situation(rows=2, columns=6, noise=(0.0,), quarters=True, parameters="one"),
)
SEEDS = range(len(SITUATIONS))
TINY = (41, 131, 144, 194, 196, 268, 320, 322, 409, 640, 676, 708, 745, 764, 780, 814, 908, 939, 949, 985)
"""Seeds of situations that are drawn: one or two short responses, so that each number decides. Of a thousand seeds,
these tell every planted fault from the function that any of them tells; see ``tests/programs/mutation/mutation.py``."""


@cache
def situation_of(seed: int) -> Situation:
    """Return the situation of a seed."""
    if seed in SEEDS:
        return SITUATIONS[seed]
    draw = random.Random(seed)
    return Situation(
        rows=draw.choice((1, 1, 2)),
        columns=draw.randint(1, 4),
        noise=draw.choice((_TIES, _TIES, _WILD, (0.0,), (1.5,), (6.0,), (20.0,))),
        tilt=draw.choice((0.0, 0.5, -0.5, 2.0, -2.0)),
        quarters=draw.random() < 0.4,
        scattered=draw.random() < 0.3,
        empty_row=draw.random() < 0.15,
        spread=draw.choice((0.0, 0.03, 1.0)),
        parameters=draw.choice(("default", "default", "some", "some", "changed", "zero", "one")),
        counts=draw.choice(((0, 2), (0, 9), (1, 9), (1, 6000))),
    )


def make_inputs(metric: MetricFunction, seed: int) -> Tensors:
    """Make float64 inputs of a metric for a seed; metrics of the same inputs share the tensors, which none may change.

    Only the mapping is the caller's own.
    """
    shared = _make_inputs(tuple((name, tuple(axes), dtype) for name, axes, dtype in metric.inputs), seed)
    return dict(shared)


@cache
def _make_inputs(described: tuple[tuple[str, tuple[str, ...], str], ...], seed: int) -> Tensors:
    situation = situation_of(seed)
    generator = torch.Generator().manual_seed(seed)
    sizes = {
        "B": situation.rows,
        "T": situation.columns,
        "V": VOCABULARY,
        "N": (4 if seed in SEEDS else 1) + seed % 5,
        "G": 3,
    }
    bases: dict[tuple[int, ...], Tensor] = {}
    inputs: Tensors = {}
    for name, axes, dtype in described:
        shape = tuple(sizes[axis] for axis in axes)
        if dtype == "float":
            base = bases.setdefault(shape, torch.randn(shape, generator=generator, dtype=torch.float64))
            inputs[name] = _floats(name, base, situation, generator)
            bases[shape] = base + situation.tilt
        elif name.endswith("mask"):
            inputs[name] = _mask(shape, situation, seed, generator)
        elif dtype == "bool":
            inputs[name] = torch.rand(shape, generator=generator) < 0.5
        elif name == "group_ids":
            inputs[name] = _groups(shape[0], generator, lonely=situation.lonely)
        elif name == "tokens":
            inputs[name] = torch.randint(VOCABULARY, shape, generator=generator)
        else:
            least, largest = situation.counts
            inputs[name] = torch.randint(least, largest + 1, shape, generator=generator)
    if "group_ids" in inputs:
        _even_out_a_group(inputs, situation.spread)
    return inputs


def make_parameters(metric: MetricFunction, seed: int) -> dict[str, Any]:
    """Return the parameters that are set for a seed, those without a default among them.

    Zeros and ones put thresholds where inputs tie, so that it shows on which side equality counts. With ``some``, about
    half of the parameters keep their default.
    """
    kind = situation_of(seed).parameters
    generator = torch.Generator().manual_seed(3000 + seed)
    values: dict[str, Any] = {}
    for name, default in metric.parameters.items():
        chance, factor = torch.rand(2, generator=generator).tolist()
        if name in SIZES and kind == "one":
            values[name] = 1
        elif name in SHORT:
            values[name] = SHORT[name]
        elif default is None:
            values[name] = _required(name, kind)
        elif isinstance(default, float) and kind in ("zero", "one"):
            values[name] = float(kind == "one")
        elif kind == "changed" or (kind == "some" and chance < 0.5):
            values[name] = _other(default, 1.4 if kind == "changed" else 0.2 + 1.6 * factor)
    return values


def is_wild(seed: int) -> bool:
    """Whether a seed's inputs go beyond every bound."""
    return situation_of(seed).noise is _WILD


def _required(name: str, kind: str) -> float:
    if name in ("lower", "upper") and kind in ("zero", "one"):
        return float(kind == "one")
    return VALUES.get(name, 0.5)


def _other(default: float, factor: float) -> float:
    if isinstance(default, bool):
        return not default
    return default + 1 if isinstance(default, int) else default * factor + 0.01


def _even_out_a_group(inputs: Tensors, spread: float) -> None:
    """Draw the values of one group together."""
    chosen = inputs["group_ids"] == inputs["group_ids"][0]
    for name, value in inputs.items():
        if value.dim() == 1 and value.is_floating_point():
            centre = value[0].clone()
            inputs[name] = torch.where(chosen, centre + spread * (value - centre), value)


def _floats(name: str, base: Tensor, situation: Situation, generator: torch.Generator) -> Tensor:
    noise = torch.tensor(situation.noise, dtype=torch.float64)
    sizes = noise[torch.randint(len(noise), base.shape, generator=generator)]
    value = base + sizes * torch.randn(base.shape, generator=generator, dtype=torch.float64)
    if situation.quarters:
        # Whole numbers where there is one per response, so that some groups hold equal ones only.
        value = (value * 4).round() / 4 if value.dim() > 1 else value.round()
    least = 0.25 if situation.quarters else 0.0625
    if name.endswith(_NEGATIVE):
        return -value.abs() - least
    return value.abs() + least if any(word in name for word in _POSITIVE) else value


def _mask(shape: tuple[int, ...], situation: Situation, seed: int, generator: torch.Generator) -> Tensor:
    rows, columns = shape
    if situation.scattered:
        mask = torch.rand(shape, generator=generator) < 0.6
        mask[:, seed % columns] = True
    else:
        lengths = torch.randint(1, columns + 1, (rows, 1), generator=generator)
        mask = torch.arange(columns) < lengths
    if situation.empty_row:
        mask[seed % rows] = False
    return mask


def _groups(rows: int, generator: torch.Generator, *, lonely: bool) -> Tensor:
    """Give every group an id out of order, and at least two responses, or only one to the last if it is ``lonely``."""
    groups = min(3, max(1, rows // 2))
    ids = torch.randint(-50, 50, (1,), generator=generator) + torch.tensor([7, 0, 30])[:groups]
    alone = int(lonely and groups > 1)
    members = torch.cat([torch.arange(groups), torch.arange(groups - alone)])[:rows]
    members = torch.cat([members, torch.randint(groups - alone, (rows - len(members),), generator=generator)])
    return ids[members[torch.randperm(rows, generator=generator)]]
