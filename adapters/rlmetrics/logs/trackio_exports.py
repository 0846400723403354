"""Parquet files that Trackio writes of a project, for data sets and Spaces: logged rows, and other tables beside them.

Source: ``trackio.sqlite_storage``. ``export_to_parquet`` writes ``PROJECT.parquet`` and ``PROJECT_TABLE.parquet``
beside ``PROJECT.db``, ``export_for_static_space`` writes ``metrics.parquet`` and ``aux/TABLE.parquet``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["copies_of_project", "is_beside_rows"]

_TABLES = (
    *("system", "system_metrics", "configs", "traces", "artifacts", "artifact_versions", "artifact_aliases"),
    *("run_artifact_links", "external_run_artifact_links"),
)
_ROWS, _AUX = "metrics.parquet", "aux"
_COLUMNS = {"id", "timestamp", "run_name", "step"}


def is_beside_rows(path: Path) -> bool:
    """Tell whether a file of Parquet is a table beside the logged rows of a project, which lie there, too."""
    if path.parent.name == _AUX and path.stem in _TABLES:
        return _holds_rows(path.parent.parent / _ROWS)
    return any(
        _holds_rows(path.with_name(path.name.removesuffix(f"_{table}.parquet") + ".parquet"))
        for table in _TABLES
        if path.name.endswith(f"_{table}.parquet")
    )


def copies_of_project(database: Path) -> Iterator[Path]:
    """Yield the files of Parquet beside a project's database that Trackio wrote of it, and writes anew."""
    rows = database.with_suffix(".parquet")
    if rows != database and _holds_rows(rows):
        yield rows
        tables = (database.with_name(f"{database.stem}_{table}.parquet") for table in _TABLES)
        yield from (path for path in tables if path.is_file())


def _holds_rows(path: Path) -> bool:
    if not path.is_file():
        return False
    from pyarrow import ArrowException
    from pyarrow.parquet import read_schema

    try:
        return {*read_schema(path).names} >= _COLUMNS
    except (ArrowException, OSError):
        return False
