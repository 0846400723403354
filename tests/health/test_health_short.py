"""Short runs are judged on what they have, and what they are too short for is said."""

import json

import pytest
from rlmetrics.cli.main import main

DPO = "trl[DPOTrainer]==0.24.0"


def preference_rows(count, every, offset, *, first=True, gain=0.02):
    """Return rows of DPO, logged at the first step and then every so many, with an evaluation in the middle.

    Both implicit rewards are off by an offset from the first step on; the margin grows with the steps.
    """
    steps = [*([1] if first else []), *(every * number for number in range(1, count))]
    rows = []
    for step in steps:
        margin = min(1.5, gain * step) - 0.1
        chosen = offset + 0.4 * margin
        row = {"rewards/chosen": chosen, "rewards/rejected": chosen - margin, "rewards/margins": margin}
        row |= {"rewards/accuracies": 0.5 + 0.1 * margin, "logps/chosen": -60.0 + chosen, "logps/rejected": -70.0}
        rows.append({"step": step, "loss": 0.7 - 0.1 * margin, "grad_norm": 5.0, "learning_rate": 1e-6, **row})
    held = {f"eval_{key}": value for key, value in rows[len(rows) // 2].items() if key.startswith("rewards/")}
    return [*rows, {"step": steps[-1], "eval_loss": 0.66, **held}]


def checked(path, rows, capsys, *options):
    """Return what the command line prints of some rows."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    main(["check", str(path), "--at", DPO, *options])
    return capsys.readouterr().out


@pytest.mark.parametrize("every", [5, 20, 100])
@pytest.mark.parametrize("count", [4, 8, 12])
@pytest.mark.parametrize("offset", [1.5, -1.7])
def test_another_reference_shows_in_the_first_row(every, count, offset, tmp_path, capsys):
    """Before the first update the policy is the reference: rewards of 1.5 there are told, however rarely is logged."""
    report = json.loads(checked(tmp_path / "run.jsonl", preference_rows(count, every, offset), capsys, "--json"))

    first = report["diagnoses"][0]
    assert (first["id"], first["level"], first["onset_step"]) == ("wrong-reference", "warning", 1)


@pytest.mark.parametrize("every", [5, 20, 100])
@pytest.mark.parametrize("first", [True, False])
def test_a_reference_that_is_the_policy_is_not_another(every, first, tmp_path, capsys):
    """Rewards that begin at 0, and are averages over many steps in later rows, are those of a healthy run."""
    rows = preference_rows(12, every, 0.0, first=first, gain=0.005)

    report = json.loads(checked(tmp_path / "run.jsonl", rows, capsys, "--json"))

    assert [item for item in report["findings"] if item["level"] != "info"] == []


def test_an_excerpt_from_the_middle_of_a_run_tells_nothing_of_the_reference(tmp_path, capsys):
    """Rows that were pasted without steps begin at 0; an epoch of 0.4 in the first of them says that they do not."""
    rows = preference_rows(6, 5, 3.0)[:-1]
    for place, row in enumerate(rows):
        del row["step"]
        row["epoch"] = 0.4 + 0.002 * place

    report = json.loads(checked(tmp_path / "run.jsonl", rows, capsys, "--json"))

    assert [item["id"] for item in report["diagnoses"] if item["id"] == "wrong-reference"] == []
    assert "reference-is-another" not in {item["rule"] for item in report["findings"]}


def test_margins_that_the_loss_cannot_see_are_no_health(tmp_path, capsys):
    """A margin of 140 with a loss of exactly 0 is told, even of a run of five rows."""
    rows = preference_rows(5, 50, 0.0)
    for row in rows[1:-1]:
        row.update({"loss": 0.0, "rewards/margins": 138.0 + row["step"] / 50, "rewards/chosen": 40.0, "grad_norm": 0.0})

    report = json.loads(checked(tmp_path / "run.jsonl", rows, capsys, "--json"))

    assert "pairs-beyond-loss" in {item["id"] for item in report["diagnoses"]}


def test_too_few_rows_are_told(tmp_path, capsys):
    """A healthy run of four rows is not called healthy without saying what it is too short for."""
    text = checked(tmp_path / "run.jsonl", preference_rows(4, 10, 0.0, gain=0.001), capsys)

    said = " ".join(text.split("\n\n")[0].split())
    assert "Nothing is wrong" in said
    assert "Too few points for more: " in said
    assert " further rules need " in said


def test_held_out_rewards_are_a_held_out_score(tmp_path, capsys):
    """Where rewards of evaluation are logged, the lack of a held-out score is not told."""
    text = checked(tmp_path / "run.jsonl", preference_rows(12, 10, 0.0, gain=0.001), capsys, "--full")

    assert "held-out score" not in text


def test_weak_signs_that_are_announced_are_shown(tmp_path, capsys):
    """A remark that no diagnosis takes up stands there with its key, its value and what it means."""
    path = tmp_path / "run.jsonl"
    rows = [
        {
            "step": step,
            "loss": 0.01 + 0.001 * (step % 5),
            "grad_norm": 0.5,
            "reward": 0.3 + 0.005 * step + 0.01 * (step % 3),
            "reward_std": 0.2 + 0.01 * (step % 4),
            "kl": 0.04 if step == 33 else 0.0004 + 0.0001 * (step % 2),
        }
        for step in range(1, 60)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    main(["check", str(path), "--at", "trl[grpo]==0.16.1"])

    text = capsys.readouterr().out
    assert "Weak signs are below." in " ".join(text.split())
    assert "info      kl " in text
    assert "has jumped" in " ".join(text.split())
