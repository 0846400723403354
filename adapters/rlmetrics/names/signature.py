"""The effective signature of an emission: metric, then profile, then emission, then variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .config import number
from .records import Signature
from .tables import Tables

if TYPE_CHECKING:
    from .guards import Value

__all__ = ["canonical_signature", "effective_signature", "merge_layers"]


def merge_layers(layers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what several layers say together, the later ones winning.

    Reductions are merged level by level; traits and constant conditions add up. A formula variant belongs to one
    metric: a layer with another metric starts without one.
    """
    merged: dict[str, Any] = {}
    reduction: dict[str, str] = {}
    traits: dict[str, None] = {}
    constant: dict[str, None] = {}
    for layer in filter(None, layers):
        if "reproduced_by" in merged and merged.get("metric") not in (None, layer.get("metric", merged.get("metric"))):
            del merged["reproduced_by"]
        merged.update(layer)
        if "reduction" in layer:
            reduction.update(layer["reduction"])
        if "traits" in layer:
            traits.update(dict.fromkeys(layer["traits"]))
        if "constant_when" in layer:
            constant.update(dict.fromkeys(layer["constant_when"]))
    merged.update(reduction=reduction, traits=tuple(traits), constant_when=tuple(constant))
    return merged


def effective_signature(merged: Mapping[str, Any], tables: Tables, values: Mapping[str, Value]) -> Signature:
    """Return the signature that merged layers amount to.

    Args:
        merged: What `merge_layers` returned.
        tables: For the metric's population and the traits of populations.
        values: Values of configuration keys, for scale and offset.
    """
    metric: str | None = merged.get("metric")
    population = merged.get("population")
    if population is None and metric is not None and metric in tables.metrics:
        population = tables.metrics[metric].get("population")
    return Signature(
        population=population,
        snapshot=merged.get("snapshot"),
        reduction=merged["reduction"],
        span=merged.get("span"),
        lag=merged.get("lag") or 0,
        scale=number(merged.get("scale", 1.0), values),
        offset=number(merged.get("offset", 0.0), values),
        traits=_joined(population_traits(population, tables), merged["traits"]),
        reproduced_by=merged.get("reproduced_by"),
    )


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
    found = tables.signatures["POPULATIONS"].get(population)
    return () if found is None else tuple(found[2])
