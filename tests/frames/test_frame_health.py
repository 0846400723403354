"""Health of runs in frames: what ``check`` finds in their logs, as a frame of the same library."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from folders import RUNS
from frames.engines import ENGINES, rows_of, types_of
from health_simulator import simulate, spelled
from rlmetrics import frames
from rlmetrics.health import check
from rlmetrics.logs.input_errors import InputError

GRPO = "trl[GRPOTrainer]==1.16.0"
COLUMNS = ["run_id", "verdict", "at", "rule", "level", "cause", "metric", "key", "onset_step", "seen_step", "last_step"]


@pytest.fixture(scope="module")
def sick() -> dict[str, list[dict[str, float]]]:
    """Two runs, of which one loses its entropy."""
    return {name: spelled(simulate("grpo", name, 0).rows, GRPO) for name in ("entropy_collapse", "healthy")}


def _wide(runs: dict[str, list[dict[str, float]]]) -> pa.Table:
    rows = [{"run_id": name, **row} for name, rows in runs.items() for row in rows]
    keys = dict.fromkeys(key for row in rows for key in row)
    return pa.table({key: [row.get(key) for row in rows] for key in keys})


def _points(runs: dict[str, list[dict[str, float]]]) -> pa.Table:
    """The numbers of one key after those of another, of all runs: as databases give them."""
    flat = [
        {"run_id": name, "step": row["step"], "key": key, "value": float(value)}
        for name, rows in runs.items()
        for row in rows
        for key, value in row.items()
        if key != "step"
    ]
    return pa.Table.from_pylist(sorted(flat, key=lambda point: (point["key"], -point["step"])))


def _of_logs(runs: dict[str, list[dict[str, float]]], folder: Path) -> set[tuple[object, ...]]:
    found = set()
    for name, rows in runs.items():
        path = folder / f"{name}.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        (report,) = check(path, at=GRPO)
        for one in report.findings:
            found.add((name, report.verdict, one.rule, one.level, one.key, one.onset_step, one.first_step))
    return found


@pytest.mark.parametrize("shape", [_wide, _points])
@pytest.mark.parametrize("engine", ENGINES)
def test_findings_are_those_of_the_logs(engine, shape, sick, tmp_path) -> None:
    """The same rules at the same steps, whatever the library and the layout; a run without one says so."""
    frame = ENGINES[engine](shape(sick))

    made = frames.check(frame, at=GRPO)
    found = rows_of(made)

    assert type(made) is type(frame)
    assert [*types_of(made)][: len(COLUMNS)] == COLUMNS
    wanted = _of_logs(sick, tmp_path)
    assert len({one[2] for one in wanted if one[0] == "entropy_collapse"}) > 0
    names = ("run_id", "verdict", "rule", "level", "key", "onset_step", "seen_step")
    assert {tuple(row[name] for name in names) for row in found if row.get("rule", "NaN") != "NaN"} == wanted
    assert {row["run_id"] for row in found} == set(sick)


def test_the_source_of_each_run_is_inferred() -> None:
    """Runs of two frameworks lie in one table."""
    runs = {}
    for name in ("trl-1.16.0-grpo", "verl-0.9.1-tracking"):
        lines = (RUNS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        runs[name] = [{"step": step, **row.get("data", row)} for step, row in enumerate(rows)]
        runs[name] = [
            {key: value for key, value in row.items() if isinstance(value, float | int)} for row in runs[name]
        ]

    found = rows_of(frames.check(pl.DataFrame(_points(runs)), layout="long"))

    sources = {row["run_id"]: row["at"].partition("==")[0] for row in found}
    assert sources == {"trl-1.16.0-grpo": "trl[GRPOTrainer]", "verl-0.9.1-tracking": "verl"}


def test_a_frame_without_runs_is_one_run(sick) -> None:
    """Its column is called ``run``."""
    found = frames.check(pl.DataFrame(_wide(sick)).filter(run_id="healthy").drop("run_id"), at=GRPO)

    assert found.columns[0] == "run"
    assert set(found["verdict"]) == {"nothing_found"}


def test_another_column_may_name_the_run(sick) -> None:
    """Also one of numbers, whose type stays; a column that is not there is refused."""
    frame = pl.DataFrame(_wide(sick)).with_columns(pl.lit(7).alias("seed"))

    assert frames.check(frame.filter(run_id="healthy"), run="seed", at=GRPO)["seed"].to_list()[0] == 7
    with pytest.raises(InputError, match="no column 'seeds'"):
        frames.check(frame, run="seeds", at=GRPO)
