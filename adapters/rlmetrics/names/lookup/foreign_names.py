"""Names that people bring from other libraries: what each is there, and what comes nearest to it here."""

from __future__ import annotations

from rlmetrics.lazy_typing import NamedTuple

from ..tables.tables import Tables

__all__ = ["BroughtName", "brought"]


class BroughtName(NamedTuple):
    """A name of a library or of a convention, neither of which is described.

    Attributes:
        name: As it is spelled there.
        library: Whose it is, such as ``CleanRL ppo.py``.
        metrics: The metrics that come nearest to it, several where it leaves open which.
        says: What it is there, and how it differs; what else is known of it for a convention.
        is_left_open: Whether a convention names it, without saying how its number is taken.
    """

    name: str
    library: str
    metrics: tuple[str, ...]
    says: str
    is_left_open: bool


def brought(key: str, tables: Tables) -> list[BroughtName]:
    """Return what a name is elsewhere: the whole name, else those names of libraries of which it is the last part."""
    whole: list[BroughtName] = []
    ends: list[BroughtName] = []
    for convention in tables.conventions.values():
        is_library = bool(convention.get("search"))
        if "known_by" in convention and not is_library:
            continue
        for name in dict.fromkeys(row["name"] for row in convention["names"]):
            if name != key and not (is_library and name.rpartition("/")[2] == key):
                continue
            rows = [row for row in convention["names"] if row["name"] == name]
            said = " ".join(row["note"] for row in rows if "note" in row)
            metrics = tuple(row["metric"] for row in rows)
            item = BroughtName(name, str(convention["title"]), metrics, said, not is_library)
            (whole if name == key else ends).append(item)
    return whole or ends
