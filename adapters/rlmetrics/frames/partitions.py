"""What a worker of a distributed engine does with a part of a table, as PyArrow holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import narwhals as nw
import pyarrow as pa

from rlmetrics.names.tables.tables import Overlays
from rlmetrics.translate.frame_names import LongNames, WideNames

from .frame_health import check

__all__ = ["Layout", "judging", "translating"]

Layout = Literal["auto", "wide", "long"]


def translating(names: WideNames | LongNames, schema: pa.Schema) -> tuple[Callable[[pa.Table], pa.Table], pa.Schema]:
    """Return what gives a part other names, and the columns that all parts then have."""
    after = _renamed(names, schema.empty_table()).schema.remove_metadata()

    def translate(part: pa.Table) -> pa.Table:
        return _renamed(names, part.select(schema.names).cast(schema)).cast(after)

    return translate, after


def _renamed(names: WideNames | LongNames, part: pa.Table) -> pa.Table:
    return names.translated(nw.from_native(part, eager_only=True)).to_native()


def judging(
    run: str, at: str, layout: Layout, config: Mapping[str, Any] | None, spec: Overlays, step: str | None
) -> Callable[[pa.Table], pa.Table]:
    """Return what judges a run of which all rows are in one part, in any order of its steps."""

    def judge(part: pa.Table) -> pa.Table:
        ordered = part if step is None else part.sort_by(step)
        return check(ordered, run, at, layout=layout, config=config, spec=spec)

    return judge
