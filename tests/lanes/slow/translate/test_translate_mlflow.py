"""Stores of MLflow, written by MLflow, translated through the command line, and read by MLflow."""

import json
import sqlite3
from contextlib import closing

from mlflow import MlflowClient
from rlmetrics.cli import main
from rlmetrics.translate import Translator
from translate.mlflow_stores import log_run, recorded_rows, uri_of


def test_each_run_of_a_database_is_judged_by_its_own_names(tmp_path, capsys):
    """Runs of two frameworks in one database: keys and notes of each are those of its own source."""
    store, out = tmp_path / "mlruns.db", tmp_path / "out.db"
    client = MlflowClient(uri_of(store))
    experiment = client.create_experiment("rlhf", artifact_location=(tmp_path / "artifacts").as_uri())
    rows = {"ppo": recorded_rows("trl-0.7.10-ppo1_tensorboard.jsonl"), "sft": recorded_rows("verl-0.9.1-sft.jsonl")}
    # MLflow allows no brackets, and a metric that is logged under two names at some steps only would be set aside.
    for logged in rows.values():
        logged[:] = [{key: row[key] for key in row if "(" not in key and "env/reward" not in key} for row in logged]
    for name, logged in rows.items():
        log_run(client, experiment, name, logged)
    truths = {"ppo": "trl[PPOTrainer]==0.7.10", "sft": "verl[sft]==0.9.1"}

    assert main(["translate", str(store), "--to", "canonical", "-o", str(out), "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    runs = {run.info.run_name: run for run in MlflowClient(uri_of(out)).search_runs([experiment])}
    for name, truth in truths.items():
        translator = Translator(truth, "canonical", surface="mlflow")
        keys = {key.replace("@", "_at_") for row in rows[name] for key in row if isinstance(row[key], int | float)}
        assert {translator.key(key).output for key in keys} == set(runs[name].data.metrics)
    sources = {name: json.loads(run.data.tags["translated_from"])["from"] for name, run in runs.items()}
    assert sources == {"ppo": "trl[PPOTrainer]==0.5.0..0.11.4", "sft": "verl[sft]==0.9.1"}
    with closing(sqlite3.connect(store)) as database:
        assert database.execute("SELECT count(*) FROM metrics").fetchone() == (report["records"],)
