"""Rows that stand in no order of their steps, and what several processes print of one run."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.health.judging import logs_of
from rlmetrics.logs.consoles import rank_of, rank_read
from rlmetrics.logs.reading import LoggedRow, in_order

STEPS = st.lists(st.integers(0, 500), min_size=6, max_size=40, unique=True)


def rows(steps):
    """Return a row for each step."""
    return [LoggedRow(float(step), {"loss": 0.5}) for step in steps]


def ordered(steps):
    """Return the steps in the order in which they are read, and what is said of it."""
    notes: list[str] = []
    return [row.step for row in in_order(rows(steps), notes)], notes


@given(steps=STEPS, seed=st.integers(0, 99))
def test_shuffled_rows_are_sorted_and_that_is_said(steps, seed):
    """Each step once, and back every few rows: that is one run in no order; in order, nothing is said."""
    random.Random(seed).shuffle(steps)
    found, notes = ordered(steps)
    if notes:
        assert found == sorted(steps)
    else:
        assert found == steps
    assert ordered(sorted(steps)) == (sorted(steps), [])
    assert ordered(sorted(steps, reverse=True))[0] == sorted(steps)


@pytest.mark.parametrize(
    "steps",
    [
        [*range(1, 30), *range(1, 30)],
        [*range(10, 300, 10), *range(5, 300, 10)],
        [*range(1, 30), *range(20, 60)],
        [*range(1, 10), *range(1, 10), *range(1, 10), *range(1, 10)],
    ],
)
def test_runs_one_after_the_other_and_a_resumed_one_stay_as_they_are(steps):
    """They go back seldom, or have steps twice."""
    assert ordered(steps) == ([float(step) for step in steps], [])


def test_rows_that_name_other_runs_stay_as_they_are():
    """Steps of several runs may lie between one another."""
    mixed = [LoggedRow(float(step), {"run": "a" if step % 2 else "b"}) for step in (5, 2, 3, 4, 1, 6, 0)]
    notes: list[str] = []
    assert [*in_order(mixed, notes)] == mixed
    assert not notes


def test_a_shuffled_log_is_one_run_in_the_answer(tmp_path, capsys):
    """With the note that its rows were sorted."""
    logged = [{"step": step, "loss": 1 / step, "reward": step / 30, "reward_std": 0.1} for step in range(1, 31)]
    random.Random(1).shuffle(logged)
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in logged))
    main(["check", str(path), "--at", "trl[grpo]==1.16.0", "--fail-on", "never"])
    out = " ".join(capsys.readouterr().out.split())
    assert "30 rows, steps 1 to 30" in out
    assert "rows were not in order of step" in out


DICTS = [f"{{'loss': {0.5 / step}, 'grad_norm': {1.5 * step}, 'epoch': {step / 10}}}" for step in range(1, 9)]


def read(path):
    """Return the rows of the only run of a log, and what is said of it."""
    (unit,) = logs_of(path)[0]
    (run,) = unit.open().read()
    return [*run.rows], run.account.notes


@pytest.mark.parametrize("before", ["[rank{}]: ", "[default{}]:", "{}: ", "\x1b[32m[rank{}]:\x1b[0m "])
def test_of_several_ranks_one_is_read(tmp_path, before):
    """Each prints the run; rows are none the more for it."""
    alone, both = tmp_path / "alone.log", tmp_path / "both.log"
    alone.write_text("".join(f"{line}\n" for line in DICTS))
    both.write_text("".join(f"{before.format(rank)}{line}\n" for line in DICTS for rank in (1, 0)))
    assert [row.values for row in read(both)[0]] == [row.values for row in read(alone)[0]]
    assert read(both)[1] == ["2 ranks print the run: what rank 0 prints is read, and the others' lines are left out"]
    assert read(alone)[1] == []


def test_dicts_that_every_process_prints_are_read_once(tmp_path):
    """Without a number before them, by each standing there as often as every other."""
    path = tmp_path / "run.log"
    path.write_text("".join(f"{line}\n" * 4 for line in DICTS))
    assert len(read(path)[0]) == len(DICTS)


def test_a_value_that_repeats_is_no_further_process(tmp_path):
    """One dict that is printed twice says nothing of the others."""
    path = tmp_path / "run.log"
    path.write_text("".join(f"{line}\n" for line in [*DICTS, DICTS[-1]]))
    assert len(read(path)[0]) == len(DICTS) + 1


def test_numbers_that_count_lines_are_no_ranks():
    """A rank prints as much as any other."""
    assert rank_read(f"{number}: x" for number in range(9)) == (None, 0)
    assert rank_read(["[rank0]: x"] * 9) == (None, 0)
    assert rank_of("12:30:01 x") is None


def test_steps_of_verl_that_bars_were_drawn_over_are_all_read(tmp_path):
    """Parted by nothing but a carriage return."""
    path = tmp_path / "run.log"
    path.write_text(
        "\r".join(f"bar {step}\rstep:{step} - actor/pg_loss:0.{step} - actor/lr:1e-06" for step in (1, 2, 3))
    )
    assert [row.step for row in read(path)[0]] == [1, 2, 3]

    path.write_bytes(path.read_bytes() + b"\r")
    assert main(["translate", str(path), "--from", "verl==0.9.1", "--to", "canonical"]) == 0
    copy = path.with_name("run.log.translated").read_bytes().split(b"\r")
    assert [part[:6] for part in copy if part.startswith(b"step")] == [b"step:1", b"step:2", b"step:3"]
    assert not any(b"actor/lr" in part for part in copy)
