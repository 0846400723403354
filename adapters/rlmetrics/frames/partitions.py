"""What engines share: the options of a translation, and what a worker does with a part that PyArrow holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

import narwhals as nw
import pyarrow as pa

from rlmetrics.names.tables.tables import Overlays
from rlmetrics.translate.frame_names import LongNames, WideNames
from rlmetrics.translate.translation_options import Options

from .frame_health import check

__all__ = ["Layout", "NameOptions", "asked_for", "judging", "translating"]

Layout = Literal["auto", "wide", "long"]


class NameOptions(TypedDict, total=False):
    """How names are translated, as ``rlmetrics.frames.translate`` says: every engine takes the same."""

    config: Mapping[str, Any] | None
    bind: Mapping[str, str] | None
    spec: Overlays
    strict: bool
    unknown: Literal["keep", "drop", "error"]
    surface: str | None
    program: str | None


def asked_for(from_: str, to: str, options: NameOptions) -> Options:
    """Return what an engine is asked to do.

    Raises:
        TypeError: An option is none of these.
    """
    if others := options.keys() - NameOptions.__annotations__.keys():
        msg = f"translate() got an unexpected keyword argument {min(others)!r}"
        raise TypeError(msg)
    return Options(target=to, source=from_, **options)


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
