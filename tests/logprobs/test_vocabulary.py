"""Log-probabilities and entropies over a vocabulary: right, differentiable, and small in memory."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
import torch
from generate_support import environment
from hypothesis import given, settings
from hypothesis import strategies as st
from logprobs.heads import SHAPES, Inputs, Tensors, head_inputs, with_gradients
from rlmetrics import logprobs
from rlmetrics.suites import SFTSuite
from torch import Tensor

from .memory_peak import peak_bytes


def by_logits(inputs: Inputs, temperature: float = 1.0) -> Tensors:
    """Return log-probabilities and entropies the plain way, through all logits, in float64."""
    hidden, weight, bias = (inputs[name].double() for name in ("hidden", "weight", "bias"))
    hidden = hidden.masked_fill(~inputs["mask"].unsqueeze(-1), 0)
    tokens = inputs["tokens"].masked_fill(~inputs["mask"], 0)
    log_probs = torch.log_softmax((hidden @ weight.T + bias) / temperature, -1)
    return log_probs.gather(-1, tokens.unsqueeze(-1)).squeeze(-1), -(log_probs.exp() * log_probs).sum(-1)


@given(
    seed=st.integers(0, 10_000),
    block=st.integers(1, 20),
    vocabulary_size=st.integers(1, 17),
    temperature=st.sampled_from([1.0, 0.7, 2.0]),
)
@settings(deadline=None, max_examples=40)
def test_head_agrees_with_logits(seed: int, block: int, vocabulary_size: int, temperature: float) -> None:
    """Whatever the blocks: the same values and gradients as through all logits, to the last digits of float64."""
    inputs = head_inputs(torch.float64, seed, vocabulary_size)

    def in_blocks(leaves: Inputs) -> Tensors:
        return logprobs.head_log_prob_entropy(**leaves, temperature=temperature, block=block)

    expected = with_gradients(lambda leaves: by_logits(leaves, temperature), inputs)
    for one, other in zip(expected, with_gradients(in_blocks, inputs), strict=True):
        torch.testing.assert_close(other, one, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("dtype", "result", "tolerance"),
    [
        (torch.float64, torch.float64, 1e-12),
        (torch.float32, torch.float32, 1e-5),
        (torch.bfloat16, torch.float32, 1e-5),
        (torch.float16, torch.float32, 1e-5),
    ],
)
def test_head_computes_in_float32_or_better(dtype: torch.dtype, result: torch.dtype, tolerance: float) -> None:
    """Half-precision inputs give what float64 gives for the same inputs, to float32; gradients are rounded once."""
    inputs = head_inputs(dtype)
    expected = with_gradients(by_logits, inputs)
    actual = with_gradients(lambda leaves: logprobs.head_log_prob_entropy(**leaves, block=4), inputs)
    for one, other in zip(expected[:2], actual[:2], strict=True):
        assert result == other.dtype
        torch.testing.assert_close(other.double(), one, rtol=tolerance, atol=tolerance)
    for one, other in zip(expected[2:], actual[2:], strict=True):
        assert dtype == other.dtype
        rounding = max(tolerance, torch.finfo(dtype).eps)
        torch.testing.assert_close(other.double(), one.double(), rtol=rounding, atol=rounding)


def test_gradcheck() -> None:
    """Analytic gradients are those that small differences give, of every input and both results."""
    inputs = head_inputs(torch.float64)
    leaves = [inputs[name].requires_grad_() for name in ("hidden", "weight", "bias")]

    def head(hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensors:
        return logprobs.head_log_prob_entropy(hidden, weight, inputs["tokens"], bias=bias, block=3)

    assert torch.autograd.gradcheck(head, leaves)
    logits = torch.randn(2, 5, 7, dtype=torch.float64, requires_grad=True)
    tokens = torch.randint(7, (2, 5))
    assert torch.autograd.gradcheck(lambda x: (logprobs.log_prob(x, tokens), logprobs.entropy(x)), logits)


def shaped_logits(inputs: Inputs, shape: Inputs) -> Tensor:
    """Return the logits of a model before the temperature, the plain way, in float64."""
    hidden, weight, bias = (inputs[name].double() for name in ("hidden", "weight", "bias"))
    hidden = hidden.masked_fill(~inputs["mask"].bool().unsqueeze(-1), 0)
    scale: float = shape.get("logit_scale", 1.0)
    logits: Tensor = (hidden @ weight.T + bias) * scale
    cap: float = shape.get("softcap", 0.0)
    return cap * torch.tanh(logits / cap) if cap else logits


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("block", [3, 100])
@pytest.mark.parametrize("integers", [False, True])
def test_statistics_of_a_head(shape: Inputs, block: int, integers: bool) -> None:
    """All that metrics need of logits that are scaled, capped and divided, as the logits themselves give it."""
    inputs = head_inputs(torch.float64, seed=3)
    mask = inputs["mask"]
    logits = shaped_logits(inputs, shape)
    tokens = inputs["tokens"].masked_fill(~mask, 0)
    log_probs = torch.log_softmax(logits / shape.get("temperature", 1.0), -1)

    given = {**inputs, "mask": mask.to(torch.int64) if integers else mask}
    found = logprobs.head_statistics(**given, **shape, block=block)

    torch.testing.assert_close(log_probs.gather(-1, tokens.unsqueeze(-1)).squeeze(-1), found.logprobs)
    torch.testing.assert_close(-(log_probs.exp() * log_probs).sum(-1), found.token_entropy)
    assert (logits.argmax(-1) == tokens)[mask].tolist() == found.is_top1[mask].tolist()
    torch.testing.assert_close(logits.mean(-1), found.mean_logits)


def test_of_equal_logits_the_first_leads() -> None:
    """A token is the most likely one only if no word before it is as likely, as argmax has it, across blocks."""
    hidden, weight = torch.zeros(1, 4, 2), torch.ones(4, 2)
    tokens = torch.arange(4).view(1, 4)
    assert logprobs.head_statistics(hidden, weight, tokens, block=1).is_top1.tolist() == [[True, False, False, False]]


def test_suites_without_logits() -> None:
    """An SFT suite is fed from hidden states and a head alone."""
    inputs = head_inputs(torch.float32)
    found = logprobs.head_statistics(**inputs)
    suite = SFTSuite().update(
        logprobs=found.logprobs, token_entropy=found.token_entropy, is_top1=found.is_top1, mask=inputs["mask"]
    )
    assert {"sft/loss", "sft/perplexity", "sft/token_accuracy", "sft/entropy"} <= suite.compute().keys()


@pytest.mark.parametrize("wanted", ["hidden", "weight", "bias"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_one_gradient_alone(wanted: str, dtype: torch.dtype) -> None:
    """A frozen head or frozen states get no gradient, and the other gets the same as before."""
    inputs = head_inputs(dtype)
    names = ("hidden", "weight", "bias")
    expected = with_gradients(lambda leaves: logprobs.head_log_prob_entropy(**leaves, block=4), inputs)[2:]
    inputs[wanted].requires_grad_()
    log_probs, entropies = logprobs.head_log_prob_entropy(**inputs, block=4)
    total = ((log_probs * torch.linspace(-1, 1, 5, dtype=torch.float64) + 0.3 * entropies) * inputs["mask"]).sum()
    torch.autograd.backward(total)
    assert [name for name in names if inputs[name].grad is not None] == [wanted]
    torch.testing.assert_close(inputs[wanted].grad, expected[names.index(wanted)])


def test_single_results() -> None:
    """The two short forms return one of both results each."""
    inputs = head_inputs(torch.float64)
    log_probs, entropies = logprobs.head_log_prob_entropy(**inputs)
    assert torch.equal(log_probs, logprobs.head_log_prob(**inputs))
    tokens = inputs.pop("tokens")
    assert tokens.shape == logprobs.head_entropy(**inputs).shape
    assert torch.equal(entropies, logprobs.head_entropy(**inputs))


def test_by_hand() -> None:
    """Logits ln 1, ln 2, ln 5 are probabilities 1/8, 2/8, 5/8; the entropy is ln 8 - (2 ln 2 + 5 ln 5) / 8."""
    logits = torch.tensor([[[1.0, 2.0, 5.0]]], dtype=torch.float64).log()
    tokens = torch.tensor([[2]])
    entropy = math.log(8) - (2 * math.log(2) + 5 * math.log(5)) / 8
    assert math.log(5 / 8) == pytest.approx(logprobs.log_prob(logits, tokens).item())
    assert entropy == pytest.approx(logprobs.entropy(logits).item())
    one = torch.ones(1, 1, 1, dtype=torch.float64)
    log_prob, spread = logprobs.head_log_prob_entropy(one, logits[0].T, tokens, block=2)
    assert (log_prob.item(), spread.item()) == pytest.approx((math.log(5 / 8), entropy))


def test_far_apart_logits() -> None:
    """Logits of ±1e4 and a bias of minus infinity give 0 and large numbers, never NaN, also in gradients."""
    hidden = torch.tensor([[[1e4], [-1e4]]], requires_grad=True)
    weight = torch.tensor([[1.0], [-1.0], [0.5]], requires_grad=True)
    bias = torch.tensor([0.0, 0.0, -math.inf])
    log_probs, entropies = logprobs.head_log_prob_entropy(hidden, weight, torch.tensor([[0, 0]]), bias=bias, block=1)
    assert log_probs[0].tolist() == [0.0, -2e4]
    assert entropies[0].tolist() == [0.0, 0.0]
    torch.autograd.backward(log_probs.sum() + entropies.sum())
    assert hidden.grad is not None
    assert weight.grad is not None
    assert hidden.grad.squeeze(-1).tolist() == [[0.0, 2.0]]
    assert weight.grad.tolist() == [[-1e4], [1e4], [0.0]]


@pytest.mark.parametrize("garbage", [math.nan, math.inf])
def test_padding_may_hold_anything(garbage: float) -> None:
    """What the mask leaves out changes neither values nor gradients, and gets no gradient."""
    inputs = head_inputs(torch.float32)
    outside = ~inputs["mask"]
    filled = {
        **inputs,
        "hidden": inputs["hidden"].masked_fill(outside.unsqueeze(-1), garbage),
        "tokens": inputs["tokens"].masked_fill(outside, -100),
    }
    expected = with_gradients(lambda leaves: logprobs.head_log_prob_entropy(**leaves, block=4), inputs)
    actual = with_gradients(lambda leaves: logprobs.head_log_prob_entropy(**leaves, block=4), filled)
    assert all(torch.equal(one, other) for one, other in zip(expected, actual, strict=True))
    assert actual[2][outside].abs().sum().item() == 0.0


def test_the_peak_is_measured() -> None:
    """A function that holds the logits is caught: two tensors of 4 MiB at once are 8 MiB."""
    peak = peak_bytes(lambda: torch.ones(1 << 20).add(1).numel())
    assert peak // 1024 * 1024 == 8 << 20


def test_wrong_inputs_are_named() -> None:
    """Each wrong input raises an error that names it and says what was expected and what came."""
    inputs = head_inputs(torch.float32)
    for name, tensor in inputs.items():
        with pytest.raises(ValueError, match=rf"(weight|bias|{name}): expected .*, got "):
            logprobs.head_log_prob_entropy(**{**inputs, name: tensor[..., :1]})
    for name in ("weight", "bias"):
        with pytest.raises(TypeError, match=rf"{name}: expected torch.float32 as in hidden, got torch.float64"):
            logprobs.head_log_prob_entropy(**{**inputs, name: inputs[name].double()})
    with pytest.raises(TypeError, match=r"mask: expected a bool tensor \[B, T\], got torch\.float32"):
        logprobs.head_log_prob_entropy(**{**inputs, "mask": inputs["mask"].float()})
    for softcap in (0.0, -30.0):
        with pytest.raises(
            ValueError, match=f"softcap: expected a number above 0, or None for no bound, got {softcap}"
        ):
            logprobs.head_statistics(**inputs, softcap=softcap)
    several: list[Inputs] = [{"temperature": 0.0}, {"block": 0}]
    for wrong in several:
        with pytest.raises(ValueError, match="expected temperature above 0 and block of at least 1"):
            logprobs.head_log_prob_entropy(**inputs, **wrong)
    with pytest.raises(ValueError, match=r"logits: expected 3 dimensions \[B, T, V\], got shape \(2, 5\)"):
        logprobs.entropy(torch.ones(2, 5))
    with pytest.raises(ValueError, match=r"tokens: expected shape \(2, 5\) as in logits, got \(2, 4\)"):
        logprobs.log_prob(torch.ones(2, 5, 3), torch.ones(2, 4).long())
    with pytest.raises(TypeError, match=r"mask: expected a bool tensor \[B, T\], got torch\.float32"):
        logprobs.entropy(torch.ones(2, 5, 3), torch.ones(2, 5))
    with pytest.raises(TypeError, match=r"tokens: expected an int tensor \[B, T\], got torch\.float32"):
        logprobs.log_prob(torch.ones(2, 5, 3), torch.ones(2, 5))
    with pytest.raises(TypeError, match=r"logits: expected a float tensor \[B, T, V\], got torch\.int64"):
        logprobs.entropy(torch.ones(2, 5, 3).long())


def test_torch_is_imported_on_use() -> None:
    """Importing the package loads no torch; unknown names are the usual error."""
    code = "import sys, rlmetrics.logprobs; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = logprobs.nothing
    assert logprobs.__all__ == dir(logprobs)
