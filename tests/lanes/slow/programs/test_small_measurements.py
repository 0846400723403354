"""Benchmarks, on inputs that are too small to say anything: they come to an end and report figures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from folders import TESTS
from generate_support import environment


@pytest.mark.parametrize("name", ["translate_memory", "translate_tensorboard", "translate_wandb"])
def test_a_benchmark_of_translation_reports_figures(name: str, tmp_path: Path) -> None:
    """A few hundred values are written, translated and counted."""
    result = tmp_path / "result.json"

    done = subprocess.run(
        [sys.executable, str(TESTS / "benchmarks" / f"{name}.py"), "400", str(result)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert '"points_per_second"' in json.dumps(json.loads(result.read_text()))


def test_a_benchmark_of_tables_reports_figures(tmp_path: Path) -> None:
    """Of both layouts; as many rows are there as DuckDB writes."""
    result = tmp_path / "result.json"

    done = subprocess.run(
        [sys.executable, str(TESTS / "benchmarks" / "table_cost.py"), "8000", str(result)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr == ""
    assert {name for name, found in json.loads(result.read_text()).items() if found["times DuckDB"] > 0} == {
        "long",
        "wide",
    }


def test_a_run_of_the_fuzzer_reports_what_it_tried(tmp_path: Path) -> None:
    """For a second; nothing is found, and nothing is kept."""
    program = str(TESTS / "programs" / "fuzz" / "fuzzing.py")
    done = subprocess.run(
        [sys.executable, program, "jsonl", "--seconds", "1", "--seed", "1", "--findings", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("jsonl: ")
    assert [*tmp_path.iterdir()] == []


def test_a_run_of_wandb_is_made(tmp_path: Path) -> None:
    """The maker of fixtures writes a run offline that has the names of the recorded ones."""
    done = subprocess.run(
        [sys.executable, str(TESTS / "programs" / "captures" / "make_wandb_run.py")],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    (made,) = tmp_path.rglob("*.wandb")
    assert b"actor/lr(1e-4)" in made.read_bytes()
