"""Names that people bring from other libraries: what each is there, and what comes nearest to it here."""

from __future__ import annotations

from rlmetrics.lazy_typing import NamedTuple

from ..tables.tables import Tables

__all__ = ["BroughtName", "brought"]


class BroughtName(NamedTuple):
    """A name of a library that is not described.

    Attributes:
        name: As the library logs it.
        library: The library, such as ``CleanRL ppo.py``.
        metric: The metric that comes nearest to it.
        says: What it is there, and how it differs.
    """

    name: str
    library: str
    metric: str
    says: str


def brought(key: str, tables: Tables) -> list[BroughtName]:
    """Return what a name is in other libraries: the whole name, else the names of which it is the last part."""
    known = [
        BroughtName(row["name"], str(convention["title"]), row["metric"], row["note"])
        for convention in tables.conventions.values()
        if convention.get("search")
        for row in convention["names"]
    ]
    whole = [item for item in known if item.name == key]
    return whole or [item for item in known if item.name.rpartition("/")[2] == key]
