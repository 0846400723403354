"""What ``torch.compile`` makes of updates of states, and for which of them that is asked."""

from __future__ import annotations

import torch
from metric_inputs import make_inputs, make_parameters
from metric_selection import BY_FAMILY
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState


def one_of_each_merge() -> list[str]:
    """Return a metric for every set of kinds of slots, and the first of every family."""
    keys = [key for keys in BY_FAMILY.values() for key in keys if REGISTRY[key].formula]
    chosen = {frozenset(slot.kind for slot in REGISTRY[key].slots): key for key in keys}
    return sorted({*chosen.values(), *(keys[0] for keys in BY_FAMILY.values())})


def check_compiled(key: str) -> None:
    """Trace an update without a break, merging included, and compare the state with one that was not compiled."""
    metric, parameters = REGISTRY[key], make_parameters(REGISTRY[key], 0)
    torch.compiler.reset()
    state, expected = (MetricState(key, device=None, **parameters) for _ in range(2))
    update = torch.compile(state.update, fullgraph=True, backend="eager", dynamic=True)
    for seed in (0, 2, 0):
        update(**make_inputs(metric, seed))
        expected.update(**make_inputs(metric, seed))

    torch.testing.assert_close(state.values, expected.values, rtol=1e-12, atol=0, equal_nan=True)
