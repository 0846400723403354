"""What the search finds for a name that nothing has by itself: the same, in the same order, as on the site."""

from __future__ import annotations

from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.signature_words import quantity_words
from rlmetrics.wording.terminal import columns

__all__ = ["searched_lines"]

_MOST = 5


def searched_lines(text: str, tables: Tables, *, title: str = "Found by name:") -> list[str]:
    """Return the likeliest metrics and keys for a text; nothing where none is near."""
    from rlmetrics.names.lookup.ranked_search import search_of

    found = [item for item in search_of(tables).find(text, _MOST) if item.metrics]
    rows = []
    for item in found:
        who = "" if item.framework is None else f" ({tables.frameworks[item.framework]['title']})"
        rows.append((item.name, f"{quantity_words(item.metrics[0], tables)}{who}"))
    return [title, *columns(rows)] if rows else []
