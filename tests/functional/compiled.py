"""What ``torch.compile`` makes of a metric function."""

from __future__ import annotations

import torch
from metric_checks import cast
from metric_inputs import make_inputs, make_parameters
from rlmetrics.functional import REGISTRY


def check_compiled(key: str) -> None:
    """Trace a function without a break, and compare its results for two batches."""
    metric = REGISTRY[key]
    inputs, parameters = cast(make_inputs(metric, 0), torch.float32), make_parameters(metric, 0)
    torch.compiler.reset()
    compiled = torch.compile(metric.function, fullgraph=True, backend="eager", dynamic=True)

    for seed in (0, 1):
        inputs = cast(make_inputs(metric, seed), torch.float32)
        expected = metric.function(**inputs, **parameters)
        torch.testing.assert_close(compiled(**inputs, **parameters), expected, equal_nan=True)
