"""Which quantities the frameworks' guides say to watch, and which tell about the machine only."""

from __future__ import annotations

from rlmetrics.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tables import Tables

__all__ = ["FIRST_FAMILIES", "MACHINE_FAMILIES", "crucial_quantities", "measured"]

FIRST_FAMILIES = ("reward", "kl", "entropy", "policy", "length")
"""Families in the order in which a run is looked at; others follow in the order of the spec."""
MACHINE_FAMILIES = ("balance", "memory", "progress", "throughput", "timing")
"""Families that tell about the machine, and how far it is."""


def crucial_quantities(tables: Tables) -> set[object]:
    """Return the quantities of which guides call a number crucial."""
    return {measured(tables, metric) for metric in tables.metrics if tables.texts[metric].get("crucial")}


def measured(tables: Tables, metric: str) -> object:
    """Return the quantity of a metric, whatever the statistic; its name where it has no identity."""
    identity = tables.metrics[metric].get("identity", {})
    return (identity["quantity"], identity.get("of")) if "quantity" in identity else metric
