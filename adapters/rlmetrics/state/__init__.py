"""Additive metric states: update, merge, compute. torch is imported with the first name that needs it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checks import check_inputs
    from .layout import Slot
    from .metric_state import MetricState
    from .packed import unpack
    from .registry import MetricFunction, Registry

__all__ = ["MetricFunction", "MetricState", "Registry", "Slot", "check_inputs", "unpack"]

_HOME = {
    "MetricFunction": "registry",
    "MetricState": "metric_state",
    "Registry": "registry",
    "Slot": "layout",
    "check_inputs": "checks",
    "unpack": "packed",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
