"""A plan: a table with a row for each run, which people read and correct before anything is done."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TextIO

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.logs.files import text_in
from rlmetrics.logs.input_errors import InputError

__all__ = ["CERTAINTIES", "COLUMNS", "PlannedRun", "holdable", "read_plan", "write_plan"]

COLUMNS = ("run", "kind", "source", "certainty", "evidence", "rows", "first_step", "last_step", "verdict")
CERTAINTIES = ("certain", "likely", "unknown")


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """A run of a plan.

    Attributes:
        run: Where it is: a path, and behind a colon what it is called there if the path holds several.
        kind: What keeps it, such as ``jsonl``; empty where that is not known.
        source: What logged it; empty where nothing tells.
        certainty: ``certain``, ``likely`` or ``unknown``.
        evidence: Why, or why it can't be read.
        rows: How many rows it has; None where it was not read.
        first_step: Its first optimizer step.
        last_step: Its last one.
        verdict: What ``check`` says of it; empty where it was not judged.
        line: Where it stands in the plan; 0 before it was written.
    """

    run: str
    kind: str = ""
    source: str = ""
    certainty: str = "unknown"
    evidence: str = ""
    rows: int | None = None
    first_step: float | None = None
    last_step: float | None = None
    verdict: str = ""
    line: int = 0

    def cells(self) -> list[str]:
        """Return it as the cells of its row."""
        values = [getattr(self, name) for name in COLUMNS]
        return ["" if value is None else f"{value:g}" if isinstance(value, float) else str(value) for value in values]


def holdable(run: PlannedRun) -> PlannedRun:
    """Return a run as it is, or, where its name is no UTF-8, without a source: no plan can lead to it."""
    if run.run == _encodable(run.run):
        return replace(run, evidence=_encodable(run.evidence))
    why = "its name is no UTF-8, which a plan can't hold: rename it"
    return PlannedRun(_encodable(run.run), run.kind, evidence=why, rows=run.rows)


def _encodable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def write_plan(runs: Iterable[PlannedRun], output: TextIO | Path) -> None:
    """Write a plan, a row as soon as its run is known."""
    opened = output.open("w", encoding="utf-8", newline="") if isinstance(output, Path) else nullcontext(output)
    with opened as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for run in runs:
            writer.writerow(run.cells())
            file.flush()


def read_plan(path: Path) -> list[PlannedRun]:
    """Return the runs of a plan; columns may stand in any order, and others beside them.

    Raises:
        InputError: It is no plan; it names line and column.
    """
    lines = text_in(path, "save the plan as UTF-8").removeprefix("\ufeff").splitlines(keepends=True)
    reader = csv.reader(lines, strict=True)
    try:
        header = [title.strip() for title in next(reader, [])]
        for name in ("run", "source"):
            if name not in header:
                msg = f"a plan has the columns {','.join(COLUMNS)}; this one has no {name}"
                raise InputError(msg, path, 1)
        runs = [_run(path, reader.line_num, dict(zip(header, row, strict=False))) for row in reader if any(row)]
    except csv.Error as error:
        msg = f"is no CSV: {error}; quote cells that hold commas"
        raise InputError(msg, path, reader.line_num) from None
    if not runs:
        msg = "holds no run; make a plan with rlmetrics fleet scan"
        raise InputError(msg, path)
    seen: dict[str, int] = {}
    for run in runs:
        if seen.setdefault(run.run, run.line) != run.line:
            msg = f"{run.run} stands in line {seen[run.run]} already; remove one of them"
            raise InputError(msg, path, run.line)
    return runs


def _run(path: Path, line: int, cells: dict[str, str]) -> PlannedRun:
    run, source, certainty = (cells.get(name, "").strip() for name in ("run", "source", "certainty"))
    if not run:
        msg = "names no run; fill in the column run, or remove the line"
        raise InputError(msg, path, line)
    if certainty and certainty not in CERTAINTIES:
        msg = f"{certainty!r} is no certainty; it is one of {', '.join(CERTAINTIES)}"
        raise InputError(msg, path, line)
    kind = cells.get("kind", "").strip()
    evidence, verdict = cells.get("evidence", ""), cells.get("verdict", "").strip()
    # What a person filled in is what they know.
    known = certainty or ("certain" if source else "unknown")
    return PlannedRun(run, kind, source, known, evidence, verdict=verdict, line=line)
