"""The signature that statements of the spec amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

from ..settings.configuration import number
from ..tables.key_records import Signature
from ..tables.tables import Tables

if TYPE_CHECKING:
    from ..settings.guards import Value

__all__ = ["TIMES", "canonical_signature", "effective_signature", "population_traits", "unstated_of"]

TIMES = frozenset({"s", "ms", "1/s", "token/s"})
"""Units of what depends on which work a clock runs for."""


def effective_signature(said: Mapping[str, Any], tables: Tables, values: Mapping[str, Value]) -> Signature:
    """Return the signature that combined statements amount to.

    Args:
        said: What `rlmetrics.names.tables.pieces.combine` returned.
        tables: For the metric's population and the traits of populations.
        values: Values of configuration keys, for scale and offset.
    """
    metric: str | None = said.get("metric")
    population = said.get("population")
    if population is None and metric is not None and metric in tables.metrics:
        population = tables.metrics[metric].get("population")
    traits = population_traits(population, tables)
    if said["without"]:
        left_out = tables.signatures["WITHOUT"]
        traits = _joined(traits, tuple(left_out[name][1] for name in said["without"]))
        population = _less(population, said["without"], tables)
    unstated = unstated_of(said, metric, tables)
    # What only another model gives is the same whenever the trainer looks at it.
    of_other = metric is not None and tables.metrics.get(metric, {}).get("given_by")
    return Signature(
        population=population,
        snapshot=None if of_other else said.get("snapshot"),
        reduction=said["reduction"],
        span=said.get("span"),
        lag=said.get("lag") or 0,
        scale=number(said.get("scale", 1.0), values),
        offset=number(said.get("offset", 0.0), values),
        traits=_joined(traits, said["traits"]),
        reproduced_by=said.get("reproduced_by"),
        unstated=unstated,
    )


def unstated_of(said: Mapping[str, Any], metric: str | None, tables: Tables) -> tuple[str, ...]:
    """Return what nobody has said of how a number is computed, where silence does not mean the metric's definition."""
    if metric is None or metric not in tables.metrics:
        return ()
    unread = "overridden" in said
    if not unread and said.get("as_defined", "silent" not in said):
        return ()
    row = tables.metrics[metric]
    if said.get("kind", row.get("kind")) == "text":
        return ()
    needed = {
        "population": row.get("population") is not None,
        "reduction": True,
        "span": row.get("unit") in TIMES,
    }
    return tuple(name for name, needs in needed.items() if needs and (unread or not said.get(name)))


def _less(population: str | None, without: Sequence[str], tables: Tables) -> str | None:
    """Return the name of a population without some of its parts; one made of the parts if it has none of its own."""
    if population is None:
        return None
    known = tables.signatures["POPULATIONS"]
    row = known.get(population, ())
    base, left = (row[3], {*row[4], *without}) if len(row) > 3 else (population, set(without))
    for name, other in known.items():
        if len(other) > 3 and other[3] == base and set(other[4]) == left:
            return str(name)
    return f"{base} without {', '.join(sorted(left))}"


def _joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second))) if first and second else first or second


def canonical_signature(metric: str, tables: Tables) -> Signature:
    """Return the plain signature: pooled over the metric's own population.

    A metric that is not computed from tensors has the aggregation that the spec gives it.
    """
    row = tables.metrics[metric]
    population = row.get("population")
    reduction = {} if "function" in row else row.get("aggregation", {})
    return Signature(population=population, reduction=reduction, traits=population_traits(population, tables))


def population_traits(population: str | None, tables: Tables) -> tuple[str, ...]:
    """Return the traits that distinguish a population from the plain one of its domain."""
    if population is None:
        return ()
    row = tables.signatures["POPULATIONS"].get(population)
    return () if row is None else tuple(row[2])
