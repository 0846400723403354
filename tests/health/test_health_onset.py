"""Since when: where a curve leaves its level, which is before a rule has seen enough."""

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.cli.main import main
from rlmetrics.health import Monitor
from rlmetrics.health.conditions import parse_condition
from rlmetrics.health.series import Series


def curve(values):
    """Return a series of values, one a step from 1 on."""
    series = Series("x")
    for step, value in enumerate(values, start=1):
        series.add(step, value)
    return series


@settings(max_examples=60, deadline=None)
@given(st.integers(12, 90), st.integers(4, 30), st.floats(0.5, 50), st.floats(-0.9, 3).filter(lambda by: abs(by) > 0.3))
def test_a_step_is_left_where_it_is(onset, after, level, by):
    """A curve that jumps from one level to another left the first where it jumped, whenever that is asked."""
    noise = random.Random(f"{onset} {after}")
    values = [(level if step < onset else level * (1 + by)) * (1 + 0.01 * noise.gauss(0, 1)) for step in range(1, 125)]

    assert curve(values[: onset + after]).left_at(onset + after) == onset


@pytest.mark.parametrize("pace", [3, 10, 25])
def test_a_decay_is_left_where_it_begins(pace):
    """A curve that decays from step 60 on, slowly or fast, left its level within a few steps of that."""
    values = [0.8 * math.exp(-max(0, step - 60) / pace) + 0.002 * (step % 3) for step in range(1, 110)]

    assert abs(curve(values).left_at(109) - 60) <= 2 + pace / 4


@settings(max_examples=60, deadline=None)
@given(st.integers(6, 30), st.floats(0.2, 3), st.sampled_from([-1, 1]))
def test_what_is_on_its_way_from_the_start_leaves_it_where_it_jumps(onset, pace, sign):
    """A curve that drifts from its first point on has no level to leave; it breaks where it jumps."""
    values = [sign * pace * (at if at < onset else 6 * onset) for at in range(1, onset + 30)]

    assert curve(values).left_at(len(values)) == onset


def test_a_drift_without_a_jump_began_where_it_began():
    """Without a jump there is nothing but its beginning."""
    assert curve([100.0 - at for at in range(40)]).left_at(40) <= 4


def test_a_curve_that_never_moved_was_so_from_its_start():
    """What is at a level from the first point on has no other onset."""
    assert curve([0.98 + 0.001 * (step % 4) for step in range(60)]).left_at(30) == 1


def collapsing(onset, steps=140):
    """Return a run whose entropy collapses at a step, with a reward that stands still."""
    noise = random.Random(onset)
    for step in range(1, steps + 1):
        entropy = 0.7 if step < onset else 0.01
        yield {
            "step": step,
            "actor/entropy": entropy * (1 + 0.02 * noise.gauss(0, 1)),
            "critic/score/mean": 0.3 + 0.02 * noise.gauss(0, 1),
            "actor/grad_norm": 0.5 + 0.05 * noise.gauss(0, 1),
        }


@pytest.mark.parametrize("onset", [40, 77])
def test_findings_say_both_where_it_began_and_where_it_was_seen(onset, tmp_path, capsys):
    """JSON has the step at which the curve left and that at which the rule was sure; the answer has the first."""
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in collapsing(onset)))

    main(["check", str(path), "--at", "verl==0.9.1", "--json"])

    report = json.loads(capsys.readouterr().out)
    (found,) = [item for item in report["findings"] if item["rule"] == "entropy-collapse"]
    assert (found["onset_step"], report["diagnoses"][0]["onset_step"]) == (onset, onset)
    assert onset < found["seen_step"] < onset + 25


def dead(begin, equal, short=1.0):
    """Return a run of verl that writes one short response from a step on, all of which earn the same."""
    noise = random.Random(begin)
    for step in range(1, 201):
        gone = step >= begin
        yield {
            "step": step,
            "critic/score/mean": equal if gone else -0.2 + 0.05 * noise.gauss(0, 1),
            "critic/score/max": equal if gone else 1.0,
            "critic/score/min": equal if gone else -1.0,
            "actor/entropy": 0.0004 if gone else 0.4 + 0.01 * noise.gauss(0, 1),
            "actor/grad_norm": 0.0002 if gone else 0.7 + 0.05 * noise.gauss(0, 1),
            "response_length/mean": short if gone else 700 + 40 * noise.gauss(0, 1),
        }


@pytest.mark.parametrize("begin", [14, 90])
def test_a_dead_run_is_an_error_since_it_died(begin):
    """One-token responses that all earn the same are no matter of taste: an error, since that began."""
    monitor = Monitor("verl==0.9.1")
    for row in dead(begin, -1.0):
        monitor.observe(None, row)

    first = monitor.report().diagnoses[0]
    assert (first.id, first.level, first.onset_step) == ("policy-collapsed", "error", begin)


def test_a_policy_that_solves_everything_is_not_dead():
    """All responses earn the most there is, and the policy is sure of them: solved, and no error."""
    noise = random.Random(3)
    monitor = Monitor("verl==0.9.1")
    for step in range(1, 201):
        share = min(1.0, step / 120)
        monitor.observe(
            step,
            {
                "critic/score/mean": share,
                "critic/score/max": 1.0,
                "critic/score/min": 1.0 if share == 1.0 else 0.0,
                "actor/entropy": 0.4 * (1.02 - share) * (1 + 0.02 * noise.gauss(0, 1)),
                "actor/grad_norm": 0.5 + 0.05 * noise.gauss(0, 1),
                "response_length/mean": 300 + 5 * noise.gauss(0, 1),
            },
        )

    assert "error" not in {item.level for item in monitor.findings()}


def one_group(share, seed, steps=200):
    """Return a run of GRPO with one group a step, of which a share is uniform; such steps have no gradient."""
    noise = random.Random(f"{share} {seed}")
    for step in range(1, steps + 1):
        uniform = noise.random() < share
        yield {
            "step": step,
            "loss": 0.0 if uniform else noise.gauss(0, 0.05),
            "grad_norm": 0.0 if uniform else 0.6 * math.exp(noise.gauss(0, 0.3)),
            "learning_rate": 1e-6,
            "reward": float(noise.random() < 0.6) if uniform else 0.125 * noise.randint(1, 7),
            "reward_std": 0.0 if uniform else 0.45,
            "frac_reward_zero_std": float(uniform),
            "entropy": 0.3 + 0.01 * noise.gauss(0, 1),
            "completions/mean_length": 200 + 10 * noise.gauss(0, 1),
        }


@pytest.mark.parametrize("share", [0.2, 0.4, 0.6, 0.8])
@pytest.mark.parametrize("seed", range(6))
def test_a_share_that_stays_where_it_is_makes_no_error(share, seed, tmp_path, capsys):
    """Steps with one group have a share of 0 or 1; only its mean is judged, and the cost is what had no gradient."""
    rows = [*one_group(share, seed)]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    code = main(["check", str(path), "--at", "trl[grpo]==0.24.0", "--json"])

    report = json.loads(capsys.readouterr().out)
    assert (code, [item for item in report["findings"] if item["level"] == "error"]) == (0, [])
    wasted = sum(row["grad_norm"] == 0 for row in rows)
    assert report["cost"].get("steps", wasted) == wasted


@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_dies_after_such_a_share_is_an_error(seed):
    """When all groups are uniform from a step on, the row of them is too long for chance."""
    monitor = Monitor("trl[grpo]==0.24.0")
    for alive, gone in zip(one_group(0.5, seed), one_group(1.0, seed), strict=True):
        monitor.observe(None, alive if alive["step"] < 120 else {**gone, "reward": 0.0})

    errors = [item for item in monitor.findings() if item.level == "error"]
    assert errors
    assert {item.cause for item in errors} == {"no_learning_signal"}
    assert all(110 <= item.onset_step <= 120 for item in errors)


def test_a_plateau_begins_where_the_curve_came_to_it():
    """A reward that rises for 120 steps and then stands still has its plateau since then, not since the start."""
    noise = random.Random(1)
    monitor = Monitor("verl==0.9.1")
    for step in range(1, 501):
        score = 0.1 + 0.4 * min(1.0, step / 120) + 0.004 * noise.gauss(0, 1)
        monitor.observe(step, {"critic/score/mean": score, "actor/grad_norm": 0.5 + 0.02 * noise.gauss(0, 1)})

    onsets = [item.onset_step for item in monitor.findings() if item.rule == "reward-plateau"]
    assert onsets
    assert all(90 <= onset <= 150 for onset in onsets)


def drifting(onset, steps=120):
    """Return a run that drifts from its start on, and collapses at a step."""
    for step in range(1, steps + 1):
        gone = step >= onset
        yield {
            "step": step,
            "actor/entropy": 0.0004 if gone else 0.31,
            "response_length/mean": 1.0 if gone else 1500.0 - 40 * step,
            "response_length/max": 1.0 if gone else 2000.0,
            "response_length/min": 1.0 if gone else 20.0,
            "actor/reward_kl_penalty": 14.0 if gone else 0.8 + 0.2 * step,
            "critic/score/mean": -1.0 if gone else -0.4 + 0.01 * (step % 3),
            "critic/score/max": -1.0 if gone else 1.0,
            "critic/score/min": -1.0,
            "actor/grad_norm": 0.0001 if gone else 0.8,
        }


@pytest.mark.parametrize("onset", [12, 21])
def test_a_collapse_is_told_with_the_step_of_all_that_it_broke(onset, tmp_path, capsys):
    """The answer, its evidence and the advice name one step: no drift before it passes for what moved first."""
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in drifting(onset)), encoding="utf-8")

    assert main(["check", str(path), "--at", "verl==0.9.1"]) == 1

    said = capsys.readouterr().out
    assert f"collapsed onto one response, since step {onset}." in said
    assert f"-> 1 since step {onset}\n" in said
    assert "moved first" not in said
    assert " at step " not in said


def test_a_curve_that_rose_and_falls_again_has_fallen_since_its_peak():
    """Where a rule asks for a fall, the way there is told from its peak on, also above where the curve mostly was."""
    rise, fall = [0.01 * at for at in range(100)], [1.0 - 0.004 * at for at in range(60)]
    values = [value + 0.005 * (at % 3) for at, value in enumerate(rise + fall)]
    assert abs(curve(values).left_at(159, 1) - 100) <= 16
    assert parse_condition("falling(x, 0.6) and now(x) < 2").heading == 1
    assert parse_condition("rising(x) and falling(reward)").heading == -1
    assert parse_condition("not_rising(x) and falling(reward)").heading == 0
    assert parse_condition("falling(x) or rising(x)").heading == 0


def test_a_held_out_loss_rises_since_it_was_lowest(tmp_path, capsys):
    """Held-out points are few: not where the loss had left its noise is told, but where it turned."""
    held = [1.60, 1.41, 1.30, 1.36, 1.47, 1.61, 1.83, 2.01, 2.22, 2.40]
    rows = []
    for step in range(10, 1501, 10):
        rows.append({"step": step, "loss": 1.3 * 0.997 ** (step / 5), "grad_norm": 1.0, "learning_rate": 1e-4})
        if not step % 150:
            rows.append({"step": step, "eval_loss": held[step // 150 - 1]})
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    main(["check", str(path), "--at", "trl[sft]==1.16.0"])

    said = capsys.readouterr().out
    assert said.startswith("The training data are learnt by heart, since step 450.")
    assert "eval_loss 1.3 -> 2.4 since step 450" in said


def test_a_loss_that_is_nan_leaves_no_empty_mask(tmp_path, capsys):
    """A NaN loss that transformers logs as 0 beside an accuracy of 0: the numbers broke there and not a step before."""
    rows = [
        {
            "step": step,
            "loss": 0.0 if step > 700 else 1.2 + 0.01 * (step % 70) / 10,
            "grad_norm": math.nan if step > 700 else 1.1 + 0.01 * (step % 50) / 10,
            "learning_rate": 1e-5,
            "num_tokens": 1000.0 * step,
            "entropy": math.nan if step > 700 else 1.2,
            "mean_token_accuracy": 0.0 if step > 700 else 0.7 + 0.0001 * (step % 30),
        }
        for step in range(10, 1001, 10)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    main(["check", str(path), "--at", "trl[sft]==1.16.0"])

    said = capsys.readouterr().out
    assert said.startswith("The numbers broke, at step 710.")
    assert "mask leaves no token" not in said
    assert "step 680" not in said


def test_a_curve_that_falls_does_not_fluctuate():
    """How a curve scatters is measured about its course: a steep fall after a calm beginning is none."""
    noise = random.Random("calm")
    falls = curve([0.5 - 0.05 * max(0, step - 60) + 0.004 * noise.gauss(0, 1) for step in range(90)])
    wild = curve([0.5 + (0.004 if step < 60 else 0.05) * noise.gauss(0, 1) for step in range(90)])

    assert falls.swing() < 3 * falls.early_swing()
    assert wild.swing() > 3 * wild.early_swing()
