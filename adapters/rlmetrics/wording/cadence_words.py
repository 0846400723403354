"""How often a key gets a value, and on which axis, in words."""

from __future__ import annotations

from .voice import later, phrase, spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rlmetrics.names.meanings.key_cadence import Cadence

__all__ = ["axis_text", "cadence_text"]

_EACH = {
    "step": later("each step of the x-axis"),
    "optimizer_step": later("each optimizer step"),
    "update": later("each update"),
    "round": later("each round of sampling"),
    "generation": later("each log whose steps generate"),
    "evaluation": later("each evaluation"),
    "call": later("each call, as a row of its own"),
    "end": later("once, at the end of training"),
    "some_steps": later("some steps only"),
}
_SEVERAL = {
    "step": later("every {setting} steps of the x-axis{count}"),
    "optimizer_step": later("every {setting} optimizer steps{count}"),
    "generation": later("every {setting} optimizer steps{count}, if one of them generates"),
}


def cadence_text(cadence: Cadence) -> str | None:
    """Return how often a new value comes; None where nothing says it."""
    if cadence.every is None:
        return None
    if cadence.setting is None or cadence.every not in _SEVERAL:
        return phrase(_EACH[cadence.every])
    count = "" if cadence.count is None else f" ({cadence.count:g})"
    return phrase(_SEVERAL[cadence.every], setting=cadence.setting, count=count)


def axis_text(cadence: Cadence, *, full: bool = False) -> str | None:
    """Return what the x-axis counts, by default in its first sentence; None where nothing says it."""
    if cadence.axis is None:
        return None
    text = cadence.axis if full else cadence.axis.partition(". ")[0]
    return spoken(f"{text.rstrip('.')}.")
