"""How a table holds metrics: wide, with a column for each key, or long, with a row for each number."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rlmetrics.lazy_dataclasses import dataclass

from .input_errors import InputError
from .reading import RUN_NAMES

__all__ = ["AXES", "LAYOUTS", "TableLayout", "layout_of"]

LAYOUTS = ("auto", "wide", "long")
AXES = {
    *("Step", "step", "_step", "_runtime", "_timestamp", "Wall time", "Value", "Name", "name", "run", "run_id", ""),
    *("Relative Time (Process)", "Relative Time (Wall)", "Wall Time"),
    *RUN_NAMES,
}
"""Columns that hold an axis or name a run, not a metric."""
_RUNS = (*RUN_NAMES, "run_uuid", "sys/id", "run.id")
_STEPS = ("step", "_step", "global_step", "train/global_step", "Step", "training/global_step", "steps")
_KEYS = ("key", "metric", "metric_name", "tag", "attribute_path", "variable", "name", "Name")
"""What long tables call the column with the names: MLflow, W&B, TensorBoard, Neptune's exporter, ``melt`` of frames."""
_VALUES = ("value", "metric_value", "float_value", "Value", "values")
_CLOCKS = frozenset(
    {"timestamp", "_timestamp", "wall_time", "created_at", "experiment_id", "index", "project_id", "__index_level_0__"}
)
_IDS = frozenset({"id", "log_id", "space_id"})
"""What Trackio, or a database, tells rows apart by."""


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Which columns of a table are what.

    Attributes:
        run: The column that names the run; None if the table is one run.
        step: The column that says when; None if none does.
        key: The column with names, of a long table; None if the table is wide.
        value: The column with numbers, of a long table.
        metrics: The columns that are metrics, of a wide table.
    """

    run: str | None
    step: str | None
    key: str | None = None
    value: str | None = None
    metrics: tuple[str, ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether there is a row for each number."""
        return self.key is not None


def layout_of(
    columns: Sequence[str],
    texts: Collection[str],
    numbers: Collection[str],
    layout: str = "auto",
    run: str | None = None,
) -> TableLayout:
    """Return which columns of a table are what.

    Args:
        columns: All of them.
        texts: Those that hold text.
        numbers: Those that hold numbers.
        layout: ``wide``, ``long``, or ``auto``: long where one column holds names and another one numbers.
        run: The column that names the run, if that is known.

    Raises:
        InputError: It is long, but lacks a column, or the layout is unknown.
    """
    if layout not in LAYOUTS:
        msg = f"no layout {layout!r}; layouts are {', '.join(LAYOUTS)}"
        raise InputError(msg)
    named = run if run in columns else next((name for name in _RUNS if name in columns), None)
    step = next((name for name in _STEPS if name in columns), None)
    key = next((name for name in _KEYS if name in texts and name != named), None)
    value = next((name for name in _VALUES if name in numbers), None)
    if layout == "long" and (key is None or value is None):
        msg = (
            f"a long table has a column of names ({', '.join(_KEYS[:4])} …) and one of numbers "
            f"({', '.join(_VALUES[:3])} …); this one has {', '.join(columns[:8]) or 'none'}"
        )
        raise InputError(msg)
    if layout != "wide" and key is not None and value is not None:
        return TableLayout(named, step, key, value)
    apart = {*AXES, *_RUNS, *_CLOCKS, *_IDS, named}
    return TableLayout(named, step, metrics=tuple(name for name in columns if name not in apart))
