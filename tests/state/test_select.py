"""Selecting by bits gives what ``torch.where`` gives, and steps aside where derivatives need the real thing."""

from __future__ import annotations

from math import inf, nan

import pytest
import torch
from rlmetrics.state._select import select
from torch import Tensor


def values(dtype: torch.dtype) -> Tensor:
    """Return many numbers with every special one among them."""
    x = torch.randn(80, 100, generator=torch.Generator().manual_seed(0), dtype=torch.float64).to(dtype)
    x[::7, ::3] = nan
    x[::5, 1::4] = inf
    x[::3, 2::5] = -inf
    x[1::3, ::6] = -0.0
    return x


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("otherwise", [0.0, inf, -inf])
@pytest.mark.parametrize("turned", [False, True])
def test_same_bits_as_where(dtype: torch.dtype, otherwise: float, turned: bool) -> None:
    """Every bit is that of ``torch.where``, for transposed tensors too; the input is left as it was."""
    x = values(dtype).T if turned else values(dtype)
    condition = torch.rand(x.shape, generator=torch.Generator().manual_seed(1)) < 0.5
    integer = {8: torch.int64, 4: torch.int32, 2: torch.int16}[dtype.itemsize]
    before = x.clone()

    with torch.no_grad():
        selected = select(condition, x, otherwise)

    expected = torch.where(condition, x, otherwise)
    assert torch.equal(expected.view(integer), selected.contiguous().view(integer))
    assert torch.equal(before.view(integer), x.view(integer))


def test_gradients_flow() -> None:
    """With gradients enabled, and under forward differentiation without them, derivatives are right."""
    x = torch.randn(80, 100, requires_grad=True)
    condition = x.detach() > 0

    select(condition, x, 0.0).sum().backward()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        tangent = torch.func.jvp(lambda v: select(condition, v, 0.0), (x.detach(),), (torch.ones_like(x),))[1]

    assert x.grad is not None
    assert torch.equal(condition.float(), x.grad)
    assert torch.equal(condition.float(), tangent)
