"""Offline runs of W&B, written by its Python and its Go code: what other readers find in the translation."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rlmetrics.cli import main
from wandb_frames import Record, parsed, payloads, rows, value_of

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs" / "wandb"
PPO, GRPO, VERL = "trl[PPOTrainer]==0.7.10", "trl[GRPOTrainer]==0.18.2", "verl==0.9.1"
REAL = {
    "0.16.6-trl-0.18-grpo": (GRPO, VERL),
    "0.16.6-trl-0.7-ppo": (PPO, "canonical"),
    "0.16.6-verl": (VERL, "canonical"),
    "0.31.0-trl-0.18.2-grpo": (GRPO, "canonical"),
    "0.31.0-trl-0.7-ppo": (PPO, "trl[PPOTrainer]==0.18.2"),
    "0.31.0-verl-0.5.0": ("verl==0.5.0", VERL),
}


def _run_file(folder):
    return next(folder.glob("*.wandb"))


def _translated(name, tmp_path, *options):
    source, target = REAL[name]
    folder = shutil.copytree(FIXTURES / name, tmp_path / "offline-run-20261121_022153-abc")
    code = main(["translate", str(folder), "--from", source, "--to", target, "--json", *options])
    return code, folder, folder.with_name(f"{folder.name}.translated")


@pytest.mark.parametrize("name", REAL)
def test_every_value_of_a_real_run_is_found_under_its_new_name(name, tmp_path, capsys):
    """Row by row, each value has the text it had, under the name that the report says; nothing else is there."""
    code, folder, output = _translated(name, tmp_path)

    report = json.loads(capsys.readouterr().out)
    before, after = (rows(_run_file(place).read_bytes()) for place in (folder, output))
    converted = {old for old, how in report["translated"].items() if how["transform"]}
    assert int(bool(report["collisions"])) == code
    assert report["kind"] == "wandb"
    assert len(before) == len(after) > 2
    moved = {old: how["to"] for old, how in report["translated"].items()}
    aside = report["set_aside"]
    for old, new in zip(before, after, strict=True):
        for key, texts in old.items():
            where = [name for name in (moved.get(key), aside.get(key), key) if name in new]
            assert where or key in report["duplicates"]
            if key not in converted and key not in report["duplicates"]:
                assert value_of(texts) == value_of(new[where[0]])
        assert len(new) == len(old) - sum(key in report["duplicates"] and key not in new for key in old) or aside


@pytest.mark.parametrize("name", ["0.16.6-verl", "0.31.0-trl-0.18.2-grpo"])
def test_wandbs_own_reader_agrees(name, tmp_path, capsys):
    """``wandb leet inspect`` reads the same rows from the translation, with the new names."""
    _, folder, output = _translated(name, tmp_path)
    report = json.loads(capsys.readouterr().out)

    def inspected(place):
        environment = {**os.environ, "WANDB_ERROR_REPORTING": "false", "WANDB_MODE": "offline"}
        command = [sys.executable, "-m", "wandb", "leet", "inspect", "--json", str(_run_file(place))]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
        return [json.loads(line) for line in done.stdout.splitlines()]

    old, new = inspected(folder), inspected(output)
    moved = {key: how["to"] for key, how in report["translated"].items()} | report["set_aside"]
    converted = {key for key, how in report["translated"].items() if how["transform"]}
    converted |= {moved[key] for key in converted}

    def of(found, kind, names):
        items = [record[kind]["item" if kind == "history" else "update"] for record in found if record["type"] == kind]
        rows = [{names.get(key, key): value for key, value in row.items()} for row in items]
        return [{key: value for key, value in row.items() if key not in converted} for row in rows]

    assert of(old, "history", moved) == of(new, "history", {})
    assert of(old, "summary", moved) == of(new, "summary", {})
    assert len(of(old, "history", {})) > 2


@pytest.mark.parametrize("name", REAL)
def test_records_without_a_renamed_metric_are_the_same_bytes(name, tmp_path, capsys):
    """Settings, output, statistics and telemetry are copied as they are, in order; the input stays as it was."""
    _, folder, output = _translated(name, tmp_path)

    kinds = ("history", "summary", "metric", "alert", "config")
    kept = [
        [
            payload
            for payload in payloads(path.read_bytes())
            if Record.FromString(payload).WhichOneof("record_type") not in kinds
        ]
        for path in (_run_file(folder), _run_file(output))
    ]
    assert kept[0] == kept[1]
    assert len(kept[0]) > 2
    assert _run_file(FIXTURES / name).read_bytes() == _run_file(folder).read_bytes()


def test_the_configuration_says_where_names_come_from(tmp_path, capsys):
    """``translated_from`` holds source, target and the map, and stands before the record that ends the run."""
    _, _, output = _translated("0.31.0-verl-0.5.0", tmp_path)

    report = json.loads(capsys.readouterr().out)
    *_, note, last = parsed(_run_file(output))
    config = json.loads(note.config.update[0].value_json)
    assert last.WhichOneof("record_type") == "exit"
    assert note.config.update[0].key == "translated_from"
    assert (report["from"], report["to"]) == (config["from"], config["to"])
    assert {old: how["to"] for old, how in report["translated"].items() if how["to"] != old}.items() <= config[
        "names"
    ].items()


def test_alerts_are_left_out_unless_asked_for(tmp_path, capsys):
    """Syncing sends alerts again, so that they are left out and counted, or kept with ``--keep-alerts``."""
    _, folder, output = _translated("0.16.6-trl-0.18-grpo", tmp_path)
    report = json.loads(capsys.readouterr().out)
    _, _, keeping = _translated("0.16.6-trl-0.18-grpo", tmp_path / "again", "--keep-alerts")

    counts = [
        sum(record.HasField("alert") for record in parsed(_run_file(place))) for place in (folder, output, keeping)
    ]
    assert counts == [1, 0, 1]
    assert any("1 alert(s) left out" in note for note in report["notes"])


def test_a_new_id_replaces_the_old_one_everywhere(tmp_path, capsys):
    """On request the run, its tables and its records have another id, the same at each translation."""
    _, folder, output = _translated("0.16.6-trl-0.7-ppo", tmp_path, "--new-run-id")
    _, _, again = _translated("0.16.6-trl-0.7-ppo", tmp_path / "again", "--new-run-id")

    old, new = parsed(_run_file(folder)), parsed(_run_file(output))
    ids = {record.run.run_id for record in new if record.HasField("run")}
    assert len(ids) == 1
    assert {record.run.run_id for record in old if record.HasField("run")} == {"trl07ppo01"}
    assert not ids & {"trl07ppo01"}
    assert ids >= {record._info.stream_id for record in new if record._info.stream_id}
    assert _run_file(output).read_bytes() == _run_file(again).read_bytes()


def test_files_of_the_run_go_along(tmp_path, capsys):
    """Media and the summary beside the run are copied, renamed where they hold names; marks of syncing are not."""
    folder = shutil.copytree(FIXTURES / "0.16.6-verl", tmp_path / "wandb" / "offline-run-1-verl01")
    (folder / "files" / "media").mkdir()
    (folder / "files" / "media" / "table.json").write_text('{"columns": ["actor/ppo_kl"]}')
    (folder / "run-verl01.wandb.synced").touch()
    summary = {"actor/ppo_kl": float("nan"), "_step": 3, "_wandb": {"runtime": 1}}
    (folder / "files" / "wandb-summary.json").write_text(json.dumps(summary))

    assert main(["translate", str(tmp_path / "wandb"), "--from", VERL, "--to", "canonical", "--json"]) == 0

    report = json.loads(capsys.readouterr().out)
    output = tmp_path / "wandb.translated" / folder.name
    assert {str(path.relative_to(output)) for path in output.rglob("*") if path.is_file()} == {
        "files/media/table.json",
        "files/wandb-summary.json",
        "run-verl01.wandb",
    }
    assert (
        output / "files" / "wandb-summary.json"
    ).read_text() == '{"kl/old/k1": NaN, "_step": 3, "_wandb": {"runtime": 1}}'
    assert (output / "files" / "media" / "table.json").read_text() == '{"columns": ["actor/ppo_kl"]}'
    assert report["skipped"] == [str(folder / "run-verl01.wandb.synced")]
    assert not {"_step", "_wandb"} & set(report["unknown"])


def test_the_links_that_wandb_leaves_are_no_obstacle(tmp_path, capsys):
    """The newest run is linked, and the log of W&B's service, which lies elsewhere: that one is left behind."""
    folder = shutil.copytree(FIXTURES / "made-by-0.31.0", tmp_path / "wandb" / "offline-run-1-made0001")
    (tmp_path / "core.log").write_text("elsewhere")
    (folder / "logs").mkdir()
    (folder / "logs" / "debug-core.log").symlink_to(tmp_path / "core.log")
    (folder.parent / "latest-run").symlink_to(folder.name)

    assert main(["translate", str(folder.parent), "--from", "verl==0.1", "--to", "canonical", "--json"]) == 0

    output = tmp_path / "wandb.translated"
    assert folder.name == os.readlink(output / "latest-run")
    assert os.listdir(output / folder.name / "logs") == []
    assert json.loads(capsys.readouterr().out)["skipped"] == [str(folder / "logs" / "debug-core.log")]


def test_the_release_is_read_from_the_runs_requirements(tmp_path, capsys):
    """What the run says was installed decides, whatever its keys say."""
    folder = shutil.copytree(FIXTURES / "0.31.0-verl-0.5.0", tmp_path / "run")
    command = ["translate", str(folder), "--to", "canonical", "--dry-run", "--json"]
    main(command)
    assert json.loads(capsys.readouterr().out)["from"] == "verl==0.5.0"
    (folder / "files").mkdir()
    (folder / "files" / "requirements.txt").write_text("torch==2.7.0\nverl==0.7.0\n")

    main(command)
    assert json.loads(capsys.readouterr().out)["from"] == "verl==0.7.0"


def test_a_torn_run_keeps_its_whole_records(tmp_path, capsys):
    """A run that crashed has no end: its whole records are translated, the loss is told, and the note stands last."""
    content = _run_file(FIXTURES / "0.31.0-verl-0.5.0").read_bytes()
    path = tmp_path / "run-a.wandb"
    path.write_bytes(content[:-40])

    code = main(["translate", str(path), "--from", "verl==0.5.0", "--to", "canonical", "--json"])

    report = json.loads(capsys.readouterr().out)
    assert code == 1
    assert len(payloads(content[:-40])) == report["records"]
    assert report["lost"]["records"] == 1
    assert 0 < report["lost"]["bytes"] <= len(content)
    assert parsed(path.with_name("run-a.wandb.translated"))[-1].WhichOneof("record_type") == "config"
