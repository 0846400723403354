"""Translated runs are sent to a stand-in for W&B's server by ``wandb sync`` itself."""

import shutil
import subprocess
import sys

import pytest
from folders import RUNS
from rlmetrics.logs.kinds.wandb.transactions import Writer
from rlmetrics.translate import translate_file
from wandb_frames import Record, payloads
from wandb_server import serving
from wandb_tools import flat

FIXTURES = RUNS / "wandb"
ERAS = ["0.13.11", "0.16.6", "0.19.11", "0.22.3", "0.24.0", "0.28.0", "0.31.0"]
PYTHON_WRITER = {"0.13.11", "0.16.6"}


def _run_of(release, folder):
    """A run of its own: an id that tells the release, and the file of its table where its artifact says it is."""
    source = FIXTURES / f"made-by-{release}"
    run = f"made{release.replace('.', ''):0>4}"[:8].ljust(8, "x")
    output = folder / f"offline-run-20261121_010101-{run}"
    shutil.copytree(source, output, ignore=shutil.ignore_patterns("*.wandb"))
    with (output / f"run-{run}.wandb").open("wb") as file:
        writer = Writer(file)
        for payload in payloads((source / "run-made0001.wandb").read_bytes()):
            record = Record.FromString(payload.replace(b"made0001", run.encode()))
            if record.HasField("artifact"):
                record.artifact.manifest.contents[0].local_path = str(output / "staged.json")
            writer.write(record.SerializeToString())
    return run, output


def _sync(server, home, *folders):
    done = subprocess.run(
        [sys.executable, "-m", "wandb", "sync", *map(str, folders)],
        cwd=home,
        env=server.environment(home),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert server.unknown == [], done.stderr


@pytest.fixture(scope="module")
def synced(tmp_path_factory):
    """The server after the translated runs of all eras were synced, and the ids of these runs."""
    folder = tmp_path_factory.mktemp("wandb")
    runs = {}
    (folder / "translated").mkdir()
    for release in ERAS:
        runs[release], path = _run_of(release, folder)
        translate_file(path, source="verl==0.1", target="canonical", output=folder / "translated" / path.name)
    with serving() as server:
        _sync(server, folder, *(folder / "translated").iterdir())
        yield server, runs


@pytest.mark.parametrize("release", ERAS)
def test_history_and_summary_arrive_under_new_names(synced, release):
    """Each row has its step and its values, converted ones included; NaN and infinity are still themselves."""
    server, runs = synced
    run = server.runs["made", runs[release]]

    rows = [flat(row) for row in run.history]

    assert run.complete
    assert list(range(6)) == [row["_step"] for row in rows]
    assert [row["policy/loss"] for row in rows[:4]] == [0.1, 0.2, 0.1 * 3, 0.4]
    assert [str(float(row["kl/old/k1"])) for row in rows[:4]] == ["-0.1", "nan", str(-0.1 * 3), "-0.4"]
    assert float("inf") == float(rows[2]["reward/score/mean"])
    assert [row["optimizer/learning_rate"] for row in rows[:4]] == pytest.approx([1e-6, 2e-6, 3e-6, 4e-6])
    assert rows[4]["optimizer/learning_rate.values"] == [7, 8]
    assert rows[4]["optimizer/learning_rate.bins"] == pytest.approx([0, 5e-5, 1e-4])
    assert rows[3]["optimizer/gradient_norm.bins"] == [0, 0.5, 1, 1.5]
    assert rows[3]["mine.text"] == "éééé"
    names = {name.split(".")[0] for row in (*rows, flat(run.summary)) for name in row}
    assert not any(name.startswith(("actor/", "critic/")) for name in names)
    # wandb's Python writer put the summary after the record that ends the run, where syncing doesn't look any more.
    assert (None if release in PYTHON_WRITER else 0.4) == run.summary.get("policy/loss")


@pytest.mark.parametrize("release", ERAS)
def test_definitions_and_the_note_arrive_in_the_configuration(synced, release):
    """The server is told which metric has which axis, under the new names, and where the names come from."""
    server, runs = synced
    config = server.runs["made", runs[release]].config

    defined = [metric.get("1") or metric.get("2") for metric in config["_wandb"]["m"]]

    assert set(defined) == {"global_step", "critic/*", "optimizer/learning_rate", "reward/score/mean"}
    assert config["translated_from"]["names"]["actor/ppo_kl"] == "kl/old/k1"
    assert config["translated_from"]["from"] == "verl==0.1"
    assert config["lr"] == 1e-6


@pytest.mark.parametrize("release", ERAS)
def test_tables_and_media_arrive_to_the_end(synced, release):
    """The table's artifact is committed with its file, and the media file that the row speaks of is there."""
    server, runs = synced
    run = server.runs["made", runs[release]]
    (artifact,) = (artifact for artifact in server.artifacts if artifact.run == runs[release])

    table = run.history[3]["policy/clip_fraction"]

    assert artifact.state == "COMMITTED"
    assert (FIXTURES / f"made-by-{release}" / "staged.json").read_bytes() == artifact.files[
        "actor/pg_clipfrac.table.json"
    ]
    media = FIXTURES / f"made-by-{release}" / "files" / table["path"]
    assert media.read_bytes() == server.files["made", runs[release], table["path"]]
    assert run.alerts == []


def test_a_new_id_leaves_the_run_that_is_there_alone(tmp_path):
    """With a new id, run and translation are two runs on the server, each with its own table and names."""
    run, path = _run_of("0.31.0", tmp_path)
    translate_file(path, source="verl==0.1", target="canonical", new_run_id=True, output=tmp_path / f"{path.name}-new")

    with serving() as server:
        _sync(server, tmp_path, path, tmp_path / f"{path.name}-new")

    new = next(name for _, name in server.runs if name != run)
    assert len(server.runs) == 2
    assert server.runs["made", run].history[0]["actor/pg_loss"] == 0.1
    assert server.runs["made", new].history[0]["policy/loss"] == 0.1
    assert {artifact.run for artifact in server.artifacts} == {run, new}
    assert {artifact.name.count(artifact.run) for artifact in server.artifacts} == {1}
    assert "translated_from" not in server.runs["made", run].config
