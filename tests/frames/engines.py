"""One table in every library that is installed here, and back as rows of Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

__all__ = ["ENGINES", "OF_POLARS", "rows_of", "types_of"]

Table = dict[str, list[Any]]


def _pandas(table: pa.Table) -> Any:
    return table.to_pandas()


ENGINES: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": _pandas,
    "pandas of arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars, lazy": lambda table: pl.DataFrame(pl.from_arrow(table)).lazy(),
    "pyarrow": lambda table: table,
    "duckdb": duckdb.from_arrow,
}
OF_POLARS = [name for name in ENGINES if name.startswith("polars")]


def arrow_of(frame: Any) -> pa.Table:
    """A frame of any of them as a table of PyArrow."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame.to_arrow()
    if isinstance(frame, pd.DataFrame):
        return pa.Table.from_pandas(frame, preserve_index=False)
    return frame if isinstance(frame, pa.Table) else frame.to_arrow_table()


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame, without what is missing; NaN as text, which equals itself."""
    return [
        {
            name: "NaN" if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
            if value is not None
        }
        for row in arrow_of(frame).to_pylist()
    ]


def types_of(frame: Any) -> dict[str, str]:
    """The types of the columns, in one spelling."""
    return {
        field.name: str(field.type).removeprefix("large_").replace("string_view", "string")
        for field in arrow_of(frame).schema
    }
