"""Rows of what is no metric: inputs of metrics, settings, reductions of numbers that were metrics before."""

from __future__ import annotations

from collections.abc import Iterator

from .verl_records import records
from .verl_rows import Explained, Row

EXCEPTION = Explained("the call raised this exception; there is no number")

_REASONS = {
    "reduce_metrics": Explained(
        "a reduction of made-up lists, which were not kept; every signature of verl states the reduction of its key"
    ),
    "Metric": Explained(
        "a reduction of made-up values, which were not kept; every signature of verl states the reduction of its key"
    ),
}
_ESTIMATE = Explained(
    "throughput in FLOPs of a model configuration, from constants and made-up times; no tensor enters"
)
_PEAK = Explained("the peak FLOPs of a device, a constant in a table")
_TURNS = Explained("least, largest and mean of turns of validation samples, which were not kept")


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of everything that no other module covers."""
    for function, output in records(release):
        row = _row(function, output)
        if row is not None:
            yield (function, output), row


def _row(function: str, output: str) -> Row | None:
    if output.endswith("__exception__"):
        return EXCEPTION
    if function == "flops":
        return _ESTIMATE if output.startswith("estimate") else _PEAK
    if function == "val_metrics_update" and "num_turns" in output:
        return _TURNS
    return _REASONS.get(function)
