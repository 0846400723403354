"""How often a key gets a new value, and on which axis it is drawn, as far as the spec says it."""

from __future__ import annotations

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..tables.key_records import Entry
    from .component import ComponentView

__all__ = ["Cadence", "cadence_of"]

_UNSTATED = "unstated"
_WITH_LOGS = ("optimizer_step", "step", "generation")
"""What comes with the logs of a trainer, as often as its setting says."""


@dataclass(frozen=True, slots=True)
class Cadence:
    """When a new value of a key comes.

    Attributes:
        every: What it comes with: ``step`` (of the axis), ``optimizer_step``, ``update``, ``round``, ``generation``,
            ``evaluation``, ``call``, ``end`` (of training) or ``some_steps``; None where nothing says it.
        setting: The setting that says to how many of these one log comes; None where each has its own.
        count: Its value under the given configuration; None where nothing says it.
        axis: What the x-axis counts; None where nothing says it.
    """

    every: str | None
    setting: str | None = None
    count: float | None = None
    axis: str | None = None


def cadence_of(component: ComponentView, entry: Entry) -> Cadence | None:
    """Return how often an entry gets a value, and on which axis; None where nothing says either.

    What nobody has compared with the component that it is taken from is not said.
    """
    tracking = component.tracking[0] if component.tracking and not entry.signature.unstated else {}
    own_route = entry.route is not None and entry.route not in component.routes
    usual = None if own_route else tracking.get("every")
    every = entry.every or ("evaluation" if entry.mode == "eval" else usual)
    every = None if every == _UNSTATED or entry.signature.unstated else every
    axis = entry.axis or (None if own_route else tracking.get("x_axis"))
    setting = tracking.get("interval") if every in _WITH_LOGS and not own_route else None
    if setting is not None and entry.mode == "train":
        axis = " ".join(text for text in (axis, tracking.get("in_training")) if text) or None
    value = component.config.values.get(setting) if setting is not None else None
    count = value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return Cadence(every, setting, count, axis) if every is not None or axis is not None else None
