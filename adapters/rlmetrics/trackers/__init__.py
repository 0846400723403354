"""Names and health on the way into trackers.

`wrap` stands in front of any ``log(dict, step)``. `FindingsFile` and `Webhook` take what health finds, and `tell`
subscribes anything else to a `Monitor`. `rlmetrics.trackers.wandb` makes W&B show metrics as the spec describes them,
and `rlmetrics.trackers.opentelemetry` sends rows over OTLP.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlmetrics.lazy_imports import lazily

if TYPE_CHECKING:
    from .faults import Faults
    from .finding_sinks import FindingsFile, tell
    from .live import Live
    from .webhook import Webhook
    from .wrapping import wrap

__all__ = ["Faults", "FindingsFile", "Live", "Webhook", "tell", "wrap"]

__getattr__, __dir__ = lazily(
    globals(),
    faults=("Faults",),
    finding_sinks=("FindingsFile", "tell"),
    live=("Live",),
    webhook=("Webhook",),
    wrapping=("wrap",),
)
