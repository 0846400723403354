"""Translates the names in a frame, in the library that it is of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast

import narwhals as nw

from rlmetrics.names.inference import Clues
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.translate.detection import origin_of
from rlmetrics.translate.frame_names import LongNames, Parts, WideNames, frame_layout, frame_names, keys_in
from rlmetrics.translate.origins import Known, Origin
from rlmetrics.translate.translation_options import Options

__all__ = ["decided_names", "translate"]

FrameT = TypeVar("FrameT")


def translate(
    frame: FrameT,
    from_: str,
    to: str,
    *,
    layout: Literal["auto", "wide", "long"] = "auto",
    config: Mapping[str, Any] | None = None,
    bind: Mapping[str, str] | None = None,
    spec: Overlays | Tables = None,
    strict: bool = False,
    unknown: Literal["keep", "drop", "error"] = "keep",
    surface: str | None = None,
    program: str | None = None,
) -> FrameT:
    """Return a frame with other names, and numbers in the units that they have there.

    What becomes of a name is what ``Translator`` says. Where several keys claim one name and have different values at
    one step, all of them are set aside under ``untranslated/``, in all runs of the frame; where their values are the
    same, one of them is written. Types of columns stay, but for whole numbers that are converted: these become floats.
    Rows keep their order where the library has one. Nothing is computed of a lazy frame but its names, and values of
    keys that claim one name.

    Args:
        frame: A frame of pandas, Polars, PyArrow or DuckDB, or of another library that Narwhals takes; ``[rows]`` with
            a column for each key, or ``[rows]`` with a column of keys and one of values.
        from_: Where the names come from, such as ``trl[GRPOTrainer]==1.16.0``; ``auto`` infers it from all names.
        to: Where they go.
        layout: ``wide``, ``long``, or ``auto``: long where one column holds names and another one numbers.
        config: As for ``Translator``, as are the others.
        bind: Values for placeholders of the target.
        spec: Folders with overlays.
        strict: Carry over only ``exact`` and ``affine`` counterparts.
        unknown: What to do with keys that the source doesn't define.
        surface: How new names are shown.
        program: Which program of a release is meant.

    Returns:
        A frame of the same kind. What was set aside is warned of.

    Raises:
        InputError: The layout doesn't fit, a value can't be converted, or a key is unknown and that is an error.
        NamesError: If source, target or configuration can't be resolved.
        TypeError: It is no frame.
    """
    wrapped: Any = nw.from_native(cast(Any, frame))
    asked = Options(
        target=to,
        source=from_,
        config=config,
        bind=bind,
        spec=spec,
        strict=strict,
        unknown=unknown,
        surface=surface,
        program=program,
    )
    names = decided_names(wrapped.collect_schema(), layout, asked, lambda: [wrapped])
    return cast(FrameT, names.translated(wrapped).to_native())


def decided_names(
    schema: Mapping[str, nw.dtypes.DType],
    layout: str,
    asked: Options,
    parts: Parts,
    *,
    exact: bool = False,
    keys: Callable[[str], Sequence[str]] | None = None,
) -> WideNames | LongNames:
    """Return what becomes of a table, and warn of what was set aside.

    Args:
        schema: The types of its columns.
        layout: As for ``translate``.
        asked: What is to be done.
        parts: Gives the parts of the table.
        exact: As for ``FrameNames``.
        keys: Gives the different names in a column, where the table does not have to come here for them.
    """
    columns = frame_layout(schema, layout)
    found: Sequence[str] | None = None
    if columns.key is not None:
        found = keys(columns.key) if keys else sorted({key for part in parts() for key in keys_in(part, columns.key)})
    origin: Origin = Known(asked.source)
    if asked.source == "auto":
        clues = Clues(tuple(columns.metrics if found is None else found), whole=True)
        origin = origin_of(Path("the frame"), clues, asked.spec)
    translator = origin.translator(asked, asked.surface)
    translator.new_report("frame")
    names = frame_names(translator, columns, schema, exact=exact)
    names.decide(parts, found)
    report = translator.report
    if report.collisions:
        listed = "; ".join(f"{', '.join(keys)} (all {new})" for new, keys in [*report.collisions.items()][:3])
        warnings.warn(f"{len(report.collisions)} names collided and were set aside: {listed}", stacklevel=3)
    for why in [*report.undecided.values()][:3]:
        warnings.warn(f"set aside, since the source is not certain: {why}", stacklevel=3)
    return names
