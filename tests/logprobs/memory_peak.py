"""The most memory that tensors had at once, from the allocator's own records: exact, and the same on every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from torch._C._autograd import DeviceType
from torch.profiler import ProfilerActivity, profile


def peak_bytes(function: Callable[[], object]) -> int:
    """Return how far above its start the memory of CPU tensors rose while a function ran."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        function()
    assert profiler.profiler is not None
    results = profiler.profiler.kineto_results
    assert results is not None
    records = sorted(
        (event.start_ns(), event.nbytes())
        for event in cast(list[Any], results.events())
        if event.name() == "[memory]" and event.device_type() == DeviceType.CPU
    )
    height = peak = 0
    for _, size in records:
        height += size
        peak = max(peak, height)
    return peak
