"""Additive metric states: update, merge, compute. torch is imported with the first name that needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlmetrics.lazy import lazily

if TYPE_CHECKING:
    from .checks import check_inputs
    from .layout import Slot
    from .metric_state import MetricState
    from .packed import unpack
    from .registry import MetricFunction, Registry

__all__ = ["MetricFunction", "MetricState", "Registry", "Slot", "check_inputs", "unpack"]

__getattr__, __dir__ = lazily(
    globals(),
    checks=("check_inputs",),
    layout=("Slot",),
    metric_state=("MetricState",),
    packed=("unpack",),
    registry=("MetricFunction", "Registry"),
)
