"""Additive metric states: update, merge, compute. torch is imported with the first name that needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlmetrics.lazy_imports import lazily

if TYPE_CHECKING:
    from .input_checks import check_inputs
    from .metric_state import MetricState
    from .packed import unpack
    from .registry import MetricFunction, Registry
    from .slot_layout import Slot

__all__ = ["MetricFunction", "MetricState", "Registry", "Slot", "check_inputs", "unpack"]

__getattr__, __dir__ = lazily(
    globals(),
    input_checks=("check_inputs",),
    slot_layout=("Slot",),
    metric_state=("MetricState",),
    packed=("unpack",),
    registry=("MetricFunction", "Registry"),
)
