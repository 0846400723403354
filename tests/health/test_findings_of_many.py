"""Reports made for many runs: a table of findings, and a page that a browser still opens."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import answered
from health_simulator import simulate, spelled
from pyarrow import parquet
from rlmetrics.health import check
from rlmetrics.health.report_page import page

GRPO = "trl[GRPOTrainer]==1.16.0"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of two runs, of which one loses its entropy."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("entropy_collapse", "healthy"):
        rows = spelled(simulate("grpo", name, 0).rows, GRPO)
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return folder


def test_findings_are_a_table_with_a_row_for_each(runs: Path, tmp_path: Path) -> None:
    """What --json has of findings, and one row of a run without any; a table that is there stays without --force."""
    place = tmp_path / "found.parquet"
    done = answered("check", str(runs), "--at", GRPO, "--json", "--findings", str(place), folder=tmp_path)

    told = json.loads(done.out)
    wanted = {(one["run"], found["rule"], found["onset_step"]) for one in told for found in one["findings"]}
    wanted |= {(one["run"], None, None) for one in told if not one["findings"]}
    rows = parquet.read_table(place).to_pylist()
    assert {(row["run"], row["rule"], row["onset_step"]) for row in rows} == wanted
    assert {row["verdict"] for row in rows} == {one["verdict"] for one in told}
    again = answered("check", str(runs), "--at", GRPO, "--findings", str(place), folder=tmp_path)
    assert (again.code, again.err.count("\n")) == (2, 1)


def test_a_page_of_ten_thousand_runs_is_small(runs: Path) -> None:
    """At most 2 MB: causes with their counts, the sickest runs whole, and a line for each of the others."""
    reports = [check(runs / f"{name}.jsonl", at=GRPO)[0] for name in ("entropy_collapse", "healthy")]
    many = [replace(reports[number % 2], run=f"project/sweep/run-{number:05}") for number in range(10_000)]

    made = page(many)

    assert len(made.encode()) <= 2_000_000
    assert made.count("<tr><td") > 10_000
    assert "<td>5000<td>" in made
    assert 'id="run-1"' in made
