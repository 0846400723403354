"""Names and health of metrics in datasets of Ray, block by block: ``python -m rlmetrics.frames.ray --help``.

Names are decided once; each block is then translated by itself. A run is judged where all of its rows are. What is lost
with a worker is computed again, as Ray does, and nothing is written twice.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pyarrow as pa

from rlmetrics.names.tables.tables import Overlays
from rlmetrics.translate.frame_names import frame_layout

from .frame_health import run_column
from .frame_translation import decided_names
from .partitions import Layout, NameOptions, asked_for, judging, translating

if TYPE_CHECKING:
    from ray.data import Dataset
    from typing_extensions import Unpack

__all__ = ["check", "translate"]


def translate(
    dataset: Dataset,
    from_: str,
    to: str,
    *,
    layout: Layout = "auto",
    **options: Unpack[NameOptions],
) -> Dataset:
    """Return a dataset with other names, and numbers as a Parquet file that is translated would hold them.

    Arguments, errors and warnings are those of ``rlmetrics.frames.translate``. Where several keys claim one name, their
    points pass through this process, block by block.
    """
    asked = asked_for(from_, to, options)
    schema = _schema(dataset)
    types = nw.from_native(schema.empty_table()).schema
    columns = frame_layout(types, layout)
    read = [name for name in (columns.run, columns.step, columns.key, columns.value) if name]

    def parts() -> Iterator[Any]:
        needed = dataset.select_columns(read) if columns.is_long else dataset
        for part in needed.iter_batches(batch_format="pyarrow", batch_size=None):
            yield nw.from_native(part, eager_only=True)

    def keys(column: str) -> list[str]:
        alone = dataset.select_columns([column]).map_batches(_different, batch_format="pyarrow", batch_size=None)
        return sorted({row[column] for row in alone.iter_rows() if row[column] is not None})

    names = decided_names(types, layout, asked, parts, exact=True, keys=keys)
    renamed, _ = translating(names, schema)
    if names.is_by_row:
        return dataset.map_batches(renamed, batch_format="pyarrow", batch_size=None, zero_copy_batch=True)
    places = [name for name in (columns.run, columns.step) if name]
    return dataset.groupby(places or None).map_groups(renamed, batch_format="pyarrow")


def check(
    dataset: Dataset,
    run: str = "run_id",
    at: str = "auto",
    *,
    layout: Layout = "auto",
    config: Mapping[str, Any] | None = None,
    spec: Overlays = None,
) -> Dataset:
    """Return what rules find in the runs of a dataset, a row for each finding; each run is judged by one worker.

    Arguments, errors and columns are those of ``rlmetrics.frames.check``.
    """
    types = nw.from_native(_schema(dataset).empty_table()).schema
    columns = frame_layout(types, layout, run_column(types, run))
    judge = judging(run, at, layout, config, spec, columns.step)
    return dataset.groupby(columns.run).map_groups(judge, batch_format="pyarrow")


def _schema(dataset: Dataset) -> pa.Schema:
    """Return the columns of a dataset, which may hold blocks of pandas."""
    found: Any = dataset.schema()
    if not isinstance(found.base_schema, pa.Schema):
        found = dataset.map_batches(lambda part: part, batch_format="pyarrow").schema()
    return found.base_schema.remove_metadata()


def _different(part: pa.Table) -> pa.Table:
    """Return the different names of a block."""
    return pa.table({name: part.column(name).unique() for name in part.column_names})


def main() -> int:
    """Translate or judge a folder of Parquet, as the command line says; return the exit code."""
    import ray
    from ray import data

    from .engine_script import run_script

    def read(path: str, address: str | None) -> Dataset:
        if address:
            ray.init(address)
        return data.read_parquet(path)

    def write(dataset: Dataset, path: str, by: list[str]) -> None:
        dataset.write_parquet(path, partition_cols=by or None)

    return run_script("ray", read, write, translate, check, "the address of a cluster; by default one is started here")


if __name__ == "__main__":
    raise SystemExit(main())
