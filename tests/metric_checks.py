"""What must hold for every generated function. The files in ``tests/generated`` say for which, and with which facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
import torch
from rlmetrics import functional
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricFunction, MetricState
from torch import Tensor

SEEDS = range(8)
LONELY_SEED = 4
WILD_SEED = 6
ZERO_SEED = 7
VOCABULARY = 6
Tensors = dict[str, Tensor]

VALUES = {"limit": 5, "end_token": 3, "unfilled": 4, "lower": -0.3, "upper": 0.4, "n": 3, "k": 2, "resamples": 25}
"""Values of parameters that have no default, or one that would take long."""

_TIES = torch.tensor([0.0, 0.0, 2e-4, 0.15, 1.0, 2.5], dtype=torch.float64)
"""Two inputs of one shape differ by noise of one of these sizes at each place, so that they often tie."""

_WILD = torch.tensor([0.0, 2.5, 12.0, 25.0], dtype=torch.float64)
"""The same for one seed that goes beyond every bound."""

_NEGATIVE = ("logprobs",)
_POSITIVE = ("entropy", "norm", "rate", "coefficient", "statistic", "weight")


@dataclass(frozen=True)
class Case:
    """A metric function and the facts about it that its spec promises.

    Attributes:
        id: The metric's id, or ``id@variant``.
        function: The function's name.
        atom: What a split of the data must keep whole.
        empty: The value over an empty population.
        additive: Whether there is an additive state.
        padding: Whether tokens outside the mask must not matter.
        gradient: The inputs that a gradient flows back to.
    """

    id: str
    function: str
    atom: str
    empty: str | int
    additive: bool
    padding: bool
    gradient: tuple[str, ...]

    @property
    def metric(self) -> MetricFunction:
        """The registry's entry."""
        return REGISTRY[self.id]

    def __str__(self) -> str:
        return self.id


# Inputs


def make_inputs(metric: MetricFunction, seed: int) -> Tensors:
    """Make float64 inputs of a metric: ragged, with ties, with values on both sides of every usual threshold."""
    generator = torch.Generator().manual_seed(seed)
    sizes = {
        "B": 7 + seed % 3,
        "T": 4 + seed % 4,
        "V": VOCABULARY,
        "N": 4 + seed % 5,
        "G": 3,
    }
    bases: dict[tuple[int, ...], Tensor] = {}
    inputs = {}
    for name, axes, dtype in metric.inputs:
        shape = tuple(sizes[axis] for axis in axes)
        if dtype == "float":
            base = bases.setdefault(shape, torch.randn(shape, generator=generator, dtype=torch.float64))
            sizes_of_noise = _WILD if seed == WILD_SEED else _TIES
            inputs[name] = _floats(name, base, sizes_of_noise, generator, round_to_quarters=seed % 3 == 1)
        elif name.endswith("mask") or name == "mask":
            inputs[name] = _mask(shape, seed, generator)
        elif dtype == "bool":
            inputs[name] = torch.rand(shape, generator=generator) < 0.5
        elif name == "group_ids":
            inputs[name] = _groups(shape[0], sizes["G"], generator, lonely=seed == LONELY_SEED)
        elif name == "tokens":
            inputs[name] = torch.randint(VOCABULARY, shape, generator=generator)
        else:
            inputs[name] = torch.randint(1, 9, shape, generator=generator)
    if "group_ids" in inputs:
        _even_out_a_group(inputs, 0.03 if seed % 3 == 2 else 0.0 if seed % 3 == 1 else 1.0)
    return inputs


def _even_out_a_group(inputs: Tensors, spread: float) -> None:
    """Draw the values of one group together: a spread of 0 makes them equal, 1 leaves them as they are."""
    chosen = inputs["group_ids"] == inputs["group_ids"][0]
    for name, value in inputs.items():
        if value.dim() == 1 and value.is_floating_point():
            centre = value[0].clone()
            inputs[name] = torch.where(chosen, centre + spread * (value - centre), value)


def _floats(name: str, base: Tensor, noise: Tensor, generator: torch.Generator, *, round_to_quarters: bool) -> Tensor:
    sizes = noise[torch.randint(len(noise), base.shape, generator=generator)]
    value = base + sizes * torch.randn(base.shape, generator=generator, dtype=torch.float64)
    if round_to_quarters:
        # Whole numbers where there is one per response, so that some groups hold equal ones only.
        value = (value * 4).round() / 4 if value.dim() > 1 else value.round()
    if name.endswith(_NEGATIVE):
        return -value.abs() - 0.0625
    return value.abs() + 0.0625 if any(word in name for word in _POSITIVE) else value


def _mask(shape: tuple[int, ...], seed: int, generator: torch.Generator) -> Tensor:
    rows, columns = shape
    if seed % 2:
        mask = torch.rand(shape, generator=generator) < 0.6
        mask[:, seed % columns] = True
    else:
        lengths = torch.randint(1, columns + 1, (rows, 1), generator=generator)
        mask = torch.arange(columns) < lengths
    if seed % 4 == 2:
        mask[seed % rows] = False
    return mask


def _groups(rows: int, groups: int, generator: torch.Generator, *, lonely: bool) -> Tensor:
    """Give every group an id out of order, and at least two responses, or only one to the last if it is ``lonely``."""
    ids = torch.randint(-50, 50, (1,), generator=generator) + torch.tensor([7, 0, 30])[:groups]
    members = torch.cat([torch.arange(groups), torch.arange(groups - lonely)])
    members = torch.cat([members, torch.randint(groups - lonely, (rows - len(members),), generator=generator)])
    return ids[members[torch.randperm(rows, generator=generator)]]


def make_parameters(metric: MetricFunction, seed: int) -> dict[str, Any]:
    """Return the required parameters, for odd seeds other values than the defaults for the rest, and once zero.

    Zero puts thresholds where inputs tie, so that it shows on which side equality counts.
    """
    values: dict[str, Any] = {}
    for name, default in metric.parameters.items():
        if default is None or name in VALUES:
            values[name] = VALUES.get(name, 0.5)
        elif seed == ZERO_SEED and isinstance(default, float):
            values[name] = 0.0
        elif seed % 2:
            values[name] = (
                not default
                if isinstance(default, bool)
                else default + 1
                if isinstance(default, int)
                else default * 1.4 + 0.01
            )
    return values


def cast(inputs: Mapping[str, Tensor], dtype: torch.dtype) -> Tensors:
    """Return the inputs with all floats in another dtype."""
    return {name: value.to(dtype) if value.is_floating_point() else value for name, value in inputs.items()}


# Checks


def check_value(case: Case) -> None:
    """Compare the function with the reference in float64 and in float32."""
    metric = case.metric
    assert metric.function is getattr(functional, case.function)
    finite = 0
    for seed in SEEDS:
        inputs, parameters = make_inputs(metric, seed), make_parameters(metric, seed)
        expected = metric.reference(**inputs, **parameters)
        finite += int(expected.isfinite().all())
        assert_equal(expected, metric.function(**inputs, **parameters), f"seed {seed}")
        single = cast(inputs, torch.float32)
        expected = metric.reference(**single, **parameters)
        assert_close(expected, metric.function(**single, **parameters), 1e-4, f"seed {seed}, float32")
    assert finite >= len(SEEDS) / 2, "most inputs must have a finite result, or the comparison shows nothing"


def check_merge(case: Case) -> None:
    """Compare the merged states of uneven parts, empty ones among them, with the whole."""
    metric = case.metric
    assert case.atom == metric.atom
    for seed in SEEDS:
        inputs, parameters = make_inputs(metric, seed), make_parameters(metric, seed)
        if all(not axes for _, axes, _ in metric.inputs):
            updates = [make_inputs(metric, seed + number) for number in range(5)]
            whole = metric.state(**parameters)
            for update in updates:
                whole.update(**update)
            parts = [metric.state(**parameters).update(**update) for update in updates]
            expected = whole.compute()
        else:
            parts = [metric.state(**parameters).update(**part) for part in split(metric, inputs, seed)]
            expected = metric.function(**inputs, **parameters)
        parts.insert(seed % (len(parts) + 1), metric.state(**parameters))
        assert_equal(expected, merged(parts, seed).compute(), f"seed {seed}")


def check_empty(case: Case) -> None:
    """Compare the value over nothing with the policy: of a fresh state, of no rows, and of an empty mask."""
    metric = case.metric
    parameters = make_parameters(metric, 0)
    assert case.empty == metric.empty
    expected = 0.0 if case.empty == 0 else float("nan")
    results = [metric.state(**parameters).compute()] if case.additive else []
    if any(axes for _, axes, _ in metric.inputs):
        nothing = {name: value[:0] if value.dim() else value for name, value in make_inputs(metric, 0).items()}
        results.append(metric.function(**nothing, **parameters))
    if case.padding and case.atom == "token" and "mask" in names_of(metric):
        inputs = make_inputs(metric, 0)
        inputs["mask"] = torch.zeros_like(inputs["mask"])
        results.append(metric.function(**inputs, **parameters))
    for result in results:
        if result.dim():
            assert 0.0 == result[:-2].sum().item()
            assert result[-2:].isnan().all()
        else:
            assert_equal(torch.tensor(expected, dtype=torch.float64), result, "nothing")


def check_padding(case: Case) -> None:
    """Fill what the mask leaves out with NaN, infinity and impossible ids: value and gradient may not change."""
    metric = case.metric
    for seed in SEEDS:
        inputs, parameters = make_inputs(metric, seed), make_parameters(metric, seed)
        filled = with_garbage(metric, inputs, seed)
        expected = metric.function(**inputs, **parameters)
        assert_equal(expected, metric.function(**filled, **parameters), f"seed {seed}")
        if expected.isfinite().all():
            for name, gradient in gradients(metric, filled, parameters).items():
                assert gradient.isfinite().all(), f"{name}, seed {seed}"
                if gradient.dim() >= 2:
                    assert 0.0 == gradient[~inputs["mask"]].abs().sum().item(), f"{name}, seed {seed}"


def with_garbage(metric: MetricFunction, inputs: Mapping[str, Tensor], seed: int) -> Tensors:
    """Return the inputs with garbage wherever the mask is false."""
    filled = dict(inputs)
    for name, axes, dtype in metric.inputs:
        if axes[:2] == ("B", "T") and name != "mask" and dtype != "bool":
            outside = ~inputs["mask"] if len(axes) == 2 else ~inputs["mask"].unsqueeze(-1)
            garbage = (float("nan"), float("inf"), float("-inf"))[seed % 3] if dtype == "float" else -100
            filled[name] = inputs[name].masked_fill(outside, garbage)
    return filled


def gradients(metric: MetricFunction, inputs: Mapping[str, Tensor], parameters: Mapping[str, Any]) -> Tensors:
    """Return the gradient with respect to every input that one flows back to."""
    leaves = {
        name: value.clone().requires_grad_() if value.is_floating_point() else value for name, value in inputs.items()
    }
    result = metric.function(**leaves, **parameters)
    if not result.requires_grad:
        return {}
    torch.autograd.backward(result)
    return {name: leaf.grad for name, leaf in leaves.items() if leaf.grad is not None}


def check_half_precision(case: Case) -> None:
    """Compare results of half-precision inputs with the reference on the same values: float32 or better inside."""
    metric = case.metric
    for dtype in (torch.float16, torch.bfloat16):
        for seed in (0, 3):
            inputs, parameters = cast(make_inputs(metric, seed), dtype), make_parameters(metric, seed)
            expected = metric.reference(**inputs, **parameters)
            assert_close(expected, metric.function(**inputs, **parameters), 1e-3, f"{dtype}, seed {seed}")


def check_gradient(case: Case) -> None:
    """Check that gradients reach exactly the inputs they should and are finite where the value is."""
    metric = case.metric
    for seed in SEEDS:
        inputs, parameters = make_inputs(metric, seed), make_parameters(metric, seed)
        if metric.reference(**inputs, **parameters).isfinite().all():
            found = gradients(metric, inputs, parameters)
            assert case.gradient == tuple(found)
            for name, gradient in found.items():
                assert gradient.isfinite().all(), f"{name}, seed {seed}"


def check_errors(case: Case) -> None:
    """Check that each wrong input raises one error that names it and says what was expected and what came."""
    metric = case.metric
    inputs, parameters = make_inputs(metric, 0), make_parameters(metric, 0)
    for name, axes, dtype in metric.inputs:
        dims = f"[{', '.join(axes)}]"
        wrong = {
            "no tensor": (TypeError, inputs[name].tolist()),
            "dtype": (TypeError, inputs[name].to(torch.int64 if dtype == "float" else torch.float32)),
            "rank": (ValueError, inputs[name].unsqueeze(0)),
        }
        for what, (error, value) in wrong.items():
            with pytest.raises(error) as caught:
                metric.function(**{**inputs, name: value}, **parameters)
            message = str(caught.value)
            assert message.startswith(f"{name}: expected a "), what
            assert dims in message, what
            assert "got " in message, what
        if axes and sum(axes[0] in other for _, other, _ in metric.inputs) > 1 and axes[0] == "B":
            with pytest.raises(ValueError, match=r"expected a tensor .* as in"):
                metric.function(**{**inputs, name: inputs[name][1:]}, **parameters)
        if case.additive:
            with pytest.raises(TypeError, match=f"missing input '{name}'"):
                metric.state(**parameters).update(**{other: value for other, value in inputs.items() if other != name})
    if not case.additive:
        with pytest.raises(TypeError, match="no additive state"):
            metric.state(**parameters)


# Splitting and merging


def split(metric: MetricFunction, inputs: Mapping[str, Tensor], seed: int) -> list[Tensors]:
    """Cut inputs into uneven parts, some of them empty, without cutting the metric's atom."""
    generator = torch.Generator().manual_seed(1000 + seed)
    if metric.atom == "group":
        parts = list(_by_group(metric, inputs, generator))
    else:
        parts = list(_by_rows(metric, inputs, generator))
    if metric.atom == "token":
        parts = [piece for part in parts for piece in _by_columns(metric, part, generator)]
    return parts


def _by_rows(metric: MetricFunction, inputs: Mapping[str, Tensor], generator: torch.Generator) -> Iterator[Tensors]:
    rows = max(inputs[name].shape[0] for name, axes, _ in metric.inputs if axes)
    cuts = [0, *sorted(torch.randint(rows + 1, (3,), generator=generator).tolist()), rows]
    for start, stop in pairwise(cuts):
        yield {name: inputs[name][start:stop] if axes else inputs[name] for name, axes, _ in metric.inputs}


def _by_columns(metric: MetricFunction, part: Mapping[str, Tensor], generator: torch.Generator) -> Iterator[Tensors]:
    widths = [part[name].shape[1] for name, axes, _ in metric.inputs if len(axes) > 1]
    cut = int(torch.randint(widths[0] + 1, (1,), generator=generator)) if widths else 0
    if not widths:
        yield dict(part)
        return
    for start, stop in ((0, cut), (cut, widths[0])):
        yield {name: part[name][:, start:stop] if len(axes) > 1 else part[name] for name, axes, _ in metric.inputs}


def _by_group(metric: MetricFunction, inputs: Mapping[str, Tensor], generator: torch.Generator) -> Iterator[Tensors]:
    ids = inputs["group_ids"]
    homes = {group: int(torch.randint(3, (1,), generator=generator)) for group in sorted(set(ids.tolist()))}
    home = torch.tensor([homes[group] for group in ids.tolist()])
    for number in range(3):
        yield {name: inputs[name][home == number] if axes else inputs[name] for name, axes, _ in metric.inputs}


def merged(parts: list[MetricState], seed: int) -> MetricState:
    """Merge neighbours in a random order of merges, which keeps the order of the data."""
    generator = torch.Generator().manual_seed(2000 + seed)
    while len(parts) > 1:
        place = int(torch.randint(len(parts) - 1, (1,), generator=generator))
        parts[place : place + 2] = [parts[place].merge(parts[place + 1])]
    return parts[0]


# Comparing


def names_of(metric: MetricFunction) -> tuple[str, ...]:
    """Return the names of a metric's inputs."""
    return tuple(name for name, _, _ in metric.inputs)


def assert_equal(expected: Tensor, actual: Tensor, what: str) -> None:
    """Compare float64 results, NaN equal to NaN."""
    assert torch.float64 == actual.dtype
    torch.testing.assert_close(
        actual, expected, rtol=1e-9, atol=1e-12, equal_nan=True, msg=lambda text: f"{what}: {text}"
    )


def assert_close(expected: Tensor, actual: Tensor, tolerance: float, what: str) -> None:
    """Compare results of narrower inputs, NaN equal to NaN."""
    torch.testing.assert_close(
        actual, expected, rtol=tolerance, atol=tolerance, equal_nan=True, msg=lambda text: f"{what}: {text}"
    )
