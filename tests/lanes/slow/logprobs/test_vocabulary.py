"""Log-probabilities and entropies over a vocabulary: right, differentiable, and small in memory."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import torch
from logprobs.heads import SHAPES, Inputs, Tensors, head_inputs, with_gradients
from logprobs.memory_peak import peak_bytes
from rlmetrics import logprobs
from rlmetrics.state import _chunks
from torch import Tensor

SHARE = 0.05
"""The most extra memory that is allowed, relative to float32 logits."""


@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_of_a_shaped_head(shape: Inputs) -> None:
    """Scale and cap stand in the gradients, too; mean logits and the most likely word have none."""
    inputs = head_inputs(torch.float64)
    leaves = [inputs[name].requires_grad_() for name in ("hidden", "weight", "bias")]

    def head(hidden: Tensor, weight: Tensor, bias: Tensor) -> Tensors:
        return logprobs.head_log_prob_entropy(hidden, weight, inputs["tokens"], bias=bias, block=3, **shape)

    assert torch.autograd.gradcheck(head, leaves)
    found = logprobs.head_statistics(**inputs, **shape)
    assert (
        found.token_entropy.requires_grad,
        found.is_top1.requires_grad,
        found.mean_logits.requires_grad,
    ) == (True, False, False)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiles_to_one_graph(backend: str) -> None:
    """``torch.compile(fullgraph=True)`` traces forward and backward without a break; values and gradients stay."""
    inputs = head_inputs(torch.float64)
    logits = torch.randn(2, 5, 7, dtype=torch.float64)

    def everything(leaves: Inputs) -> Tensors:
        log_probs, entropies = logprobs.head_log_prob_entropy(**leaves, block=4)
        scaled = logits * leaves["bias"].sum()
        tokens = leaves["tokens"].clamp(max=6)
        return log_probs + logprobs.log_prob(scaled, tokens), entropies + logprobs.entropy(scaled)

    torch.compiler.reset()
    compiled: Any = torch.compile(everything, fullgraph=True, backend=backend)
    for one, other in zip(with_gradients(everything, inputs), with_gradients(compiled, inputs), strict=True):
        torch.testing.assert_close(other, one)


@pytest.mark.parametrize(
    ("dtype", "shape", "words", "block"),
    [(torch.float32, (8, 1024), 32_768, 1024), (torch.bfloat16, (2, 512), 8192, 256)],
)
def test_head_never_holds_the_logits(dtype: torch.dtype, shape: tuple[int, int], words: int, block: int) -> None:
    """Forward and backward need 5 % of the logits beside the gradients: at full size, and in half precision."""
    tokens = torch.zeros(shape, dtype=torch.int64)
    hidden = torch.full((*shape, 8), 0.5, dtype=dtype, requires_grad=True)
    weight = torch.full((words, 8), 0.5, dtype=dtype, requires_grad=True)

    def step() -> None:
        log_probs, entropies = logprobs.head_log_prob_entropy(hidden, weight, tokens, block=block)
        torch.autograd.backward((log_probs + entropies).sum())

    peak = peak_bytes(step)
    assert hidden.grad is not None
    assert weight.grad is not None
    gradients = hidden.grad.nbytes + weight.grad.nbytes
    assert gradients < peak, "the gradients themselves must have been seen"
    assert peak - gradients <= SHARE * tokens.numel() * words * 4


@pytest.mark.parametrize("name", ["entropy", "log_prob"])
def test_logits_are_visited_in_chunks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forward and backward need 5 % of the logits beside their gradient, with chunks in proportion to a large batch."""
    monkeypatch.setattr(_chunks, "SMALLEST_CHUNK", 1)
    logits = torch.zeros((4, 128, 4096), requires_grad=True)
    tokens, mask = torch.zeros((4, 128), dtype=torch.int64), torch.ones((4, 128), dtype=torch.bool)

    def step() -> None:
        result = logprobs.entropy(logits, mask) if name == "entropy" else logprobs.log_prob(logits, tokens, mask)
        torch.autograd.backward(result.sum())

    peak = peak_bytes(step)
    assert logits.grad is not None
    assert logits.nbytes <= peak <= (1 + SHARE) * logits.nbytes


STEP = """
import sys
import torch
from rlmetrics import logprobs

def most_memory():
    # The most resident memory, in bytes; getrusage would also count what the parent process had.
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM"))

function, tokens = getattr(logprobs, sys.argv[1]), torch.zeros((8, 1024), dtype=torch.int64)
logits = torch.full((8, 1024, 32_768), 0.5).requires_grad_()

def step(x, *tokens):
    result = function(x, *tokens)
    torch.autograd.backward(result.sum())
    return result

step(torch.zeros((2, 8, 64), requires_grad=True), *[tokens[:2, :8]] * (sys.argv[1] == "log_prob"))
before = most_memory()
step(logits, *[tokens] * (sys.argv[1] == "log_prob"))
after = most_memory()
print((after - before - logits.grad.nbytes) / logits.nbytes)
"""


@pytest.mark.parametrize("name", ["entropy", "log_prob"])
def test_a_process_grows_by_its_gradient_and_little_more(name: str) -> None:
    """What the operating system counts, freed memory that malloc keeps included, is 5 % of the logits at full size."""
    done = subprocess.run([sys.executable, "-c", STEP, name], capture_output=True, text=True, check=True)
    assert -SHARE < float(done.stdout) <= SHARE
