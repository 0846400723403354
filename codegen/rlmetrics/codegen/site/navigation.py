"""What depends on which frameworks there are and is no page: entries of the navigation, and what git ignores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rlmetrics.names.tables.tables import Tables

__all__ = ["expanded", "ignored"]

_FRAMEWORK = "{framework}"
_INDEX = "k/"
_HEAD = "# Generated pages; `rlmetrics generate --docs` writes this file."


def expanded(entries: Sequence[Any], tables: Tables) -> list[Any]:
    """Return entries of a navigation with one for each framework where one stands for all.

    Args:
        entries: As MkDocs has them: files, or lists of entries by their titles.
        tables: Their order. Of frameworks that derive from another one no keys are listed.
    """
    found: list[Any] = []
    for entry in entries:
        if isinstance(entry, str) and _FRAMEWORK in entry:
            names = [*tables.frameworks] if entry.startswith(_INDEX) else tables.named
            found += [entry.replace(_FRAMEWORK, name) for name in names]
        elif isinstance(entry, dict):
            found.append(
                {title: expanded(item, tables) if isinstance(item, list) else item for title, item in entry.items()}
            )
        else:
            found.append(entry)
    return found


def ignored(names: Iterable[str], languages: Iterable[str]) -> str:
    """Return the ``.gitignore`` of the documentation, which is committed: the pages of frameworks in each language."""
    return "\n".join([_HEAD, *_pages([*names], ["", *(f"/{code}" for code in languages)])]) + "\n"


def _pages(names: Sequence[str], folders: Sequence[str]) -> Iterator[str]:
    for folder in folders:
        for name in names:
            yield f"{folder}/{name}/"
            yield f"{folder}/{name}.md"
