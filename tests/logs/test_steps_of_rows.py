"""Rows of one optimizer step are one row, at the step that the trainer states."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.logs.kinds import hf_console
from rlmetrics.logs.reading import LoggedRow, MissingSteps, one_a_step, step_in


def read(*rows):
    """Return steps and values of rows, each given as the tracker's step and its values."""
    return [(row.step, dict(row.values)) for row in one_a_step(LoggedRow(*row) for row in rows)]


@pytest.mark.parametrize(
    ("row", "step"),
    [
        ({"step": 7}, 7),
        ({"global_step/max_steps": "10/400", "loss": 1.0}, 10),
        ({"current_steps": 20, "total_steps": 90}, 20),
        ({"_step": 80, "train/global_step": 10}, 10),
        ({"step": 80, "training/global_step": 10}, 10),
        ({"step": "12 / 40"}, 12),
        ({"step": "12.0"}, 12),
        ({"step": math.nan}, None),
        ({"step": math.inf, "_step": 3}, 3),
        ({"step": True}, None),
        ({"step": "10 of 40"}, None),
        ({"loss": 1.0}, None),
    ],
)
def test_the_optimizer_step_is_found_wherever_it_stands(row, step):
    """What the trainer calls its step is taken before what a tracker counts; texts of progress are read."""
    assert step_in(row) == step


def test_calls_of_log_are_no_steps():
    """W&B counts calls; rows at which the trainer states the same step are one."""
    rows = [(3, {"train/loss": 1.0, "train/global_step": 1}), (4, {"eval/loss": 2.0, "train/global_step": 1})]

    assert read(*rows) == [(1, {"train/loss": 1.0, "eval/loss": 2.0, "train/global_step": 1})]


def test_timers_join_the_step_before_and_the_first_ones_the_next():
    """Rows of timers are no rows of their own, whatever step their tracker gives them."""
    timer = {"profiling/Time taken: GRPOTrainer.compute_loss": 0.5}
    rows = [(0, timer), (1, {"train/loss": 1.0, "train/global_step": 1}), (7, timer), (8, {"completions": {}})]

    assert read(*rows) == [(1, {**timer, "train/loss": 1.0, "train/global_step": 1, "completions": {}})]


def test_a_row_without_the_trainers_step_belongs_to_the_last_one():
    """Where the tracker counts calls, its number says nothing of a row that states no step."""
    rows = [(5, {"a": 1.0, "global_step": 1}), (6, {"b": 1.0}), (9, {"a": 2.0, "global_step": 2})]

    assert read(*rows) == [(1, {"a": 1.0, "global_step": 1, "b": 1.0}), (2, {"a": 2.0, "global_step": 2})]


def test_steps_of_a_tracker_that_are_those_of_the_trainer_hold():
    """Verl evaluates before its first step, in a row that does not state the step but is logged at it."""
    rows = [(0, {"val/reward": 0.1}), (1, {"actor/loss": 1.0, "training/global_step": 1})]

    assert [step for step, _ in read(*rows)] == [0, 1]


def test_what_is_not_finite_is_not_covered_up():
    """Of several values of a key within a step the last stands, but NaN and infinity stay."""
    rows = [(1, {"loss": 1.0, "kl": math.inf}), (1, {"loss": 2.0, "kl": 0.5}), (1, {"loss": None})]

    assert read(*rows) == [(1, {"loss": 2.0, "kl": math.inf})]


def test_a_step_that_never_moves_is_none():
    """A field that is called step and always the same does not make one row of a whole run."""
    assert len(read(*[(None, {"step": 0, "loss": float(number)}) for number in range(40)])) == 40


def test_runs_that_take_turns_stay_apart():
    """Rows that name different runs are never joined."""
    rows = [(1, {"run": name, "loss": 1.0}) for name in ("a", "b")]

    assert len(read(*rows)) == 2


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abc"), st.floats(allow_nan=False)), max_size=60))
def test_nothing_is_lost_and_steps_stay_in_order(logged):
    """Every step that was logged is there once for each time the run came to it, with the last value of each key."""
    rows = [(step, {key: value}) for step, key, value in logged]
    found = read(*rows)

    visited = [step for place, (step, _) in enumerate(rows) if place == 0 or rows[place - 1][0] != step]
    stuck = len(rows) >= 16 and len({tuple(row) for _, row in rows[:16]}) == 1 == len(visited)
    assert [step for step, _ in found] == (visited if not stuck else [step for step, _ in rows])
    assert {key for _, values in found for key in values} == {key for _, key, _ in logged}


@pytest.mark.parametrize(
    ("steps", "missing"),
    [
        ([*range(1, 10), *range(11, 20)], [10]),
        ([*range(10, 100, 10), *range(120, 200, 10)], [100, 110]),
        ([1, *range(10, 200, 10)], []),
        ([1, 2, 5, 9, 11, 20, 22, 27, 31, 40], []),
        (range(5), []),
        ([], []),
        ([None] * 20, []),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 500], []),
    ],
)
def test_a_step_without_a_row_is_found(steps, missing):
    """Where steps are logged at equal distances, those that are not there are named; other gaps are no such."""
    found = MissingSteps()
    for step in steps:
        found.take(step)

    assert found.steps() == missing


def test_without_steps_rows_of_one_epoch_are_one_if_their_keys_differ():
    """What a console shows without a progress bar: an evaluation, and the sum at the end, belong to the row before."""
    rows = [{"loss": 1.0, "epoch": 0.5}, {"eval_loss": 2.0, "epoch": 0.5}, {"loss": 0.5, "epoch": 0.5}]

    assert read(*((None, row) for row in rows)) == [(None, {**rows[0], **rows[1]}), (None, rows[2])]


def bar(at, total=40):
    """Return a progress bar as tqdm draws it."""
    return f"\r {100 * at // total}%|#   | {at}/{total} [00:01<00:09,  4.0it/s]"


@pytest.mark.parametrize(
    ("before", "behind", "steps"),
    [
        ([10, 20, 30, 40], [10, 20, 30, 40], [10, 20, 30, 40]),
        ([0, 10, 20, 30], [10, 20, 30, 40], [10, 20, 30, 40]),
        ([10, 20, 30, 40], [11, 21, 31, 40], [10, 20, 30, 40]),
        ([7, 16, 28, 39], [10, 20, 30, 40], [10, 20, 30, 40]),
        ([40, 40, 40, 40], [40, 40, 40, 40], [None] * 4),
    ],
)
def test_the_bars_around_a_dict_tell_its_step(tmp_path, before, behind, steps):
    """A bar lags where steps are fast, and runs ahead where it is not drawn anew; all at the end say nothing."""
    path = tmp_path / "console.log"
    shown = [f"{bar(0)}\n"]
    for number, (early, late) in enumerate(zip(before, behind, strict=True)):
        shown.append(f"{bar(early)}\r{' ' * 20}\r{{'loss': {number}.5, 'epoch': {number}.0}}\n{bar(late)}\n")
    path.write_text("".join(shown))

    (run,) = hf_console.KIND.open(path).read()

    assert [row.step for row in run.rows] == steps
