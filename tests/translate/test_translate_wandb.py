"""Offline runs of W&B, written by its Python and its Go code: what other readers find in the translation."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.translate import InputError, translate_file
from rlmetrics.translate.kinds import settings_of
from rlmetrics.translate.kinds.wandb.transactions import Writer
from wandb_frames import Record, by_name, payloads, rows

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


def _parsed(path):
    return [Record.FromString(payload) for payload in payloads(path.read_bytes())]


def _value(texts):
    """A value put together from its texts, as text; NaN and Infinity included."""
    return sorted((path, text) for path, text in texts.items())


def _write(path, *parts):
    with path.open("wb") as file:
        writer = Writer(file)
        for number, part in enumerate(parts, start=1):
            writer.write(Record(num=number, **part).SerializeToString())
    return path


def _history(**row):
    return {"history": {"item": [{"nested_key": [name], "value_json": value} for name, value in row.items()]}}


@pytest.mark.parametrize("name", REAL)
def test_every_value_of_a_real_run_is_found_under_its_new_name(name, tmp_path, capsys):
    """Row by row, each value has the text it had, under the name that the report says; nothing else is there."""
    code, folder, output = _translated(name, tmp_path)

    report = json.loads(capsys.readouterr().out)
    before, after = (rows(_run_file(place).read_bytes()) for place in (folder, output))
    converted = {old for old, how in report["translated"].items() if how["transform"]}
    assert int(bool(report["collisions"])) == code
    assert "wandb" == report["kind"]
    assert len(before) == len(after) > 2
    moved = {old: how["to"] for old, how in report["translated"].items()}
    aside = report["set_aside"]
    for old, new in zip(before, after, strict=True):
        for key, texts in old.items():
            where = [name for name in (moved.get(key), aside.get(key), key) if name in new]
            assert where or key in report["duplicates"]
            if key not in converted and key not in report["duplicates"]:
                assert _value(texts) == _value(new[where[0]])
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
    *_, note, last = _parsed(_run_file(output))
    config = json.loads(note.config.update[0].value_json)
    assert "exit" == last.WhichOneof("record_type")
    assert "translated_from" == note.config.update[0].key
    assert (report["from"], report["to"]) == (config["from"], config["to"])
    assert {old: how["to"] for old, how in report["translated"].items() if how["to"] != old}.items() <= config[
        "names"
    ].items()


@pytest.mark.parametrize("nested", [False, True])
def test_a_configuration_that_changes_meanings_is_told(tmp_path, nested):
    """The default estimator is assumed, as everywhere; if the run says it had another, the report says what to add."""
    key, value = "actor_rollout_ref.actor.kl_loss_type", "mse"
    config = {"actor_rollout_ref": {"actor": {"kl_loss_type": value, "long": "x" * 1000, "list": [1]}}, "seed": 1}
    update = [{"key": name, "value_json": json.dumps(entry)} for name, entry in config.items()]
    if nested:
        update = [{"nested_key": key.split("."), "value_json": json.dumps(value)}, {"key": "odd", "value_json": "{"}]
    path = _write(tmp_path / "run-a.wandb", {"config": {"update": update}}, _history(**{"actor/kl_loss": "1"}))
    options = {"source": "verl==0.5.0", "target": "canonical", "force": True, "output": tmp_path / "out"}

    report = translate_file(path, **options)
    again = translate_file(path, **options, config={key: value})

    assert [
        f"run-a.wandb: the run's configuration says {key}=mse, under which actor/kl_loss would be translated "
        f"otherwise; if that is right, add --config {key}=mse"
    ] == report.notes
    assert [] == again.notes
    assert ("kl/reference/k3", "kl/reference/k2") == tuple(
        told.translated["actor/kl_loss"]["to"] for told in (report, again)
    )


def test_alerts_are_left_out_unless_asked_for(tmp_path, capsys):
    """Syncing sends alerts again, so that they are left out and counted, or kept with ``--keep-alerts``."""
    _, folder, output = _translated("0.16.6-trl-0.18-grpo", tmp_path)
    report = json.loads(capsys.readouterr().out)
    _, _, keeping = _translated("0.16.6-trl-0.18-grpo", tmp_path / "again", "--keep-alerts")

    counts = [
        sum(record.HasField("alert") for record in _parsed(_run_file(place))) for place in (folder, output, keeping)
    ]
    assert [1, 0, 1] == counts
    assert any("1 alert(s) left out" in note for note in report["notes"])


def test_a_new_id_replaces_the_old_one_everywhere(tmp_path, capsys):
    """On request the run, its tables and its records have another id, the same at each translation."""
    _, folder, output = _translated("0.16.6-trl-0.7-ppo", tmp_path, "--new-run-id")
    _, _, again = _translated("0.16.6-trl-0.7-ppo", tmp_path / "again", "--new-run-id")

    old, new = _parsed(_run_file(folder)), _parsed(_run_file(output))
    ids = {record.run.run_id for record in new if record.HasField("run")}
    assert 1 == len(ids)
    assert {"trl07ppo01"} == {record.run.run_id for record in old if record.HasField("run")}
    assert not ids & {"trl07ppo01"}
    assert ids >= {record._info.stream_id for record in new if record._info.stream_id}
    assert _run_file(output).read_bytes() == _run_file(again).read_bytes()


def test_definitions_of_metrics_follow_their_names(tmp_path):
    """Names and step metrics are renamed; a prefix glob stays, and names that leave it get their own definition."""
    options = {"step_sync": True, "defined": True}
    path = _write(
        tmp_path / "run-a.wandb",
        {"run": {"run_id": "a"}},
        {"metric": {"name": "training/global_step"}},
        {"metric": {"glob_name": "actor/*", "step_metric": "training/global_step", "options": options}},
        {"metric": {"name": "actor/pg_loss", "summary": {"min": True}}},
        _history(**{"actor/pg_loss": "1.0", "actor/ppo_kl": "NaN", "actor/mine": "2"}),
        _history(**{"actor/pg_loss": "1.0", "actor/ppo_kl": "-Infinity"}),
    )

    translate_file(path, source=VERL, target="canonical", output=tmp_path / "out.wandb")

    metrics = [record.metric for record in _parsed(tmp_path / "out.wandb") if record.HasField("metric")]
    assert [
        ("progress/global_step", "", ""),
        ("", "actor/*", "progress/global_step"),
        ("policy/loss", "", ""),
        ("kl/old/k1", "", "progress/global_step"),
    ] == [(metric.name, metric.glob_name, metric.step_metric) for metric in metrics]
    assert metrics[2].summary.min
    assert metrics[3].options.step_sync
    assert [{"kl/old/k1": {(): "NaN"}}, {"kl/old/k1": {(): "-Infinity"}}] == [
        {name: texts for name, texts in row.items() if name == "kl/old/k1"}
        for row in rows((tmp_path / "out.wandb").read_bytes())
    ]


def test_values_follow_a_known_conversion(tmp_path):
    """Numbers, statistics of the summary and histograms in one item or several are converted; the rest stays text."""
    tag = "actor/lr(1e-4)"
    nested = [([tag, "_type"], '"histogram"'), ([tag, "bins"], "[1, 2]"), ([tag, "values"], "[7]"), (["big"], "9" * 30)]
    path = _write(
        tmp_path / "run-a.wandb",
        _history(**{tag: "3", "actor/entropy_loss": "0.1000"}),
        {"history": {"item": [{"key": tag, "value_json": '{"_type": "histogram", "bins": [1, 2], "values": [7]}'}]}},
        {"history": {"item": [{"nested_key": key, "value_json": text} for key, text in nested]}},
        {"history": {"item": [{"nested_key": [tag], "number": 5.0}]}},
        {"summary": {"update": [{"nested_key": [tag, "max"], "value_json": "4"}]}},
    )

    translate_file(path, source="verl==0.1", target="verl==0.5.0", output=tmp_path / "out.wandb")

    first, second, third, fourth, summary, _ = _parsed(tmp_path / "out.wandb")
    found = by_name(first.history.item)
    assert pytest.approx(3e-4) == json.loads(found["actor/lr"][()])
    assert "0.1000" == found["actor/entropy_loss"][()]
    assert pytest.approx([1e-4, 2e-4]) == json.loads(by_name(second.history.item)["actor/lr"][()])["bins"]
    assert pytest.approx([1e-4, 2e-4]) == json.loads(by_name(third.history.item)["actor/lr"][("bins",)])
    assert ("[7]", "9" * 30) == (
        json.dumps(json.loads(by_name(third.history.item)["actor/lr"][("values",)])),
        by_name(third.history.item)["big"][()],
    )
    assert pytest.approx(5e-4) == fourth.history.item[0].number
    assert pytest.approx(4e-4) == json.loads(by_name(summary.summary.update)["actor/lr"][("max",)])


def test_summaries_forget_by_the_new_name(tmp_path):
    """What is removed from the summary is removed under the name that it was written under."""
    path = _write(
        tmp_path / "run-a.wandb",
        _history(**{"actor/ppo_kl": "1"}),
        {"summary": {"remove": [{"nested_key": ["actor/ppo_kl"]}, {"key": "_runtime"}]}},
    )

    translate_file(path, source=VERL, target="canonical", output=tmp_path / "out.wandb")

    removed = _parsed(tmp_path / "out.wandb")[1].summary.remove
    assert [["kl/old/k1"], "_runtime"] == [list(removed[0].nested_key), removed[1].key]


def test_colliding_names_are_set_aside_in_their_rows(tmp_path):
    """Equal values are written once, different ones are set aside, and the exit code tells."""
    names = ("env/reward_mean", "ppo/mean_scores")
    path = _write(
        tmp_path / "run-a.wandb",
        _history(**dict.fromkeys(names, "1.0")),
        _history(**dict(zip(names, ("1.0", "2.0"), strict=True))),
    )

    report = translate_file(path, source=PPO, target="canonical", output=tmp_path / "out.wandb")

    first, second = rows((tmp_path / "out.wandb").read_bytes())
    assert 1 == report.exit_code
    assert {"reward/score/mean": {(): "1.0"}} == first
    assert {
        f"untranslated/trl-0.7.10/{name}": {(): value} for name, value in zip(names, ("1.0", "2.0"), strict=True)
    } == second


def test_files_of_the_run_go_along(tmp_path, capsys):
    """Media and the summary beside the run are copied, renamed where they hold names; marks of syncing are not."""
    folder = shutil.copytree(FIXTURES / "0.16.6-verl", tmp_path / "wandb" / "offline-run-1-verl01")
    (folder / "files" / "media").mkdir()
    (folder / "files" / "media" / "table.json").write_text('{"columns": ["actor/ppo_kl"]}')
    (folder / "run-verl01.wandb.synced").touch()
    summary = {"actor/ppo_kl": float("nan"), "_step": 3, "_wandb": {"runtime": 1}}
    (folder / "files" / "wandb-summary.json").write_text(json.dumps(summary))

    assert 0 == main(["translate", str(tmp_path / "wandb"), "--from", VERL, "--to", "canonical", "--json"])

    report = json.loads(capsys.readouterr().out)
    output = tmp_path / "wandb.translated" / folder.name
    assert {"files/media/table.json", "files/wandb-summary.json", "run-verl01.wandb"} == {
        str(path.relative_to(output)) for path in output.rglob("*") if path.is_file()
    }
    assert (
        '{"kl/old/k1": NaN, "_step": 3, "_wandb": {"runtime": 1}}'
        == (output / "files" / "wandb-summary.json").read_text()
    )
    assert '{"columns": ["actor/ppo_kl"]}' == (output / "files" / "media" / "table.json").read_text()
    assert [str(folder / "run-verl01.wandb.synced")] == report["skipped"]
    assert not {"_step", "_wandb"} & set(report["unknown"])


def test_the_links_that_wandb_leaves_are_no_obstacle(tmp_path, capsys):
    """The newest run is linked, and the log of W&B's service, which lies elsewhere: that one is left behind."""
    folder = shutil.copytree(FIXTURES / "made-by-0.31.0", tmp_path / "wandb" / "offline-run-1-made0001")
    (tmp_path / "core.log").write_text("elsewhere")
    (folder / "logs").mkdir()
    (folder / "logs" / "debug-core.log").symlink_to(tmp_path / "core.log")
    (folder.parent / "latest-run").symlink_to(folder.name)

    assert 0 == main(["translate", str(folder.parent), "--from", "verl==0.1", "--to", "canonical", "--json"])

    output = tmp_path / "wandb.translated"
    assert folder.name == os.readlink(output / "latest-run")
    assert [] == os.listdir(output / folder.name / "logs")
    assert [str(folder / "logs" / "debug-core.log")] == json.loads(capsys.readouterr().out)["skipped"]


def test_the_release_is_read_from_the_runs_requirements(tmp_path, capsys):
    """Keys alone leave many releases; what the run says was installed decides."""
    folder = shutil.copytree(FIXTURES / "0.31.0-verl-0.5.0", tmp_path / "run")
    assert 2 == main(["translate", str(folder), "--to", "canonical"])
    assert "ambiguous" in capsys.readouterr().err
    (folder / "files").mkdir()
    (folder / "files" / "requirements.txt").write_text("torch==2.7.0\nverl==0.5.0\n")

    assert 0 == main(["translate", str(folder), "--to", "canonical", "--json"])
    assert json.loads(capsys.readouterr().out)["from"].endswith("==0.5.0")


def test_recorded_arguments_narrow_the_releases(tmp_path, capsys):
    """Later releases of the trainer have arguments that the run's configuration lacks; the class stands in a key."""
    folder = shutil.copytree(FIXTURES / "0.31.0-trl-0.18.2-grpo", tmp_path / "run")
    assert 2 == main(["translate", str(folder), "--to", "canonical"])
    error = capsys.readouterr().err
    listed = ("0.19.0 to 0.19.1", "0.18.1 to 0.18.2", "0.18.0")
    assert f": {', '.join(f'trl[GRPOTrainer]=={releases} (56)' for releases in listed)}; name" in error
    assert (
        settings_of("wandb", folder) == settings_of("wandb", _run_file(folder)) >= {"loss_type", "beta", "output_dir"}
    )
    own = {"config": {"update": [{"key": "beta", "value_json": "0.1"}]}}
    path = _write(tmp_path / "run-a.wandb", own, _history(kl="1"))
    assert frozenset() == settings_of("wandb", path), "what a user notes is no record of all arguments"


def test_a_torn_run_keeps_its_whole_records(tmp_path, capsys):
    """A run that crashed has no end: its whole records are translated, the loss is told, and the note stands last."""
    content = _run_file(FIXTURES / "0.31.0-verl-0.5.0").read_bytes()
    path = tmp_path / "run-a.wandb"
    path.write_bytes(content[:-40])

    code = main(["translate", str(path), "--from", "verl==0.5.0", "--to", "canonical", "--json"])

    report = json.loads(capsys.readouterr().out)
    assert 0 == code
    assert len(payloads(content[:-40])) == report["records"]
    assert 1 == report["lost"]["records"]
    assert 0 < report["lost"]["bytes"] <= len(content)
    assert "config" == _parsed(path.with_name("run-a.wandb.translated"))[-1].WhichOneof("record_type")


def test_what_is_no_json_is_refused_with_its_offset(tmp_path, capsys):
    """Where a value has to be read and can't be, one line says in which record, and nothing is written."""
    path = _write(tmp_path / "run-a.wandb", _history(**{"env/reward_mean": "{", "ppo/mean_scores": "1"}))

    assert 2 == main(["translate", str(path), "--from", PPO, "--to", "canonical"])
    assert f"{path}: record at byte 7: " in capsys.readouterr().err
    assert ["run-a.wandb"] == os.listdir(tmp_path)


def test_a_record_of_something_else_is_refused(tmp_path):
    """Sound chunks that hold no records of W&B end with a message, not with a traceback."""
    path = tmp_path / "run-a.wandb"
    with path.open("wb") as file:
        Writer(file).write(b"\xff" * 20)

    with pytest.raises(InputError, match="record at byte 7 is none of W&B's"):
        translate_file(path, source=PPO, target="canonical")


def test_without_wandb_one_line_names_the_extra(tmp_path):
    """Runs of W&B need its message classes; without them the command says what to install."""
    path = _write(tmp_path / "run-a.wandb", _history(**{"objective/kl": "1"}))
    code = (
        "import sys; sys.modules['wandb'] = None\n"
        "from rlmetrics.cli import main\n"
        f"sys.exit(main(['translate', {str(path)!r}, '--from', {PPO!r}, '--to', 'canonical']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert 2 == done.returncode
    assert 'rlmetrics translate: needs wandb; pip install "rlmetrics[wandb]"\n' == done.stderr
