"""Parquet files with metrics: a column for each key, or a row for each number.

Source: the format is read by PyArrow. Which column is what is told by names that W&B's, MLflow's and Neptune's exports
and people's own tables have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from ..input_errors import InputError
from ..log import Kind, Log
from ..reading import LoggedRow, RecordedRun
from ..table_layout import TableLayout, layout_of
from ..table_rows import columns_read, logged_rows
from ..trackio_exports import is_beside_rows

__all__ = ["KIND", "ParquetTable"]

_MARK = b"PAR1"
_BATCH = 1 << 16
"""Rows that are read at once."""
_BUFFER = 1 << 20
"""Bytes of a column that are read at once; otherwise all of a row group is held before its first row."""
_SUFFIXES = {".parquet", ".pq"}


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is named like Parquet and begins so, and is no table that Trackio keeps beside its rows."""
    if path.suffix.lower() not in _SUFFIXES:
        return False
    with path.open("rb") as file:
        return file.read(4) == _MARK and not is_beside_rows(path)


class ParquetTable(Log):
    """A table in a file."""

    @cached_property
    def file(self) -> Any:
        """The file as PyArrow opens it.

        Raises:
            InputError: It is damaged.
        """
        from pyarrow.parquet import ParquetFile

        with self._told():
            return ParquetFile(self.path, pre_buffer=False, buffer_size=_BUFFER)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what PyArrow says of damage into one line."""
        from pyarrow import ArrowException

        try:
            yield
        except (ArrowException, OSError, ValueError) as error:
            if isinstance(error, InputError) or getattr(error, "errno", None) is not None:
                raise
            msg = f"is damaged: {' '.join(str(error).split())}; write it anew, or leave it out"
            raise InputError(msg, self.path) from None

    def batches(self, rows: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the table in parts of so many rows at most.

        Raises:
            InputError: It is damaged.
        """
        yield from self._batches(self.file, rows, columns)

    def parts(self, rows: int) -> Iterator[Any]:
        """Yield the table in parts of so many rows at most; row groups that are smaller stay whole.

        Raises:
            InputError: It is damaged.
        """
        from pyarrow import Table

        sizes = [self.file.metadata.row_group(number).num_rows for number in range(self.file.num_row_groups)]
        begin = 0
        while begin < len(sizes):
            end, size = begin + 1, sizes[begin]
            while end < len(sizes) and size + sizes[end] <= rows:
                size += sizes[end]
                end += 1
            if size <= rows:
                with self._told():
                    part = self.file.read_row_groups([*range(begin, end)])
                yield part
            else:
                yield from (Table.from_batches([batch]) for batch in self._batches(self.file, rows, None, [begin]))
            begin = end

    def _batches(
        self, file: Any, rows: int, columns: Sequence[str] | None, groups: Sequence[int] | None = None
    ) -> Iterator[Any]:
        with self._told():
            found = file.iter_batches(rows, columns=columns, row_groups=groups)
        while True:
            with self._told():
                batch = next(found, None)
            if batch is None:
                return
            yield batch

    def table(self, columns: Sequence[str] | None = None, only: tuple[str, Any] | None = None) -> Any:
        """Return the whole table, or the rows in which a column has a value.

        Raises:
            InputError: It is damaged.
        """
        from pyarrow.parquet import read_table

        filters = None if only is None else [(only[0], "=", only[1])]
        with self._told():
            return read_table(self.path, columns=columns, filters=filters, partitioning=None)  # pyright: ignore[reportArgumentType]

    @cached_property
    def layout(self) -> TableLayout:
        """Which columns are what."""
        from pyarrow import types

        texts, numbers = [], []
        for field in self.file.schema_arrow:
            kind = field.type.value_type if types.is_dictionary(field.type) else field.type
            if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
                texts.append(field.name)
            elif types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
                numbers.append(field.name)
        return layout_of(self.file.schema_arrow.names, texts, numbers)

    def names(self) -> set[str]:
        """Return the keys: the columns, or all that stand in the one with names."""
        if not self.layout.is_long:
            return set(self.layout.metrics)
        return {name for name in self._different(str(self.layout.key)) if name is not None}

    def runs(self) -> Mapping[str | None, Collection[str]]:
        """Return the names of all runs as those of one: a column, or a key, has one name in the whole file."""
        return {None: self.names()}

    def read(self) -> Iterator[RecordedRun]:
        """Yield each run; of a file with several, those parts are read in which the run may be."""
        run = self.layout.run
        if run is None:
            yield self.run(logged_rows(self.layout, self._records()))
            return
        for name in self._different(run):
            if name is not None:
                yield self.run(self._rows_of(run, name), name=str(name))

    def _rows_of(self, column: str, name: Any) -> Iterator[LoggedRow]:
        table = self.table(columns_read(self.layout), (column, name))
        yield from logged_rows(self.layout, (row for batch in table.to_batches(_BATCH) for row in batch.to_pylist()))

    def _records(self) -> Iterator[dict[str, Any]]:
        for batch in self.batches(_BATCH, columns_read(self.layout)):
            yield from batch.to_pylist()

    def _different(self, column: str) -> list[Any]:
        """Return the different values of a column, in their order."""
        from pyarrow import types
        from pyarrow.parquet import ParquetFile

        found: dict[Any, None] = {}
        file = self.file
        if types.is_string(file.schema_arrow.field(column).type):
            with self._told():
                file = ParquetFile(self.path, read_dictionary=[column])  # not each text anew
        for batch in self._batches(file, _BATCH, [column]):
            found.update(dict.fromkeys(batch.column(0).unique().to_pylist()))
        return list(found)


KIND = Kind("parquet", recognises, ParquetTable)
