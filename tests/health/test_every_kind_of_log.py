"""One run gives one verdict, whatever kept it: real trackers, each with its own idea of what a step is."""

import json
import random

import pytest
from health_simulator import simulate, spelled
from kept_runs import KINDS
from rlmetrics.cli import main

GRPO = "trl[GRPOTrainer]==1.16.0"


def rows_of(scenario):
    """Return a run as TRL logs it, a row every five steps, with an evaluation every fifty and the sum at the end."""
    chance, step = random.Random(scenario), 0
    rows = []
    for row in spelled(simulate("grpo", scenario, 0).rows, GRPO):
        step = 5 * row["step"]
        rows.append({**row, "epoch": step / 400, "step": step})
        if step % 50 == 0:
            reward = 0.3 + step / 5000 + chance.gauss(0, 0.01)
            rows.append({"eval_loss": 0.1, "eval_reward": reward, "epoch": step / 400, "step": step})
    return [*rows, {"train_runtime": 512.0, "train_loss": 0.2, "epoch": step / 400, "step": step}]


@pytest.fixture(scope="module", params=["healthy", "entropy_collapse", "nan_loss"])
def verdicts(request, tmp_path_factory):
    """What ``check`` says of one run in each kind of log: rows, steps, and what each rule found since when."""
    rows, found = rows_of(request.param), {}
    for kind, keep in KINDS.items():
        folder = tmp_path_factory.mktemp(kind)
        path, said = keep(rows, folder), folder / "said.json"
        with said.open("w") as file, pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdout", file)
            code = main(["check", str(path), "--at", GRPO, "--json", "--fail-on", "never"])
        assert code == 0
        found[kind] = json.loads(said.read_text())
    return found


def test_a_run_has_the_same_rows_and_steps_in_every_kind(verdicts):
    """A row for each step that was logged: neither timers, nor evaluations, nor the sum at the end are further ones."""
    assert {kind: (run["rows"], *run["steps"]) for kind, run in verdicts.items()} == dict.fromkeys(
        KINDS, (240, 5, 1200)
    )


def test_a_run_has_the_same_findings_in_every_kind(verdicts):
    """Each rule finds the same on the same metric, since the same step."""
    found = {
        kind: [
            (one["rule"], one["level"], one["metric"], one["onset_step"], one["first_step"]) for one in run["findings"]
        ]
        for kind, run in verdicts.items()
    }

    assert found == dict.fromkeys(KINDS, found["trainer-state"])


def test_a_run_has_the_same_answer_in_every_kind(verdicts):
    """The first diagnosis is the same."""
    answers = {kind: [one["id"] for one in run["diagnoses"]][:1] for kind, run in verdicts.items()}

    assert answers == dict.fromkeys(KINDS, answers["trainer-state"])
