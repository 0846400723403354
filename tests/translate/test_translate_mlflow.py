"""Stores of MLflow, written by MLflow, translated through the command line, and read by MLflow."""

import json
import math
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from mlflow import MlflowClient
from mlflow.entities import Metric
from rlmetrics.cli import main
from rlmetrics.logs.kinds import KINDS
from rlmetrics.translate import Translator, translate_file
from translate.mlflow_stores import FLIPPED, log_run, recorded_rows, uri_of

GRPO, VERL, DPO = "trl[GRPOTrainer]==0.18.2", "verl==0.9.1", "trl[OnlineDPOTrainer]==0.18.2"
STORES = ["sqlite", "files"]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The same runs in a database and in a file store: real rows of TRL and verl, values that aren't finite."""
    folder = tmp_path_factory.mktemp("mlflow")
    places = {"sqlite": folder / "mlruns.db", "files": folder / "mlruns"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        for place in places.values():
            client = MlflowClient(uri_of(place))
            experiment = client.create_experiment("rlhf", artifact_location=(folder / "artifacts").as_uri())
            log_run(
                client,
                experiment,
                "trl",
                [*recorded_rows("trl-0.18.2-grpo.jsonl"), {"reward": math.nan, "kl": math.inf}],
            )
            log_run(client, experiment, "verl", recorded_rows("verl-0.9.1-tracking.jsonl"))
            chain = Metric("critic/critic/vf_loss", 0.5, 1, 1), Metric("critic/vf_loss", 0.5, 1, 1)
            client.log_batch(client.create_run(experiment, run_name="chain").info.run_id, metrics=chain)
            log_run(
                client,
                experiment,
                "shares",
                [{FLIPPED: value, "actor/lr": 1e-6} for value in (0.25, math.nan, math.inf, 1.0)],
            )
    return places


@pytest.fixture(params=STORES)
def store(request, written, tmp_path, monkeypatch):
    """A copy of a store in a folder of its own, each kind in turn."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    place = written[request.param]
    goal = tmp_path / place.name
    shutil.copytree(place, goal) if place.is_dir() else shutil.copy(place, goal)
    return goal


def _history(place):
    """All that MLflow finds in a store: by name of the run, every point of every key, and the latest."""
    client = MlflowClient(uri_of(place))
    experiment = client.get_experiment_by_name("rlhf")
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])
    return {
        run.info.run_name: {
            key: [(m.step, m.timestamp, repr(m.value)) for m in client.get_metric_history(run.info.run_id, key)]
            for key in run.data.metrics
        }
        for run in runs
    }, {run.info.run_name: run.data for run in runs}


@pytest.mark.parametrize(("run", "source"), [("trl", GRPO), ("verl", VERL)])
def test_mlflow_finds_every_point_under_its_new_name(store, tmp_path, capsys, run, source):
    """Values, times and steps are those of the original; parameters and tags stay; keys of other runs do, too."""
    out = tmp_path / "out" / store.name
    out.parent.mkdir()

    code = main(["translate", str(store), "--from", source, "--to", "canonical", "-o", str(out), "--json"])

    report = json.loads(capsys.readouterr().out)
    (old, before), (new, after) = _history(store), _history(out)
    translator = Translator(source, "canonical", surface="mlflow")
    # Runs of other programs, where each is a folder of its own, are left alone and told.
    assert (code, report["kind"], report["from"]) == (int(store.is_dir()), "mlflow", source)
    assert {translator.key(key).output: points for key, points in old[run].items()} == new[run]
    # Two keys do not tell another program for certain, so those runs are read with the named source.
    left_alone = {"trl": "verl", "verl": "trl"}[run]
    read = [old[name] for name in old if store.is_file() or name != left_alone]
    assert sum(len(points) for found in read for points in found.values()) == report["records"]
    assert before[run].params == after[run].params
    assert before[run].tags["note"] == after[run].tags["note"]
    for key, value in before[run].metrics.items():
        assert repr(value) == repr(after[run].metrics[translator.key(key).output])
    said = json.loads(after[run].tags["translated_from"])
    assert (source, report["to"]) == (said["from"], said["to"])


def test_names_of_verl_stay_legal(store, tmp_path):
    """``@`` is read as verl spells it for MLflow, and what the target logs with brackets is spelled so, too."""
    out = tmp_path / "out" / store.name
    out.parent.mkdir()

    report = translate_file(store, source=VERL, target="verl==0.1", output=out)

    _, data = _history(out)
    assert report.translated["actor/lr"]["to"] == "actor/lr_1e-4_"
    assert data["shares"].metrics["actor/lr_1e-4_"] == pytest.approx(1e-6 / 1e-4)
    assert any("mean_at_" in key for key in data["verl"].metrics)


def test_known_conversions_apply_to_all_tables(store, tmp_path, capsys):
    """History and latest values are converted alike; what is no number stays, infinity changes its sign."""
    out = tmp_path / "out" / store.name
    out.parent.mkdir()

    assert main(["translate", str(store), "--from", DPO, "--to", "canonical", "-o", str(out)]) == int(store.is_dir())

    history, data = _history(out)
    infinity = 1.7976931348623157e308 if store.suffix == ".db" else math.inf
    values = [value for _, _, value in history["shares"]["length/truncated_fraction"]]
    assert [repr(value) for value in (0.75, math.nan, -infinity, 0.0)] == values
    assert data["shares"].metrics["length/truncated_fraction"] == 0.0


def test_a_name_may_pass_from_one_series_to_another(store, tmp_path):
    """The ``critic/vf_loss`` of verl 0.9.1 is ``critic/critic/vf_loss`` in 0.6.0, which has another of that name."""
    out = tmp_path / "out" / store.name
    out.parent.mkdir()

    translate_file(store, source="verl==0.6.0", target=VERL, output=out)

    (old, _), (new, _) = _history(store), _history(out)
    assert old["chain"]["critic/critic/vf_loss"] == new["chain"]["critic/vf_loss"]
    assert old["chain"]["critic/vf_loss"] == new["chain"]["untranslated/verl-0.6.0/critic/vf_loss"]
    assert set(new["chain"]) == {"critic/vf_loss", "untranslated/verl-0.6.0/critic/vf_loss"}


def test_different_series_for_one_name_are_set_aside(tmp_path, monkeypatch, capsys):
    """Two old keys of one new name: equal series are written once; different ones are both set aside, and exit 1."""
    old_ppo = "trl[PPOTrainer]==0.7.10"
    store = tmp_path / "mlruns"
    run = store / "1" / ("a" * 32)
    (run / "metrics" / "env").mkdir(parents=True)
    (run / "metrics" / "ppo").mkdir()
    (run / "meta.yaml").write_text(f"run_id: {'a' * 32}\n")
    (run / "metrics" / "env" / "reward_mean").write_text("1 0.5 0\n2 0.25 1\n")
    (run / "metrics" / "ppo" / "mean_scores").write_text("3 0.5 0\n4 0.25 1\n")

    assert main(["translate", str(store), "--from", old_ppo, "--to", "canonical"]) == 0
    (run / "metrics" / "ppo" / "mean_scores").write_text("3 0.5 0\n4 0.75 1\n")
    assert main(["translate", str(store), "--from", old_ppo, "--to", "canonical", "--force"]) == 1

    found = tmp_path / "mlruns.translated" / "1" / ("a" * 32) / "metrics" / "untranslated" / "trl-0.7.10"
    assert (found / "env" / "reward_mean").read_text() == "1 0.5 0\n2 0.25 1\n"
    assert (found / "ppo" / "mean_scores").read_text() == "3 0.5 0\n4 0.75 1\n"


def test_a_torn_line_of_a_file_store_is_left_out_and_counted(written, tmp_path):
    """A line without its end may lack digits."""
    store = tmp_path / "mlruns"
    shutil.copytree(written["files"], store)
    (metric,) = store.glob("*/*/metrics/kl")
    metric.write_bytes(metric.read_bytes() + b"1700000000000 0.12")

    report = translate_file(store, source=GRPO, target="canonical", output=tmp_path / "out")

    assert (report.lost.records, report.lost.bytes) == (1, 18)


def test_a_name_that_is_a_folder_of_another_is_refused(tmp_path, capsys):
    """A file store can't hold ``policy`` and ``policy/loss``: one line says what becomes of both; other runs go on."""
    runs = [tmp_path / "mlruns" / "1" / (letter * 32) for letter in "ab"]
    for run in runs:
        (run / "metrics" / "ppo" / "loss").mkdir(parents=True)
        (run / "meta.yaml").write_text("run_id: a\n")
        (run / "metrics" / "ppo" / "loss" / "policy").write_text("1 0.5 0\n")
    (runs[0] / "metrics" / "policy").write_text("1 0.5 0\n")
    command = ["translate", str(runs[0]), "--from", "trl[PPOTrainer]==0.7.10", "--to", "canonical"]

    assert main(command) == 2

    new = Translator("trl[PPOTrainer]==0.7.10", "canonical").key("ppo/loss/policy").output
    line = (
        f"{runs[0]}: names conflict: policy is written as policy and ppo/loss/policy as {new}, but a file store "
        "can't hold a series and a folder of one name; take one of the two out (metrics/policy), or use a database"
    )
    assert capsys.readouterr().err.splitlines() == [f"rlmetrics translate: {line}"]
    assert [path.name for path in tmp_path.iterdir()] == ["mlruns"]

    assert main([command[0], str(tmp_path / "mlruns"), *command[2:], "--full"]) == 1
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [f"rlmetrics translate: {line}; left out"]
    assert f"REFUSED, left out (1):\n  {line}\n" in captured.out
    assert not [path for path in (tmp_path / "mlruns.translated" / "1" / ("a" * 32)).rglob("*") if path.is_file()]
    assert (tmp_path / "mlruns.translated" / "1" / ("b" * 32) / "metrics" / new).is_file()


def test_a_database_in_use_is_copied_as_of_one_moment(written, tmp_path):
    """While another process logs, the copy holds whole transactions only, and the writer is not in its way."""
    store = shutil.copy(written["sqlite"], tmp_path / "mlruns.db")
    code = f"""
import sqlite3
database = sqlite3.connect({str(store)!r}, isolation_level=None, timeout=60)
(run,) = database.execute("SELECT run_uuid FROM runs LIMIT 1").fetchone()
print("ready", flush=True)
for number in range(10**9):
    database.execute("BEGIN IMMEDIATE")
    for key in ("pairs/a", "pairs/b"):
        database.execute("INSERT INTO metrics VALUES (?, 0.5, ?, ?, ?, 0)", (key, number, run, number))
    database.execute("COMMIT")
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as writer:
        try:
            assert writer.stdout is not None
            writer.stdout.readline()
            translate_file(store, source=VERL, target="canonical", output=tmp_path / "out.db")
            assert writer.poll() is None
        finally:
            writer.kill()

    with closing(sqlite3.connect(tmp_path / "out.db")) as database:
        counts = dict(database.execute("SELECT key, count(*) FROM metrics WHERE key LIKE 'pairs/%' GROUP BY key"))
        assert counts["pairs/a"] == counts["pairs/b"] > 0
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_other_tables_stay(written, tmp_path):
    """Everything in the database but keys of metrics and our tag is as it was."""
    out = tmp_path / "out.db"
    translate_file(written["sqlite"], source=VERL, target="canonical", output=out)

    with closing(sqlite3.connect(written["sqlite"])) as old, closing(sqlite3.connect(out)) as new:
        names = [name for (name,) in old.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert (
            old.execute("SELECT sql FROM sqlite_master").fetchall()
            == new.execute("SELECT sql FROM sqlite_master").fetchall()
        )
        for name in sorted({*names} - {"metrics", "latest_metrics", "tags"}):
            query = f'SELECT * FROM "{name}"'
            assert old.execute(query).fetchall() == new.execute(query).fetchall()
        query = "SELECT * FROM tags WHERE key != 'translated_from'"
        assert old.execute(query).fetchall() == new.execute(query).fetchall()


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("value", "much", "the value 'much' of critic/rewards/max at step 0 is no number"),
        ("step", "late", "the step 'late' of critic/rewards/max is no number"),
    ],
)
def test_a_damaged_value_is_left_out_and_told(written, tmp_path, capsys, column, value, said):
    """Text where a number belongs: SQLite keeps it, and what judges the run goes on without it."""
    store = shutil.copy(written["sqlite"], tmp_path / "mlruns.db")
    with closing(sqlite3.connect(store)) as database, database:
        of_verl = "SELECT run_uuid FROM metrics WHERE key = 'critic/rewards/max'"
        database.execute(f"DELETE FROM metrics WHERE run_uuid NOT IN ({of_verl})")
        database.execute(f"UPDATE metrics SET {column} = ? WHERE key = 'critic/rewards/max'", (value,))

    assert main(["check", str(store), "--at", VERL, "--json"]) == 0

    notes = json.loads(capsys.readouterr().out)["notes"]
    assert notes == [f"5 lines left out: {said}"]


def test_steps_that_numpy_counted_are_steps(written, tmp_path, capsys):
    """SQLite keeps a NumPy integer as its bytes; the row stays at its place."""
    store = shutil.copy(written["sqlite"], tmp_path / "mlruns.db")
    with closing(sqlite3.connect(store)) as database, database:
        of_verl = "SELECT run_uuid FROM metrics WHERE key = 'critic/rewards/max'"
        database.execute(f"DELETE FROM metrics WHERE run_uuid NOT IN ({of_verl})")
        database.execute("UPDATE metrics SET step = ? WHERE step = 2", ((2).to_bytes(8, "little"),))

    assert main(["check", str(store), "--at", VERL, "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    assert (report["rows"], report["steps"]) == (5, [1, 5])


def test_infinity_keeps_its_sign(written, tmp_path):
    """MLflow stores the largest number, of either sign."""
    store = Path(shutil.copy(written["sqlite"], tmp_path / "mlruns.db"))
    with closing(sqlite3.connect(store)) as database, database:
        query = "SELECT run_uuid, step FROM metrics WHERE key = 'kl' AND value > 1.7e308"
        ((run, step),) = database.execute(query).fetchall()
        database.execute("UPDATE metrics SET value = -value WHERE key = 'kl' AND value > 1.7e308")

    (found,) = [one for one in KINDS["mlflow"].open(store).read() if one.name == run]

    assert -math.inf == {row.step: row.values for row in found.rows}[step]["kl"]
