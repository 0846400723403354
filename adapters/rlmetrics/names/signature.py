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

_LAST_WINS = frozenset({"metric", "population", "snapshot", "span", "lag", "scale", "offset", "reproduced_by"})


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
        if merged.get("metric") not in (None, layer.get("metric", merged.get("metric"))):
            merged.pop("reproduced_by", None)
        for name in _LAST_WINS & layer.keys():
            merged[name] = layer[name]
        reduction.update(layer.get("reduction", ()))
        traits.update(dict.fromkeys(layer.get("traits", ())))
        constant.update(dict.fromkeys(layer.get("constant_when", ())))
    return {**merged, "reduction": reduction, "traits": tuple(traits), "constant_when": tuple(constant)}


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
        traits=tuple(dict.fromkeys([*population_traits(population, tables), *merged["traits"]])),
        reproduced_by=merged.get("reproduced_by"),
    )


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
