"""What must hold for every generated function. The files in ``tests/generated`` say for which, and with which facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import torch
from metric_inputs import SEEDS, TINY, Tensors, is_wild, make_inputs, make_parameters
from rlmetrics import functional
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricFunction, MetricState
from torch import Tensor

LARGEST = 1e18
"""Beyond it a term, such as a squared one, may exceed what float32 holds."""


CHECKS = ("value", "merge", "empty", "padding", "half_precision", "gradient", "errors")
"""What is checked of a function, by `check`: the first two for each one."""
PROPERTIES = CHECKS[2:]
"""The others: for each combination of operations, and in ``tests/lanes/every`` for each function."""


@dataclass(frozen=True)
class Case:
    """A metric function and the facts about it that its spec promises.

    Attributes:
        id: The metric's id, or ``id@variant``.
        atom: What a split of the data must keep whole.
        empty: The value over an empty population.
        padding: Whether tokens outside the mask must not matter.
        gradient: The inputs that a gradient flows back to.
    """

    id: str
    atom: str
    empty: str
    padding: bool
    gradient: tuple[str, ...]

    @property
    def function(self) -> str:
        """The function's name."""
        return re.sub(r"[/@]", "_", self.id)

    @property
    def metric(self) -> MetricFunction:
        """The registry's entry."""
        return REGISTRY[self.id]

    def __str__(self) -> str:
        return self.id


def cases(table: str) -> list[Case]:
    """Read a table: a line for each function, of its id, its atom, its empty value, ``padding`` or -, its gradients.

    A line that begins with blanks goes on with the one before.
    """
    found = []
    for line in table.replace("\n  ", " ").strip().splitlines():
        key, atom, empty, padding, *gradient = line.split()
        found.append(Case(key, atom, empty, padding == "padding", tuple(gradient)))
    return found


def check(name: str, case: Case) -> None:
    """Run one of `CHECKS`; only what has padding is checked for it."""
    if case.padding or name != "padding":
        globals()[f"check_{name}"](case)


def cast(inputs: Mapping[str, Tensor], dtype: torch.dtype) -> Tensors:
    """Return the inputs with all floats in another dtype."""
    return {name: value.to(dtype) if value.is_floating_point() else value for name, value in inputs.items()}


@cache
def by_reference(metric: MetricFunction, seed: int) -> Tensor:
    """Return what the reference gives for the inputs of a seed, in float64."""
    return metric.reference(**make_inputs(metric, seed), **make_parameters(metric, seed))


# Checks


def check_value(case: Case) -> None:
    """Compare the function with the reference in float64 and in float32."""
    metric = case.metric
    assert metric.function is getattr(functional, case.function)
    finite = 0
    for seed in SEEDS:
        inputs, parameters = make_inputs(metric, seed), make_parameters(metric, seed)
        expected = by_reference(metric, seed)
        finite += int(expected.isfinite().all())
        assert_equal(expected, metric.function(**inputs, **parameters), f"seed {seed}")
        single = cast(inputs, torch.float32)
        expected = metric.reference(**single, **parameters)
        if not bool((expected.abs() > LARGEST).any()):
            found = metric.function(**single, **parameters)
            assert not (expected.isfinite() & ~found.isfinite()).any(), overflow(metric, single, expected, found, seed)
            assert_close(expected, found, _tolerance(seed), f"seed {seed}, float32")
    for seed in TINY:
        inputs, parameters = make_inputs(metric, seed), make_parameters(metric, seed)
        assert_equal(by_reference(metric, seed), metric.function(**inputs, **parameters), f"seed {seed}")
    assert finite >= len(SEEDS) / 2, "most inputs must have a finite result, or the comparison shows nothing"


def overflow(metric: MetricFunction, inputs: Tensors, expected: Tensor, found: Tensor, seed: int) -> str:
    """Return what to tell an author whose formula leaves the numbers that float32 holds."""
    spans = [
        f"  {name}: {tuple(value.shape)}, from {float(value.min()):g} to {float(value.max()):g}"
        for name, value in inputs.items()
        if value.is_floating_point() and value.numel()
    ]
    return "\n".join(
        [
            f"{metric.id}: {found.tolist()} in float32, where float64 gives {expected.tolist()} (seed {seed}), with",
            *spans,
            "float32 ends at 3.4e38, which exp(89) and the square of 2e19 exceed: bound what is exponentiated or",
            "squared, as clamp(ref_logprobs - logprobs, -20, 20) does in kl/reference/k3@clamped, or subtract the",
            "maximum before exp. If frameworks overflow too, keep their formula and add a clamped variant.",
        ]
    )


def _tolerance(seed: int) -> float:
    """Return how exact float32 is: where numbers go beyond every bound, products of exponentials lose digits."""
    return 1e-2 if is_wild(seed) else 1e-4


def check_merge(case: Case) -> None:
    """Compare the merged states of uneven parts, empty ones among them, with the whole."""
    metric = case.metric
    assert case.atom == metric.atom
    for seed in SEEDS:
        inputs, parameters = make_inputs(metric, seed), make_parameters(metric, seed)
        if not metric.formula and metric.atom == "batch":
            # A mean over batches, which a batch with nothing in it does not change.
            updates = [make_inputs(metric, seed + number) for number in range(4)]
            updates.insert(seed % 5, nothing_of(inputs))
            parts = [metric.state(**parameters).update(**update) for update in updates]
            values = [metric.function(**update, **parameters) for update in updates]
            expected = torch.stack([value for value in values if not value.isnan()]).mean()
        elif all(not axes for _, axes, _ in metric.inputs):
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
    assert case.empty == str(metric.empty)
    expected = 0.0 if case.empty == "0" else float("nan")
    results = [metric.state(**parameters).compute()]
    if any(axes for _, axes, _ in metric.inputs):
        nothing = nothing_of(make_inputs(metric, 0))
        results.append(metric.function(**nothing, **parameters))
        results.append(metric.state(**parameters).update(**nothing).compute())
    if case.padding and case.atom == "token" and "mask" in names_of(metric):
        inputs = make_inputs(metric, 0)
        inputs["mask"] = torch.zeros_like(inputs["mask"])
        results.append(metric.function(**inputs, **parameters))
    for result in results:
        if result.dim():
            assert result[:-2].sum().item() == 0.0
            assert result[-2:].isnan().all()
        else:
            assert_equal(torch.tensor(expected, dtype=torch.float64), result, "nothing")


def nothing_of(inputs: Mapping[str, Tensor]) -> Tensors:
    """Return the inputs without any row."""
    return {name: value[:0] if value.dim() else value for name, value in inputs.items()}


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
                    assert gradient[~inputs["mask"]].abs().sum().item() == 0.0, f"{name}, seed {seed}"


_GARBAGE = torch.tensor([float("nan"), float("inf"), float("-inf"), 1e30, -1e30])


def with_garbage(metric: MetricFunction, inputs: Mapping[str, Tensor], seed: int) -> Tensors:
    """Return the inputs with garbage of every kind wherever the mask is false."""
    filled = dict(inputs)
    for name, axes, dtype in metric.inputs:
        if axes[:2] == ("B", "T") and name != "mask" and dtype != "bool":
            value = inputs[name]
            outside = ~inputs["mask"] if len(axes) == 2 else ~inputs["mask"].unsqueeze(-1)
            kinds = torch.arange(seed, seed + value.numel()).reshape(value.shape) % len(_GARBAGE)
            garbage = _GARBAGE[kinds].to(value.dtype) if dtype == "float" else torch.full_like(value, -100)
            filled[name] = torch.where(outside, garbage, value)
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
        if by_reference(metric, seed).isfinite().all():
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
        with pytest.raises(TypeError, match=f"missing input '{name}'"):
            metric.state(**parameters).update(**{other: value for other, value in inputs.items() if other != name})


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
    _assert_close(expected, actual, 1e-9, 1e-12, what)


def assert_close(expected: Tensor, actual: Tensor, tolerance: float, what: str) -> None:
    """Compare results of narrower inputs, NaN equal to NaN."""
    _assert_close(expected, actual, tolerance, tolerance, what)


def _assert_close(expected: Tensor, actual: Tensor, relative: float, absolute: float, what: str) -> None:
    # The comparison that explains differences takes ten times as long as finding none.
    alike = (expected.shape, expected.dtype) == (actual.shape, actual.dtype)
    if alike and torch.allclose(actual, expected, rtol=relative, atol=absolute, equal_nan=True):
        return
    torch.testing.assert_close(
        actual, expected, rtol=relative, atol=absolute, equal_nan=True, msg=lambda text: f"{what}: {text}"
    )
