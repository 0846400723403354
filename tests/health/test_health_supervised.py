"""Supervised trainings: their loss is what is wanted itself, and no policy is spoken of."""

import json
import math
import random

import pytest
from rlmetrics.cli.main import main

SFT = "trl[SFTTrainer]==0.14.0"


def told(path, losses, norms, capsys):
    """Return the diagnoses that the command line makes of a loss and a gradient norm at each step."""
    rows = [
        {"step": step, "loss": loss, "grad_norm": norm, "learning_rate": 1e-5, "epoch": step / 100}
        for step, (loss, norm) in enumerate(zip(losses, norms, strict=True), start=1)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    main(["check", str(path), "--at", SFT, "--json"])
    diagnoses = json.loads(capsys.readouterr().out)["diagnoses"]
    return [(item["id"], item["onset_step"]) for item in diagnoses if item["level"] != "info"]


@pytest.mark.parametrize("seed", range(5))
def test_a_loss_that_batches_make_uneven_has_not_exploded(seed, tmp_path, capsys):
    """Batches of one sample give losses between 2 and 9 from the start on; the run is healthy."""
    noise = random.Random(seed)
    losses = [6.0 * math.exp(-step / 250) + noise.uniform(-2.8, 2.8) for step in range(300)]

    assert told(tmp_path / "run.jsonl", losses, [1.0 + 0.2 * noise.random() for _ in losses], capsys) == []


def test_a_loss_that_has_exploded_is_told_without_a_policy(tmp_path, capsys):
    """At a learning rate far too high the model is soon worse than the one that training started from."""
    noise = random.Random(2)
    losses = [2.0 + 0.1 * noise.gauss(0, 1) if step < 6 else 9.0 + 0.2 * noise.gauss(0, 1) for step in range(60)]

    (first, *_) = told(tmp_path / "run.jsonl", losses, [1.0 for _ in losses], capsys)

    assert first[0] == "supervised-training-diverges"
    assert abs(first[1] - 7) <= 1


@pytest.mark.parametrize(("falls", "warned"), [(True, False), (False, True)])
def test_spikes_of_the_gradient_matter_where_the_loss_does_not_fall(falls, warned, tmp_path, capsys):
    """Clipping takes the harm out of single batches: what shows that is a loss that goes on falling."""
    noise = random.Random(3)
    losses = [1.5 * math.exp(-step / 150 * falls) + 0.02 * noise.gauss(0, 1) for step in range(200)]
    norms = [0.4 * (30 if step in {110, 125, 140, 160} else 1 + 0.1 * noise.random()) for step in range(200)]

    named = [name for name, _ in told(tmp_path / "run.jsonl", losses, norms, capsys)]

    assert ("gradients-spike" in named) is warned


def test_held_out_loss_that_turns_is_found_from_a_dozen_evaluations(tmp_path, capsys):
    """The data are learnt by heart from the lowest of twelve held-out losses on."""
    noise = random.Random(4)
    rows = []
    for step in range(10, 610, 10):
        rows.append({"step": step, "loss": 2.0 * math.exp(-step / 250), "grad_norm": 1.0, "learning_rate": 1e-5})
        if step % 50 == 0:
            held = 1.6 * math.exp(-min(step, 250) / 280) + 0.0022 * max(0, step - 250)
            rows.append({"step": step, "eval_loss": held * (1 + 0.02 * noise.gauss(0, 1))})
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    main(["check", str(path), "--at", "trl[SFTTrainer]==0.21.0", "--json"])

    first = json.loads(capsys.readouterr().out)["diagnoses"][0]
    assert (first["cause"], first["level"]) == ("held_out_divergence", "warning")
    assert 200 <= first["onset_step"] <= 400


def test_a_loss_that_is_logged_is_not_called_missing(tmp_path, capsys):
    """What the rule of held-out losses lacks is an evaluation: the training's loss is in the log."""
    rows = [{"step": step, "loss": 2.0 - step / 100, "grad_norm": 1.0, "learning_rate": 1e-5} for step in range(1, 21)]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    main(["check", str(path), "--at", SFT, "--json"])

    (why,) = [item for item in json.loads(capsys.readouterr().out)["not_judged"] if item["rule"] == "overfits"]
    assert why["why"] == "loss is not logged in evaluation"
    assert why["how"] == "have the run evaluated on data that is not trained on"


def test_a_number_that_never_moved_is_told_from_its_first_step(tmp_path, capsys):
    """A learning rate of 0 from the first step is 0 since then, not since the rule had seen enough; no percentage."""
    rows = [
        {"loss": 1.9 + 0.03 * (step % 5), "grad_norm": 2.5 + 0.2 * (step % 3), "learning_rate": 0.0, "step": step}
        for step in range(1, 81)
    ]
    log = tmp_path / "still.jsonl"
    log.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")

    main(["check", str(log), "--at", "trl[sft]==1.16.0"])

    said = " ".join(capsys.readouterr().out.split())
    assert "learning_rate = 0 since step 1 " in said
    assert "Rests on warning: a bound that was measured" in said
    assert "%" not in said
