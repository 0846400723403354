"""One emission as it applies in a mode and under a configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .config import Configuration
from .inheritance import AppliedRow
from .records import BETWEEN, Alternative, Cited, Entry, Signature
from .signature import effective_signature, merge_layers
from .tables import FrameworkTable, Tables

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
    cited: Cited


def make_entry(
    record: AppliedRow,
    component: str,
    tables: Tables,
    table: FrameworkTable,
    config: Configuration,
    profile: Callable[[str], Mapping[str, Any]],
) -> Entry:
    """Return what an emission is under a configuration.

    Where its variants are exhaustive and none holds, it is not logged; what the first one says answers then.

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
    rest = variants[0] if variants and "exhaustive" in row else _PLAIN
    variant = next((item for item in variants if config.holds(item["when"])), rest)
    name = variant.get("profile", row.get("profile"))
    base = _PLAIN if name is None else profile(name)
    # The rows are the table's own, which keeps them.
    place = id(row), id(variant), id(base)
    merged: _Merged | None = table.merged.get(place)
    if merged is None:
        merged = table.merged[place] = _merge(row, variant, base, tables, table)
    logged = _logged(row, config.holds)
    return Entry(
        component=component,
        key=record.key,
        mode=record.mode,
        metric=merged.layers.get("metric"),
        kind=merged.kind,
        signature=merged.signature or effective_signature(merged.layers, tables, config.values),
        condition=merged.condition,
        logged_by_default=logged if config.values is config.defaults else _logged(row, config.holds_by_default),
        logged=logged,
        constant_when=merged.layers["constant_when"],
        variant=variant.get("name"),
        alternatives=merged.alternatives,
        bind=row.get("bind", _PLAIN),
        cited=merged.cited,
        note=row.get("note"),
        route=row.get("route"),
    )


def _merge(
    row: Mapping[str, Any], variant: Mapping[str, Any], base: Mapping[str, Any], tables: Tables, table: FrameworkTable
) -> _Merged:
    layers = merge_layers([base, row, variant])
    alternatives = [
        Alternative(item["name"], item["when"], item.get("metric", row.get("metric")))
        for item in row.get("variants", ())
        if item is not variant
    ]
    if variant is not _PLAIN and "exhaustive" not in row and row.get("metric") is not None:
        alternatives.append(Alternative(None, None, row["metric"]))
    known = tables.metrics.get(layers.get("metric") or "", {})
    by_config = isinstance(layers.get("scale"), str) or isinstance(layers.get("offset"), str)
    return _Merged(
        layers,
        None if by_config else effective_signature(layers, tables, {}),
        row.get("kind") or known.get("kind", "scalar"),
        "; ".join(text for text in (row.get("when"), row.get("condition")) if text) or None,
        tuple(alternatives),
        Cited(BETWEEN.join(filter(None, (variant.get("evidence"), row["evidence"]))), table.evidence),
    )


def _logged(row: Mapping[str, Any], holds: Callable[[str], bool | None]) -> bool | None:
    """Whether an emission is logged: its guard must hold, and its worded condition hold by default."""
    guarded = holds(row["when"]) if "when" in row else True
    worded = row.get("logged_by_default") if "logged_by_default" in row or "condition" in row else True
    return False if guarded is False or worded is False else None if guarded is None or worded is None else True
