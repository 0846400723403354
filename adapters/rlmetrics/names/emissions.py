"""One emission as it applies in a mode and under a configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .config import Configuration, holds
from .inheritance import AppliedRow
from .records import Alternative, Entry
from .signature import effective_signature, merge_layers
from .tables import Tables

if TYPE_CHECKING:
    from .expressions import Value

__all__ = ["make_entry"]


def make_entry(
    record: AppliedRow,
    component: str,
    tables: Tables,
    config: Configuration,
    profile: Callable[[str], Mapping[str, Any]],
) -> Entry:
    """Return what an emission is under a configuration.

    Args:
        record: The emission.
        component: The name of the component in answers.
        tables: The spec.
        config: Configuration keys and their values.
        profile: Gives a reduction profile by name.
    """
    row = record.row
    variants = row.get("variants", ())
    chosen = next((item for item in variants if holds(item["when"], config.values)), None)
    delta = chosen or {}
    name = delta.get("profile", row.get("profile"))
    merged = merge_layers([*([] if name is None else [profile(name)]), row, delta])
    metric = merged.get("metric")
    alternatives = [
        Alternative(item["name"], item["when"], item.get("metric", row.get("metric")))
        for item in variants
        if item is not chosen
    ]
    if chosen is not None and row.get("metric") is not None:
        alternatives.append(Alternative(None, None, row["metric"]))
    known = tables.metrics.get(metric or "", {})
    by_default = _logged(row, config.defaults)
    return Entry(
        component=component,
        key=record.key,
        mode=record.mode,
        metric=metric,
        kind=row.get("kind") or known.get("kind", "scalar"),
        signature=effective_signature(merged, tables, config.values),
        condition="; ".join(text for text in (row.get("when"), row.get("condition")) if text) or None,
        logged_by_default=by_default,
        logged=by_default if config.values is config.defaults else _logged(row, config.values),
        constant_when=merged["constant_when"],
        variant=None if chosen is None else chosen["name"],
        alternatives=tuple(alternatives),
        bind=row.get("bind", {}),
        cited=(*delta.get("evidence", ()), *row["evidence"]),
        note=row.get("note"),
        route=row.get("route"),
    )


def _logged(row: Mapping[str, Any], values: Mapping[str, Value]) -> bool | None:
    """Whether an emission is logged: its guard must hold, and its worded condition hold by default."""
    answers: list[bool | None] = [True]
    if "when" in row:
        answers.append(holds(row["when"], values))
    if "logged_by_default" in row or "condition" in row:
        answers.append(row.get("logged_by_default"))
    return False if False in answers else None if None in answers else True
