"""One emission as it applies in a mode and under a configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .config import Configuration, holds
from .inheritance import AppliedRow
from .records import BETWEEN, Alternative, Entry, Signature
from .signature import effective_signature, merge_layers
from .tables import FrameworkTable, Tables

if TYPE_CHECKING:
    from .expressions import Value

__all__ = ["make_entry"]


_PLAIN: Mapping[str, Any] = {}
"""What no variant and no profile say."""


class _Merged(NamedTuple):
    """What an emission with one of its variants is, whichever component logs it under whichever configuration.

    ``signature`` is None where the configuration decides about scale or offset.
    """

    layers: Mapping[str, Any]
    signature: Signature | None
    kind: str
    condition: str | None
    alternatives: tuple[Alternative, ...]
    cited: str


def make_entry(
    record: AppliedRow,
    component: str,
    tables: Tables,
    table: FrameworkTable,
    config: Configuration,
    profile: Callable[[str], Mapping[str, Any]],
) -> Entry:
    """Return what an emission is under a configuration.

    Args:
        record: The emission.
        component: The name of the component in answers.
        tables: The spec.
        table: The framework.
        config: Configuration keys and their values.
        profile: Gives a reduction profile by name.
    """
    row = record.row
    variants = row.get("variants", ())
    variant = next((item for item in variants if holds(item["when"], config.values)), _PLAIN)
    name = variant.get("profile", row.get("profile"))
    base = _PLAIN if name is None else profile(name)
    # The rows are the table's own, which keeps them.
    place = id(row), id(variant), id(base)
    merged: _Merged | None = table.merged.get(place)
    if merged is None:
        merged = table.merged[place] = _merge(row, variant, base, tables)
    by_default = _logged(row, config.defaults)
    return Entry(
        component=component,
        key=record.key,
        mode=record.mode,
        metric=merged.layers.get("metric"),
        kind=merged.kind,
        signature=merged.signature or effective_signature(merged.layers, tables, config.values),
        condition=merged.condition,
        logged_by_default=by_default,
        logged=by_default if config.values is config.defaults else _logged(row, config.values),
        constant_when=merged.layers["constant_when"],
        variant=variant.get("name"),
        alternatives=merged.alternatives,
        bind=row.get("bind", _PLAIN),
        cited=merged.cited,
        note=row.get("note"),
        route=row.get("route"),
    )


def _merge(row: Mapping[str, Any], variant: Mapping[str, Any], base: Mapping[str, Any], tables: Tables) -> _Merged:
    layers = merge_layers([base, row, variant])
    alternatives = [
        Alternative(item["name"], item["when"], item.get("metric", row.get("metric")))
        for item in row.get("variants", ())
        if item is not variant
    ]
    if variant is not _PLAIN and row.get("metric") is not None:
        alternatives.append(Alternative(None, None, row["metric"]))
    known = tables.metrics.get(layers.get("metric") or "", {})
    by_config = isinstance(layers.get("scale"), str) or isinstance(layers.get("offset"), str)
    return _Merged(
        layers,
        None if by_config else effective_signature(layers, tables, {}),
        row.get("kind") or known.get("kind", "scalar"),
        "; ".join(text for text in (row.get("when"), row.get("condition")) if text) or None,
        tuple(alternatives),
        BETWEEN.join(filter(None, (variant.get("evidence"), row["evidence"]))),
    )


def _logged(row: Mapping[str, Any], values: Mapping[str, Value]) -> bool | None:
    """Whether an emission is logged: its guard must hold, and its worded condition hold by default."""
    answers: list[bool | None] = [True]
    if "when" in row:
        answers.append(holds(row["when"], values))
    if "logged_by_default" in row or "condition" in row:
        answers.append(row.get("logged_by_default"))
    return False if False in answers else None if None in answers else True
