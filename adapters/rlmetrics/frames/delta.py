"""Names and health of metrics in Delta tables, batch by batch: ``python -m rlmetrics.frames.delta --help``.

It needs ``pip install deltalake``. What is read is the newest version of a table: files of older ones lie beside it.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from rlmetrics.names.tables.tables import Overlays
from rlmetrics.translate.frame_names import frame_layout

from .frame_health import check as check_frame
from .frame_health import run_column
from .frame_translation import decided_names
from .partitions import Layout, NameOptions, asked_for, translating

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from typing_extensions import Unpack

__all__ = ["check", "translate"]


def translate(
    table: DeltaTable,
    from_: str,
    to: str,
    *,
    layout: Layout = "auto",
    **options: Unpack[NameOptions],
) -> pa.RecordBatchReader:
    """Return the rows with other names, as they are asked for; ``deltalake.write_deltalake`` takes them.

    Arguments, errors and warnings are those of ``rlmetrics.frames.translate``. Where points of several keys are to be
    written once, all rows are held.
    """
    asked = asked_for(from_, to, options)
    rows = table.to_pyarrow_dataset()
    schema = rows.schema.remove_metadata()
    types = nw.from_native(schema.empty_table()).schema
    columns = frame_layout(types, layout)
    read = [name for name in (columns.run, columns.step, columns.key, columns.value) if name]

    def parts() -> Iterator[Any]:
        for batch in rows.to_batches(columns=read if columns.is_long else None):
            yield nw.from_native(pa.Table.from_batches([batch]), eager_only=True)

    names = decided_names(types, layout, asked, parts, exact=True)
    renamed, after = translating(names, schema)

    def batches() -> Iterator[pa.RecordBatch]:
        found = (pa.Table.from_batches([batch]) for batch in rows.to_batches())
        for part in found if names.is_by_row else [rows.to_table()]:
            yield from renamed(part).to_batches()

    return pa.RecordBatchReader.from_batches(after, batches())


def check(
    table: DeltaTable,
    run: str = "run_id",
    at: str = "auto",
    *,
    layout: Layout = "auto",
    config: Mapping[str, Any] | None = None,
    spec: Overlays = None,
) -> pa.Table:
    """Return what rules find in the runs of a table, a row for each finding.

    Arguments, errors and columns are those of ``rlmetrics.frames.check``. All rows are held.
    """
    rows = table.to_pyarrow_dataset().to_table()
    types = nw.from_native(rows).schema
    columns = frame_layout(types, layout, run_column(types, run))
    ordered = rows if columns.step is None else rows.sort_by(columns.step)
    return check_frame(ordered, run, at, layout=layout, config=config, spec=spec)


def main() -> int:
    """Translate or judge a Delta table, as the command line says; return the exit code."""
    from deltalake import DeltaTable, write_deltalake

    from .engine_script import run_script

    own: list[str] = []

    def read(path: str, _: str | None) -> DeltaTable:
        table = DeltaTable(path)
        own.extend(table.metadata().partition_columns)
        return table

    def write(made: Any, path: str, by: list[str]) -> None:
        kept = own if set(own) <= set(made.schema.names) else []
        write_deltalake(path, made, partition_by=by or kept or None)

    return run_script("delta", read, write, translate, check, "not used here")


if __name__ == "__main__":
    raise SystemExit(main())
