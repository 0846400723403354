"""Writes Parquet files with other names, row group by row group."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rlmetrics.logs.kinds.parquet import ParquetTable

from ..report import Report
from ..translator import Translator
from .log_rewriter import LogRewriter

__all__ = ["ParquetRewriter"]

_BATCH = 1 << 17
"""Rows that are translated at once: with more, the processor waits for memory that was not used before."""
_SAMPLE = 10_000
"""Rows that tell how many values of a column differ."""


class ParquetRewriter(LogRewriter[ParquetTable]):
    """Writes a table as the whole file decides; it keeps its types, its order and how it was compressed."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with translated names.

        Raises:
            InputError: A column that is to be converted holds no numbers.
        """
        import narwhals as nw
        from pyarrow import Table
        from pyarrow.parquet import ParquetWriter

        from ..frame_names import frame_names

        file = self.log.file
        # The schema's own method for it imports pandas.
        empty = nw.from_native(Table.from_batches([], file.schema_arrow), eager_only=True)
        names = frame_names(translator, self.log.layout, empty.schema, exact=True)

        def parts() -> Iterator[Any]:
            for part in self.log.parts(_BATCH):
                yield nw.from_native(part, eager_only=True)

        names.decide(parts, [*self.log.names()])
        report.records += file.metadata.num_rows
        schema = names.translated(empty).to_native().schema.with_metadata(_metadata(file.schema_arrow))
        # Where a point is left out for another one, that may stand in any part.
        read = parts() if names.is_by_row else iter([nw.from_native(self.log.table(), eager_only=True)])
        made = (names.translated(part).to_native().cast(schema) for part in read)
        part = next(made, None)
        coded = [] if part is None else _coded(part.slice(0, _SAMPLE))
        options = {"compression": _compression(file), "use_dictionary": coded}
        with output.open("wb") as out, ParquetWriter(out, schema, **options) as writer:
            while part is not None:
                writer.write_table(part)
                part = next(made, None)


def _coded(sample: Any) -> list[str]:
    """Return the columns that are written as codes for their values: all but numbers of which most differ.

    To look for codes of these takes five times as long as to write them, and makes files larger.
    """
    from pyarrow import compute, types

    return [
        name
        for name, values in zip(sample.column_names, sample.columns, strict=True)
        if not types.is_floating(values.type) or 2 * compute.count_distinct(values).as_py() < len(values)  # pyright: ignore[reportAttributeAccessIssue]
    ]


def _metadata(schema: Any) -> dict[bytes, bytes] | None:
    """Return what a file says beside its data, without pandas' own account of the columns, whose names change."""
    kept = {key: value for key, value in (schema.metadata or {}).items() if key not in (b"pandas", b"ARROW:schema")}
    return kept or None


def _compression(file: Any) -> str:
    groups = file.metadata
    if not groups.num_row_groups or not groups.num_columns:
        return "snappy"
    name = str(groups.row_group(0).column(0).compression).lower()
    return "none" if name == "uncompressed" else name
