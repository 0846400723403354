"""Judges the runs in a frame, and gives what was found as a frame of the same library."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

import narwhals as nw

from rlmetrics.health.judging import judged_rows, keys_of
from rlmetrics.health.report_records import Report
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.reading import LoggedRow, RecordedRun
from rlmetrics.logs.table_layout import TableLayout
from rlmetrics.logs.table_rows import columns_read, logged_rows
from rlmetrics.names.inference import Clues, SourceAnswer, find_source, given
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.translate.frame_names import collected, frame_layout

__all__ = ["check", "findings_table", "run_column"]

FrameT = TypeVar("FrameT")

_RUN = "run_id"
_TEXTS = ("verdict", "at", "rule", "level", "cause", "metric", "key")
_STEPS = ("onset_step", "seen_step", "last_step", "value")
_SENTENCES = ("message", "advice", "basis")


def check(
    frame: FrameT,
    run: str = _RUN,
    at: str = "auto",
    *,
    layout: Literal["auto", "wide", "long"] = "auto",
    config: Mapping[str, Any] | None = None,
    spec: Overlays | Tables = None,
) -> FrameT:
    """Return what rules find in the runs of a frame, a row for each finding.

    A run of which nothing is found has one row, in which ``verdict`` is ``nothing_found`` or ``not_judged`` and the
    finding is missing. A lazy frame is computed once. Rows are taken in their order; where the library has none, in
    that of their steps. In a wide frame of pandas, NaN is what pandas has for a missing value, and taken for that.

    Args:
        frame: As for ``translate``.
        run: The column that names the run, of any type; a frame without it is one run.
        at: What logged all of them; ``auto`` infers it for each run from its keys.
        layout: As for ``translate``.
        config: Settings of the runs that differ from the release's defaults.
        spec: Folders with overlays.

    Returns:
        A frame of the same kind: the column of the run, ``verdict``, ``at``, and of each finding ``rule``, ``level``,
        ``cause``, ``metric`` and ``key`` (text), ``onset_step``, ``seen_step``, ``last_step`` and ``value`` (float64),
        ``message``, ``advice`` and ``basis`` (text).

    Raises:
        InputError: The layout doesn't fit, or there is no such column.
        NamesError: The source can't be resolved.
        TypeError: It is no frame.
    """
    wrapped: Any = nw.from_native(cast(Any, frame))
    schema = wrapped.collect_schema()
    columns = frame_layout(schema, layout, run_column(schema, run))
    needed = collected(wrapped.select(*columns_read(columns)))
    if isinstance(wrapped, nw.LazyFrame) and not wrapped.implementation.is_polars() and columns.step is not None:
        needed = needed.sort(columns.step)  # these engines keep no order
    tables = load_tables(spec)
    called = columns.run or "run"
    rows: list[dict[str, Any]] = []
    for name, part in _runs(needed, columns):
        recorded = RecordedRun(str(name or ""), _rows(part, columns))

        def source(first: Sequence[LoggedRow]) -> SourceAnswer:
            if at != "auto":
                return given(at)
            values = [row.values for row in first]
            return find_source(Clues(tuple(keys_of(first)), whole=True).with_values(values), tables)

        for report in judged_rows(recorded, str(name), source, "frame", config or {}, tables):
            rows += ({called: name, **found} for found in _found(report))
    kind = schema[columns.run] if columns.run is not None else nw.String()
    return cast(FrameT, _native(wrapped, {called: kind, **_schema()}, rows))


def findings_table(reports: Iterable[Report]) -> Any:
    """Return what was found in runs as a table of PyArrow, with the columns that ``check`` gives a frame."""
    rows = [{"run": report.run, **found} for report in reports for found in _found(report)]
    columns = {name: [row[name] for row in rows] for name in ("run", *_schema())}
    return nw.from_dict(columns, {"run": nw.String(), **_schema()}, backend="pyarrow").to_native()


def run_column(schema: Collection[str], run: str) -> str:
    """Return the column that names the run.

    Raises:
        InputError: One was asked for that is not there.
    """
    if run != _RUN and run not in schema:
        msg = f"no column {run!r}; columns are {', '.join([*schema][:8])}"
        raise InputError(msg)
    return run


def _schema() -> dict[str, Any]:
    texts = dict.fromkeys((*_TEXTS, *_STEPS, *_SENTENCES), nw.String())
    return {name: nw.Float64() if name in _STEPS else kind for name, kind in texts.items()}


def _runs(frame: nw.DataFrame[Any], layout: TableLayout) -> Iterator[tuple[Any, nw.DataFrame[Any]]]:
    """Yield the runs of a frame, in the order in which they begin."""
    if layout.run is None:
        yield None, frame
        return
    names = frame.get_column(layout.run).unique().to_list()
    if len(names) == 1:  # as in a worker that was given one run
        yield names[0], frame
        return
    places: dict[Any, list[int]] = {}
    for place, name in enumerate(frame.get_column(layout.run).to_list()):
        places.setdefault(name, []).append(place)
    for name, its_own in places.items():
        yield name, frame[its_own]


def _rows(frame: nw.DataFrame[Any], layout: TableLayout) -> Iterator[LoggedRow]:
    step, ordered = layout.step, False
    if layout.is_long and step is not None and frame.schema[step].is_numeric():
        # By the library, so that points are not held as objects of Python; later ones of a step come later.
        frame = frame.with_row_index("__place").sort(step, "__place")
        ordered = True
    records = frame.iter_rows(named=True)
    if frame.implementation.is_pandas_like() and not layout.is_long:
        records = (
            {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in record.items()}
            for record in records
        )
    return logged_rows(layout, records, ordered=ordered)


def _found(report: Report) -> Iterator[dict[str, Any]]:
    """Yield the findings of a run; an empty one if there is none."""
    about = {"verdict": report.verdict, "at": report.at}
    for finding in report.findings:
        fields = {name: getattr(finding, name) for name in (*_TEXTS[2:], *_SENTENCES)}
        steps = {"onset_step": finding.onset_step, "seen_step": finding.first_step, "last_step": finding.last_step}
        yield {**about, **fields, **steps, "value": finding.value}
    if not report.findings:
        yield {**dict.fromkeys((*_TEXTS, *_STEPS, *_SENTENCES)), **about}


def _native(frame: Any, schema: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return rows as a frame of the library of another one, and lazy where that is."""
    kind = frame.implementation
    columns = {name: [row[name] for row in rows] for name in schema}
    if not isinstance(frame, nw.LazyFrame):
        return nw.from_dict(columns, schema, backend=kind).to_native()
    own: Any = kind if kind.is_polars() else nw.Implementation.PYARROW
    made, native = nw.from_dict(columns, schema, backend=own), frame.to_native()
    session = native.sparkSession if kind.is_spark_like() else None
    return made.lazy(backend=kind, session=session).to_native()
