"""Names and health on the way into trackers.

`wrap` stands in front of any ``log(dict, step)``. `FindingsFile` and `Webhook` take what health finds, and `tell`
subscribes anything else to a `Monitor`. `rlmetrics.trackers.wandb` makes W&B show metrics as the spec describes them,
and `rlmetrics.trackers.opentelemetry` sends rows over OTLP.

Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .faults import Faults
    from .findings import FindingsFile, tell
    from .live import Live
    from .webhook import Webhook
    from .wrapping import wrap

__all__ = ["Faults", "FindingsFile", "Live", "Webhook", "tell", "wrap"]

_HOME = {
    "Faults": "faults",
    "FindingsFile": "findings",
    "Live": "live",
    "Webhook": "webhook",
    "tell": "findings",
    "wrap": "wrapping",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module."""
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value: object = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
