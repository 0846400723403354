"""Which metrics are called by a name in code: by their aliases, and by what other libraries call them."""

from __future__ import annotations

from collections.abc import Collection

from ..tables.loading import load_tables
from ..tables.tables import Tables
from .foreign_names import brought

__all__ = ["metrics_called", "missing_function"]


def metrics_called(name: str, tables: Tables | None = None) -> list[str]:
    """Return the metrics of which a name is an alias, and those that come nearest to what other libraries call so."""
    tables = tables or load_tables()
    return list(
        dict.fromkeys([*tables.called(name), *(metric for item in brought(name, tables) for metric in item.metrics)])
    )


def missing_function(name: str, functions: Collection[str]) -> str:
    """Return what to write instead of the name of a function that there is not.

    Args:
        name: The name.
        functions: The names that there are.
    """
    tables = load_tables()
    found: dict[str, str] = {}
    for metric in metrics_called(name, tables):
        function = str(tables.metrics[metric].get("function", "")).rpartition(".")[2]
        if function in functions:
            found.setdefault(function, metric)
    if found:
        return "; write " + " or ".join(f"{function} ({metric})" for function, metric in found.items())
    ends = [function for function in functions if function.endswith(f"_{name}")]
    from difflib import get_close_matches

    near = ends[:1] + [item for item in get_close_matches(name, functions, n=3) if item not in ends[:1]]
    return f"; did you mean {', '.join(near[:3])}?" if near else ""
