"""Logits whose words are split over three ranks: log-probabilities, entropies and gradients of whole logits."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gloo_ranks import on_ranks
from rlmetrics import logprobs

WORKER = """
import torch
import torch.distributed as dist
from gloo_ranks import join, report
from rlmetrics.logprobs import parallel_log_prob_entropy
from lanes.slow.logprobs.test_parallel_vocabulary import BOUNDS, CASES, whole

rank = join()
reduces = []
original = dist.all_reduce
dist.all_reduce = lambda *args, **more: (reduces.append(1), original(*args, **more))[1]
found = []
for dtype, masked, uneven in CASES:
    logits, tokens, mask, weights = whole(getattr(torch, dtype))
    edges = BOUNDS if uneven else [0, 4, 8, 12]
    mine = logits[..., edges[rank]:edges[rank + 1]].detach().clone().requires_grad_()
    reduces.clear()
    log_probs, entropies = parallel_log_prob_entropy(
        mine, tokens, mask=mask if masked else None, temperature=0.7, first_word=edges[rank] if uneven else None)
    keep = mask.bool() if masked else torch.ones_like(mask, dtype=torch.bool)
    ((log_probs * weights + 0.3 * entropies) * keep).sum().backward()
    found.append([log_probs.tolist(), entropies.tolist(), mine.grad.float().tolist(), len(reduces)])
report(found)
"""

BOUNDS = [0, 1, 7, 12]
CASES = [("float64", True, False), ("float32", False, False), ("float64", True, True), ("bfloat16", True, False)]


def whole(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return logits ``[2, 5, 12]`` that are minus infinity here and there, tokens, an integer mask, and weights."""
    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(2, 5, 12, generator=generator, dtype=torch.float64)
    tokens = torch.randint(12, (2, 5), generator=generator)
    logits[0, :, 3] = torch.where(tokens[0] == 3, logits[0, :, 3], -torch.inf)
    mask = (torch.rand(2, 5, generator=generator) < 0.7).long()
    return logits.to(dtype), tokens, mask, torch.linspace(-1, 1, 10, dtype=torch.float64).view(2, 5)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Run three processes with gloo, and return what each of them found."""
    return on_ranks(tmp_path_factory.mktemp("vocabulary"), WORKER)


@pytest.mark.parametrize("place", range(len(CASES)))
def test_parts_of_a_vocabulary(found: list[Any], place: int) -> None:
    """Every rank has the results of whole logits and the gradient of its own words, with two all-reduces."""
    dtype, masked, uneven = CASES[place]
    logits, tokens, mask, weights = whole(getattr(torch, dtype))
    logits = logits.requires_grad_()
    keep = mask if masked else torch.ones_like(mask)
    scaled = logits.float() / 0.7 if dtype == "bfloat16" else logits / 0.7
    log_probs, entropies = logprobs.log_prob(scaled, tokens, keep), logprobs.entropy(scaled, keep)
    torch.autograd.backward(((log_probs * weights + 0.3 * entropies) * keep).sum())
    assert logits.grad is not None
    tolerance = {"float64": 1e-12, "float32": 2e-6, "bfloat16": 1e-2}[dtype]
    edges = BOUNDS if uneven else [0, 4, 8, 12]

    for rank, cases in enumerate(found):
        theirs = [torch.tensor(one) for one in cases[place][:3]]
        gradient = logits.grad[..., edges[rank] : edges[rank + 1]]
        for expected, actual in zip((log_probs, entropies, gradient), theirs, strict=True):
            actual = actual.to(expected.dtype)
            torch.testing.assert_close(expected.detach(), actual, rtol=tolerance, atol=max(tolerance, 1e-6))
        assert cases[place][3] == 2
