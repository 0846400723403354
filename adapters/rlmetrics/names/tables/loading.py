"""Loads the tables: the generated ones, or those of the spec with overlays, built in memory."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from os import PathLike, fspath

from rlmetrics.lazy_typing import Any

from .table_text import TableText
from .tables import Overlays, Tables
from .user_errors import NamesError

__all__ = ["load_tables"]


def load_tables(spec: Overlays | Tables = None) -> Tables:
    """Return the tables.

    Args:
        spec: Nothing for the generated tables, folders that extend the spec, or tables, which are returned as they are.

    Raises:
        NamesError: An overlay is missing or wrong, or the tables have not been generated.
    """
    if isinstance(spec, Tables):
        return spec
    if spec is None:
        return _generated()
    folders = [spec] if isinstance(spec, str | PathLike) else list(spec)
    return _with_overlays(tuple(fspath(folder) for folder in folders)) if folders else _generated()


@lru_cache(maxsize=1)
def _generated() -> Tables:
    def load(table: str) -> Mapping[str, Any]:
        try:
            from rlmetrics.tables import __path__ as folders

            with open(f"{folders[0]}/{table}.json", "rb") as stream:
                return TableText(stream.read().decode())
        except (FileNotFoundError, ModuleNotFoundError):
            msg = "the tables have not been generated; run rlmetrics generate in the checkout"
            raise NamesError(msg) from None

    return Tables(load)


@lru_cache(maxsize=4)
def _with_overlays(folders: tuple[str, ...]) -> Tables:
    from .overlays import overlaid

    return Tables(overlaid(folders))
