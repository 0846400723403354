"""Generated code compiles whole, never synchronises, differentiates safely and takes half precision."""

from __future__ import annotations

import math

import pytest
import torch
from formula.formula_support import assert_same, compiled, expected, make, metric_function, run, update_function, used
from torch._subclasses.fake_tensor import FakeTensorMode

LET = {"ratio": "exp(logprobs - old_logprobs)", "x": "logprobs - old_logprobs"}

KINDS = [
    "mean(0.5 * x ** 2)",
    "mean((ratio < 1 - clip) | (ratio > 1 + clip))",
    "mean(maximum(-advantages * ratio, -advantages * clamp(ratio, 1 - clip, 1 + clip)))",
    "1 - var(advantages - logprobs) / var(advantages)",
    "corr(logprobs, advantages) + cov(logprobs, advantages)",
    "min(x) + max(x) + std(x)",
    "at_max(x, advantages) + quantile(x, level=0.9)",
    "mean(log(advantages * advantages))",
    "mean(seq_mean(log(advantages * advantages)), over=seq_any(mask))",
    "mean(1 / advantages)",
    "mean(seq_sum(x)) + mean(seq_max(x)) + mean(seq_last(x))",
    "mean(log(per_token(exp(scores)) * abs(advantages)))",
    "mean(scores - per_sequence(group_mean(scores))) + max(group_max(scores))",
    "mean(group_std(scores), over=group_count() > 1)",
    "mean(group_std(scores, ddof=0) == 0)",
    "mean(entropy(logits)) + mean(log_prob(logits, tokens)) + mean(logsumexp(logits))",
    "mean(sum_vocab(softmax(logits) * (log_softmax(logits) - log_softmax(ref_logits))))",
    "mean(where(mask, advantages ** 2, 0), over=everything)",
    "mean(advantages ** 2, over=mask & (advantages > 0))",
    "histogram(x, low=-1, high=1, bins=4)",
    "std(times) + max(times)",
    "last(coefficient) * mean(x)",
    "where(mean(x) > 0, mean(x), 0)",
]

DIFFERENTIABLE = [
    formula for formula in KINDS if not formula.startswith(("histogram", "mean((ratio", "mean(group_std(scores, d"))
]


@pytest.mark.parametrize("formula", KINDS)
def test_nothing_waits_for_the_device(formula: str) -> None:
    """On fake tensors, which have no values, the code runs through: no ``.item()``, no shape that depends on data."""
    source = compiled(formula, LET, empty=0)
    function = metric_function(source)
    values = used(source, make(0))
    with FakeTensorMode() as mode:
        tensors = {name: mode.from_tensor(tensor) for name, tensor in values.items()}
        result = function(**tensors)
    assert torch.float64 == result.dtype


@pytest.mark.parametrize("formula", [KINDS[place] for place in (2, 3, 6, 10, 12, 13, 15, 16, 19)])
def test_compiles_as_one_graph(formula: str) -> None:
    """``torch.compile(fullgraph=True)`` accepts the code, and its result is the same."""
    source = compiled(formula, LET, empty=0)
    function = metric_function(source)
    tensors = used(source, make(1))
    whole = torch.compile(function, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(whole(**tensors), function(**tensors), equal_nan=True)


@pytest.mark.parametrize("garbage", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("formula", DIFFERENTIABLE)
def test_garbage_in_padding_reaches_neither_value_nor_gradient(formula: str, garbage: float) -> None:
    """With NaN or infinity in padding, value and gradients are those of clean padding, and zero in the padding."""
    source = compiled(formula, LET)
    clean, dirty = used(source, make(2)), used(source, make(2))
    mask = make(2)["mask"]
    for tensors in (clean, dirty):
        for name, tensor in tensors.items():
            if tensor.is_floating_point():
                # Kinks, poles and roots are not what is tested.
                tensors[name] = torch.where(tensor == 0, 0.3, tensor)
    for tensor in dirty.values():
        if tensor.is_floating_point() and tensor.dim() > 1:
            tensor[~mask] = garbage
    results = []
    for tensors in (clean, dirty):
        leaves = {name: tensor.requires_grad_() for name, tensor in tensors.items() if tensor.is_floating_point()}
        value = metric_function(source)(**tensors)
        torch.autograd.backward(value)
        results.append((value.detach(), {name: leaf.grad for name, leaf in leaves.items()}))
    (value, gradients), (dirty_value, dirty_gradients) = results
    torch.testing.assert_close(dirty_value, value)
    for name, gradient in dirty_gradients.items():
        assert gradient is not None
        assert bool(gradient.isfinite().all()), name
        torch.testing.assert_close(gradient, gradients[name])
        if gradient.dim() > 1:
            assert gradient[~mask].abs().sum().item() == 0


@pytest.mark.parametrize("formula", DIFFERENTIABLE)
def test_gradient_is_the_derivative(formula: str) -> None:
    """Gradients agree with finite differences."""
    source = compiled(formula, LET)
    tensors = used(source, {**make(5, batch=3, width=3), "group_ids": torch.tensor([7, 0, 7])})
    generator = torch.Generator().manual_seed(9)
    for name, tensor in tensors.items():
        if tensor.is_floating_point():
            noise = torch.rand(tensor.shape, generator=generator, dtype=tensor.dtype) * 0.1 + 0.05
            tensors[name] = tensor + noise
    leaves = {name: tensor.requires_grad_() for name, tensor in tensors.items() if tensor.is_floating_point()}
    others = {name: tensor for name, tensor in tensors.items() if name not in leaves}
    function = metric_function(source)

    def of_leaves(*values: torch.Tensor) -> torch.Tensor:
        return function(**dict(zip(leaves, values, strict=True)), **others)

    assert torch.autograd.gradcheck(of_leaves, tuple(leaves.values()), nondet_tol=1e-9)


def test_no_gradient_through_a_spread_of_zero() -> None:
    """The gradient of a standard deviation of equal values is zero, not NaN."""
    scores = torch.ones(4, dtype=torch.float64, requires_grad=True)
    source = compiled("std(scores) + mean(group_std(scores), over=group_count() > 1)")
    torch.autograd.backward(run(source, {**make(0), "scores": scores}))
    assert scores.grad is not None
    assert scores.grad.tolist() == [0.0] * 4


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("formula", KINDS)
def test_low_precision_inputs_are_widened(formula: str, dtype: torch.dtype) -> None:
    """Half-precision inputs give the result of the same numbers in float32, summed in float64."""
    tensors = {
        name: tensor.to(dtype) if tensor.is_floating_point() else tensor for name, tensor in make(4, batch=6).items()
    }
    exact = {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}
    actual = run(compiled(formula, LET), tensors)
    assert torch.float64 == actual.dtype
    assert_same(expected(formula, exact, LET), actual, formula, tolerance=2e-5)


@pytest.mark.parametrize("formula", ["sum(logprobs)", "sum(seq_sum(logprobs))", "mean(logprobs) * count(mask)"])
def test_long_sums_stay_exact(formula: str) -> None:
    """A million float32 tenths sum to what float64 says, without the rounding of float32 sums."""
    tenth = torch.tensor(0.1, dtype=torch.float32)
    tensors = {**make(0), "logprobs": tenth.expand(10, 100_000), "mask": torch.ones(10, 100_000, dtype=torch.bool)}
    assert tenth.double().item() * 1e6 == pytest.approx(run(compiled(formula), tensors).item(), rel=1e-9)


def test_variance_far_from_zero() -> None:
    """The variance of values around a billion is not lost to cancellation, in one update or merged."""
    values = torch.tensor([[1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3]], dtype=torch.float64)
    tensors = {**make(0), "logprobs": values, "mask": torch.ones(1, 4, dtype=torch.bool)}
    assert run(compiled("var(logprobs)"), tensors).item() == pytest.approx(5 / 3)


def test_masks_of_integers_are_masks() -> None:
    """A mask of zeros and ones counts like a boolean one."""
    tensors = make(0)
    wanted = run(compiled("mean(logprobs)"), tensors)
    assert run(compiled("mean(logprobs)"), {**tensors, "mask": tensors["mask"].long()}) == wanted


def test_vocabulary_is_visited_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """However small the chunks, the result and the gradient are the same."""
    formula = "mean(entropy(logits / 2)) + mean(log_prob(logits, tokens)) + mean(sum_vocab(softmax(logits) * logits))"
    results = []
    for elements in (1 << 24, 7):
        for name in ("SMALLEST_CHUNK", "LARGEST_CHUNK"):
            monkeypatch.setattr(f"rlmetrics.state._chunks.{name}", elements)
        tensors = make(3)
        logits = tensors["logits"].requires_grad_()
        value = run(compiled(formula), tensors)
        torch.autograd.backward(value)
        results.append((value.detach(), logits.grad))
    torch.testing.assert_close(results[1], results[0])


def test_impossible_tokens_add_no_entropy() -> None:
    """Logits of minus infinity, as masked vocabularies have, leave entropy and gradient finite."""
    tensors = make(0)
    tensors["logits"][..., 0] = -math.inf
    logits = tensors["logits"].requires_grad_()
    value = run(compiled("mean(entropy(logits))"), tensors)
    torch.autograd.backward(value)
    assert_same(expected("mean(entropy(logits))", {**tensors, "logits": logits.detach()}), value)
    assert logits.grad is not None
    assert bool(logits.grad.isfinite().all())


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("logprobs", (4, 1), "logprobs: expected shape (4, 5) like mask, got (4, 1)"),
        ("mask", (4,), "mask: expected 2 dimensions, got shape (4,)"),
        ("scores", (3,), "scores: expected shape (4,), the rows of logits, got (3,)"),
        ("logits", (4, 4, 3), "mask: expected shape (4, 4), the rows of logits, got (4, 5)"),
    ],
)
def test_wrong_shapes_are_refused(name: str, shape: tuple[int, ...], message: str) -> None:
    """A tensor that would broadcast silently is an error that names it."""
    source = compiled("mean(logprobs * per_token(scores)) + mean(entropy(logits))")
    tensors = {**make(0), name: torch.ones(shape)}
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        run(source, tensors)
    assert message == str(caught.value)


def test_an_update_is_one_float64_tensor() -> None:
    """The slots of an update lie in one flat float64 tensor without a gradient path to break."""
    source = compiled("corr(logprobs, advantages) + max(logprobs) + last(coefficient)")
    state = update_function(source)(**used(source, make(0)))
    assert torch.float64 == state.dtype
    assert state.numel() == 6 + 1 + 1 + 2
