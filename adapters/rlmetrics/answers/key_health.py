"""What is told of a key's health: the rules of its metric that can speak of it in the program that logs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.wording.metric_facts import health_texts

from .value_ranges import axis_of

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.meanings.protocol import View

__all__ = ["key_health_texts"]

_OF_RUN = {"sibling", "held_out"}
"""Curves that a run has or lacks, whatever its program logs."""


def key_health_texts(view: View, resolution: Resolution, *, full: bool = False, advice: bool = True) -> list[str]:
    """Return the healthy range of a key with its basis, then what rules warn of that its program gives what they need.

    Args:
        view: The source.
        resolution: What the key is there; one that has a metric.
        full: Whether every rule is told.
        advice: Whether it is told with what it says and advises.
    """
    metric = str(resolution.metric)
    silent = frozenset(_silent(view, resolution, metric))
    return health_texts(metric, view.tables, axis=axis_of(resolution), full=full, silent=silent, advice=advice)


def _silent(view: View, resolution: Resolution, metric: str) -> Iterator[str]:
    """Yield the rules that can say nothing, for want of a number in the program or of a value of the key."""
    told = {str(rule["id"]) for rule in view.tables.health["RULES"].get(metric, ())}
    for rule in view.tables.health["JUDGED"]:
        if rule["id"] not in told:
            continue
        if rule.get("special") == "no_reward":
            possible = _may_be_null(view, resolution)
        else:
            possible = all(_is_logged(view, resolution, metrics) for metrics in _needed(rule))
        if not possible:
            yield str(rule["id"])


def _needed(rule: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the metrics of each further curve without which a rule says nothing."""
    for name, metrics in rule.get("with", {}).items():
        if name not in rule.get("optional", ()) and not _OF_RUN.intersection(metrics):
            yield metrics


def _is_logged(view: View, resolution: Resolution, metrics: list[str]) -> bool:
    program = view.program(str(resolution.component))
    return any(
        view.program(entry.component) == program for metric in metrics for entry in view.candidates(metric, "train")
    )


def _may_be_null(view: View, resolution: Resolution) -> bool:
    """Tell whether something says of the key that nothing to average is no fault."""
    traits = () if resolution.signature is None else resolution.signature.traits
    said = [(reading.value, reading.level) for reading in resolution.reads]
    said += [(row["value"], row["level"]) for name in traits for row in view.tables.traits[name].get("reads", ())]
    return ("null", "expected") in said
