"""Loads the tables: the generated ones, or those of the spec with overlays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from os import PathLike, fspath

from rlmetrics.lazy_typing import Any
from rlmetrics.overlay_places import found_overlays

from .table_text import TableText
from .tables import Overlays, Tables
from .user_errors import NamesError

__all__ = ["load_tables"]

_NOT_GENERATED = "the tables have not been generated; run rlmetrics generate in the checkout"


def load_tables(spec: Overlays | Tables = None) -> Tables:
    """Return the tables.

    Args:
        spec: Folders that extend the spec, none of them for the generated tables alone; nothing for those that
            `rlmetrics.overlay_places` finds; or tables, which are returned as they are.

    Raises:
        NamesError: An overlay is missing or wrong, or the tables have not been generated.
    """
    if isinstance(spec, Tables):
        return spec
    if spec is None:
        folders: tuple[str, ...] = found_overlays()
    else:
        given = [spec] if isinstance(spec, str | PathLike) else spec
        folders = tuple(fspath(folder) for folder in given)
    return _with_overlays(folders) if folders else _generated()


@lru_cache(maxsize=1)
def _generated() -> Tables:
    def load(table: str) -> Mapping[str, Any]:
        try:
            with open(f"{_folder()}/{table}.json", "rb") as stream:
                return TableText(stream.read().decode())
        except FileNotFoundError:
            raise NamesError(_NOT_GENERATED) from None

    return Tables(load, partial(load_tables, ()))


def _folder() -> str:
    """Return the folder of the generated tables."""
    try:
        from rlmetrics.tables import __path__ as folders
    except ModuleNotFoundError:
        raise NamesError(_NOT_GENERATED) from None
    return str(folders[0])


@lru_cache(maxsize=4)
def _with_overlays(folders: tuple[str, ...]) -> Tables:
    from .overlay_cache import overlaid_tables

    return Tables(overlaid_tables(folders, _folder()), partial(load_tables, folders))
