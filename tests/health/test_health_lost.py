"""Numbers that are not there: lost ones, ones that come back, rows of another kind, and zeros that stand for NaN."""

import json
import math

import pytest
from health_simulator import simulate, spelled
from rlmetrics.cli.main import main
from rlmetrics.health import Monitor

GRPO, DPO, SFT = "trl[GRPOTrainer]==1.16.0", "trl[DPOTrainer]==1.16.0", "trl[SFTTrainer]==0.24.0"


def grpo(steps=60):
    """Return a healthy run of GRPO as TRL logs it."""
    return spelled(simulate("grpo", "healthy", 4, steps).rows, GRPO)


def dpo(steps=60):
    """Return a healthy run of DPO as TRL logs it."""
    rows = spelled(simulate("dpo", "healthy", 4, steps).rows, DPO)
    return [{**row, "loss": 0.69 - 0.002 * row["step"], "epoch": row["step"] / 50} for row in rows]


def checked(path, rows, source, capsys):
    """Return the exit code and the report that the command line prints of some rows."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    code = main(["check", str(path), "--at", source, "--json"])
    report = json.loads(capsys.readouterr().out)
    return code, report


def test_numbers_that_come_back_were_skipped_steps(tmp_path, capsys):
    """Two NaN gradient norms at the start, as loss scaling with float16 has them, are a remark with their number."""
    rows = grpo()
    rows[0]["grad_norm"] = rows[1]["grad_norm"] = math.nan

    code, report = checked(tmp_path / "run.jsonl", rows, GRPO, capsys)

    assert code == 0
    assert [(item["rule"], item["level"], item["onset_step"], item["last_step"]) for item in report["findings"]] == [
        ("steps-skipped", "info", 1, 2)
    ]
    assert "2 skipped steps" in report["findings"][0]["message"]
    assert report["cost"] == {}


def test_numbers_that_are_lost_again_and_again_are_a_warning(tmp_path, capsys):
    """If every third step is skipped, the run wastes a third of its steps."""
    rows = grpo()
    for row in rows[::3]:
        row["grad_norm"] = math.inf

    code, report = checked(tmp_path / "run.jsonl", rows, GRPO, capsys)

    assert code == 0
    assert [(item["rule"], item["level"]) for item in report["findings"] if item["cause"] == "non_finite"] == [
        ("steps-skipped", "warning")
    ]


def test_a_loss_of_zero_does_not_prove_that_the_weights_are_finite():
    """Transformers logs a NaN loss as 0.0, row after row: the error stays."""
    rows = grpo()
    for row in rows[30:]:
        row.update({"loss": 0.0, "grad_norm": math.nan})
    monitor = Monitor(GRPO)
    for row in rows:
        monitor.observe(None, row)

    assert {(item.key, item.level, item.onset_step) for item in monitor.findings() if item.cause == "non_finite"} == {
        ("loss", "error", 31),
        ("grad_norm", "error", 31),
    }


def swift_row(number, **values):
    """Return a row of ms-swift's log: what stands in rows of every kind, after the values."""
    common = {"epoch": number / 40, "global_step/max_steps": f"{number}/400", "percentage": f"{number / 4:.2f}%"}
    times = {"elapsed_time": "3m 2s", "remaining_time": "9m 1s", "memory(GiB)": 11.2, "train_speed(iter/s)": 0.4}
    return {**values, **common, **times}


def plain_row(number, **values):
    """Return a row of a plain log: its step, and values."""
    return {"step": number, "epoch": number / 40, **values}


def factory_row(number, **values):
    """Return a row of LLaMA-Factory's log."""
    return {"current_steps": number, "total_steps": 400, **values, "epoch": number / 40, "percentage": number / 4}


@pytest.mark.parametrize("made", [swift_row, plain_row, factory_row])
@pytest.mark.parametrize("keys", [("loss",), ("loss", "grad_norm", "learning_rate")])
def test_rows_of_evaluation_lose_nothing(made, keys, tmp_path, capsys):
    """Rows that share progress and times with those of training, and hold none of their values, are of another kind."""
    rows = []
    for number in range(10, 400, 10):
        rows.append(made(number, **dict.fromkeys(keys, 0.4 + 0.01 * (number % 7))))
        if number % 90 == 0:
            rows.append(made(number, eval_loss=0.38, eval_runtime=3.1, eval_samples_per_second=40.0))
    rows.append(made(400, train_runtime=44.0, train_samples_per_second=9.0, train_loss=0.4))

    code, report = checked(tmp_path / "run.jsonl", rows, SFT, capsys)

    assert code == 0
    assert [item for item in report["findings"] if item["cause"] == "non_finite"] == []


@pytest.mark.parametrize("kept", ["rewards", "progress", "null"])
def test_the_last_row_of_a_run_that_ended_well_loses_nothing(kept, tmp_path, capsys):
    """A row without a learning rate is of no update: summaries keep rewards, other loggers only progress or nulls."""
    rows = grpo()
    last = {key: value for key, value in rows[-1].items() if "reward" in key or key in {"kl", "step", "epoch"}}
    ends = {
        "rewards": {**last, "train_runtime": 311.5, "train_loss": 0.0123},
        "progress": {"step": rows[-1]["step"], "epoch": 1.0},
        "null": {key: value if key in {"step", "epoch"} else None for key, value in rows[-1].items()},
    }

    code, report = checked(tmp_path / "run.jsonl", [*rows, ends[kept]], GRPO, capsys)

    assert code == 0
    assert [item["rule"] for item in report["findings"] if item["cause"] == "non_finite"] == []


def test_rules_on_what_is_logged_rarely_do_not_say_that_rows_are_too_few(tmp_path, capsys):
    """With more rows than a rule needs points it does not say "60 of the 6 rows that a rule needs"."""
    rows = [{**row, "mean_token_accuracy": 0.6, "learning_rate": 1e-5} for row in dpo(80)]
    rows = [{key: row[key] for key in ("step", "loss", "mean_token_accuracy", "learning_rate")} for row in rows]
    rows += [{"step": 80, "eval_loss": 0.7}, {"step": 81, "eval_loss": 0.7}]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    main(["check", str(path), "--at", SFT])

    assert "Too few points" not in capsys.readouterr().out


def test_a_key_that_is_back_in_the_next_row_was_never_lost():
    """A row without a loss is told when it comes, since the run may end there; the next loss takes that back."""
    rows = grpo()
    del rows[30]["loss"], rows[30]["grad_norm"]
    monitor = Monitor(GRPO)
    said = [item.level for row in rows for item in monitor.observe(None, row) if item.cause == "non_finite"]

    assert said == ["error", "error"]
    assert [item for item in monitor.findings() if item.cause == "non_finite"] == []


@pytest.mark.parametrize("begin", [0, 30])
def test_a_reward_of_null_is_a_verifier_that_returns_nothing(begin, tmp_path, capsys):
    """TRL writes null where every reward function returned None: the verifier is to be looked at, not the weights."""
    rows = grpo()
    for row in rows[begin:]:
        row.update({"reward": None, "reward_std": None})

    code, report = checked(tmp_path / "run.jsonl", rows, GRPO, capsys)

    first = report["diagnoses"][0]
    assert (
        code,
        first["id"],
        first["cause"],
        first["onset_step"],
    ) == (1, "rewards-missing", "non_finite", begin + 1)
    assert "verifier" in first["checks"][0]
    assert {item["rule"] for item in report["findings"] if item["cause"] == "non_finite"} == {"no-reward-returned"}
    assert "weights are sound" in first["message"]


def test_one_reward_of_null_is_a_remark():
    """One step that no function could judge is told as such once the next one has a reward."""
    rows = grpo()
    rows[20]["reward"] = None
    monitor = Monitor(GRPO)
    said = [(item.rule, item.level) for row in rows for item in monitor.observe(None, row)]

    assert [item for item in said if item[1] != "info"] == [("no-reward-returned", "warning")]
    assert [
        (item.rule, item.level, item.onset_step, item.last_step)
        for item in monitor.findings()
        if item.rule == "no-reward-returned"
    ] == [("no-reward-returned", "info", 21, 21)]


def test_a_reward_that_a_table_leaves_empty_is_no_failure():
    """In a table of rows of training and evaluation, the reward is empty in those of evaluation."""
    rows = []
    for row in grpo():
        rows += [{**row, "eval_reward": None}, {**dict.fromkeys(row), "step": row["step"], "eval_reward": 0.4}]
    monitor = Monitor(GRPO)
    for row in rows:
        monitor.observe(None, row)

    assert [item for item in monitor.findings() if item.rule in ("no-reward-returned", "score-non-finite")] == []


SCHEDULE = ("step", "epoch", "learning_rate")


def stored_by_clearml(rows, onset, kept):
    """Return rows whose weights are NaN from an onset on, as a tracker stores them that writes 0 for NaN."""
    broken = []
    for row in rows:
        lost = row["step"] >= onset
        broken.append({key: 0.0 if lost and key not in kept else value for key, value in row.items()})
    return broken


@pytest.mark.parametrize(
    ("rows", "source", "kept"),
    [
        (dpo(), DPO, SCHEDULE),
        (grpo(), GRPO, (*SCHEDULE, "reward", "reward_std", "completions/mean_length", "completions/clipped_ratio")),
    ],
)
def test_zeros_at_once_are_nan_that_the_tracker_stored_as_zero(rows, source, kept, tmp_path, capsys):
    """Loss, gradient, divergences and log-probabilities that become 0 in one row broke, and that is said first."""
    code, report = checked(tmp_path / "run.jsonl", stored_by_clearml(rows, 33, kept), source, capsys)

    first = report["diagnoses"][0]
    assert (
        code,
        first["id"],
        first["cause"],
        first["level"],
        first["onset_step"],
    ) == (1, "nan-stored-as-zero", "non_finite", "error", 33)
    (found,) = [item for item in report["findings"] if item["rule"] == "zeros-for-nan"]
    assert "ClearML" in found["message"]


def test_a_monitor_that_was_saved_knows_what_is_lost():
    """What was lost before a checkpoint and comes back after it becomes a remark there."""
    rows = grpo()
    rows[30]["grad_norm"] = math.nan
    first, second = Monitor(GRPO), Monitor(GRPO)
    for row in rows[:31]:
        first.observe(None, row)
    second.load_state_dict(json.loads(json.dumps(first.state_dict())))
    for row in rows[31:]:
        second.observe(None, row)

    assert [(item.rule, item.level, item.onset_step) for item in second.findings() if item.cause == "non_finite"] == [
        ("steps-skipped", "info", 31)
    ]
