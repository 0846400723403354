"""Logs that frameworks around a trainer write, and those that people make of a trainer's: read as what they hold."""

import json
import math
import os

import pytest
from mlflow import MlflowClient
from mlflow.entities import Metric
from rlmetrics.cli import main
from rlmetrics.health import check
from rlmetrics.names import NamesError, resolve
from rlmetrics.names.tables.overlays import overlaid

LLAMA_FACTORY = "llamafactory[CustomDPOTrainer]==0.9.5+trl0.24.0"
GRPO, VERL = "trl[GRPOTrainer]==1.16.0", "verl==0.9.1"


def test_the_log_of_llama_factory_is_read(tmp_path):
    """Its steps are those of the optimizer, its names are described as they stand, and null is what it did not have."""
    path = tmp_path / "trainer_log.jsonl"
    place = {
        "total_steps": 400,
        "epoch": 0.5,
        "percentage": 5.0,
        "elapsed_time": "0:00:27",
        "remaining_time": "0:09:00",
    }
    rows = []
    for step in range(10, 410, 10):
        own = {"loss": 0.7 - step / 1000, "accuracy": 0.5 + step / 1000, "lr": 1e-6, "eval_loss": None}
        rows.append({"current_steps": step, **own, **place})
        if step % 100 == 0:
            rows.append({"current_steps": step, "loss": None, "lr": None, "eval_loss": 0.6, **place})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    (report,) = check(path, at=LLAMA_FACTORY)

    assert (report.rows, report.steps) == (40, (10, 400))
    assert [finding.rule for finding in report.findings if finding.cause == "non_finite"] == []
    meant = {key: resolve(key, LLAMA_FACTORY)[0].metric for key in ("lr", "accuracy")}
    assert meant == {"lr": "optimizer/learning_rate", "accuracy": "preference/reward/accuracy"}


@pytest.mark.parametrize(
    "around", ['{{"meta": {{"a": 1}}, "rows": {}}}', '{{"run": {{"raw_log_history": {}}}, "n": 2}}']
)
def test_a_history_below_any_key_is_read_and_translated(tmp_path, around):
    """People keep the list of rows under a name of their own, among other things."""
    rows = [{"loss": 1.0, "kl": 0.5, "step": 1}, {"loss": 0.5, "kl": 0.25, "step": 2}]
    path = tmp_path / "dump.json"
    path.write_text(around.format(json.dumps(rows)))

    (report,) = check(path, at=GRPO)
    code = main(["translate", str(path), "--from", GRPO, "--to", "canonical"])

    assert (report.rows, report.steps, code) == (2, (1, 2), 0)
    whole = (tmp_path / "dump.json.translated").read_text()
    assert json.loads(whole.replace("kl/reference/k3", "kl").replace("loss/total", "loss")) == json.loads(
        path.read_text()
    )


def test_a_step_that_mlflow_refused_is_named(tmp_path):
    """A value that is None makes MLflow take nothing of its step, and nobody hears of it."""
    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    run = client.create_run(client.create_experiment("verl")).info.run_id
    for step in (*range(1, 10), *range(11, 21)):
        client.log_batch(run, [Metric("critic/score/mean", 0.5, 1, step), Metric("actor/grad_norm", 0.1, 1, step)])

    (report,) = check(tmp_path / "mlflow.db", at=VERL)

    assert [note for note in report.notes if note.startswith("step 10 has no row: MLflow takes nothing of a step")]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: os.mkfifo(path), "is a pipe or a device"),
        (lambda path: path.symlink_to("/nowhere"), "is a symbolic link that leads nowhere"),
        (lambda path: path.mkdir(), ""),
    ],
)
def test_an_overlay_that_cannot_be_read_is_refused(tmp_path, make, said):
    """Nothing of an overlay is left out in silence, and no pipe is waited for."""
    (tmp_path / "metrics").mkdir()
    make(tmp_path / "metrics" / "own.yaml")

    if said:
        with pytest.raises(NamesError, match=said):
            overlaid([str(tmp_path)])
    else:
        assert overlaid([str(tmp_path)])["lookup"]


@pytest.mark.parametrize("lost", [0, 6])
def test_a_loss_of_disputed_meaning_is_judged_by_what_holds_for_each(tmp_path, capsys, lost):
    """Which of LLaMA-Factory's trainers wrote it decides what its loss is, and NaN is none of them."""
    rows = [{"current_steps": step, "total_steps": 30, "loss": 2 - step / 20, "lr": 1e-5} for step in range(1, 31)]
    rows[-lost:] = [{**row, "loss": math.nan} for row in rows[-lost:]] if lost else rows[-lost:]
    path = tmp_path / "trainer_log.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))

    code = main(["check", str(path), "--json"])
    report = json.loads(capsys.readouterr().out)

    assert code == (1 if lost else 0)
    assert [(item["key"], item["metric"], item["onset_step"]) for item in report["findings"]] == (
        [("loss", None, 25)] if lost else []
    )
    assert any("hold for each of their meanings" in note and note.endswith("loss") for note in report["notes"])
