"""Offline runs of W&B put together record by record: definitions, values, configuration, and what is refused."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.kinds import KINDS
from rlmetrics.logs.kinds.wandb.transactions import Writer
from rlmetrics.translate import InputError, translate_file
from wandb_frames import by_name, history, parsed, rows, write

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs" / "wandb"
PPO, VERL = "trl[PPOTrainer]==0.7.10", "verl==0.9.1"


@pytest.mark.parametrize("nested", [False, True])
def test_a_configuration_that_changes_meanings_is_told(tmp_path, nested):
    """The default estimator is assumed, as everywhere; if the run says it had another, the report says what to add."""
    key, value = "actor_rollout_ref.actor.kl_loss_type", "mse"
    config = {"actor_rollout_ref": {"actor": {"kl_loss_type": value, "long": "x" * 1000, "list": [1]}}, "seed": 1}
    update = [{"key": name, "value_json": json.dumps(entry)} for name, entry in config.items()]
    if nested:
        update = [{"nested_key": key.split("."), "value_json": json.dumps(value)}, {"key": "odd", "value_json": "{"}]
    path = write(tmp_path / "run-a.wandb", {"config": {"update": update}}, history(**{"actor/kl_loss": "1"}))
    options = {"source": "verl==0.5.0", "target": "canonical", "force": True, "output": tmp_path / "out"}

    report = translate_file(path, **options)
    again = translate_file(path, **options, config={key: value})

    assert report.notes == [
        f"run-a.wandb: the run's configuration says {key}=mse, under which actor/kl_loss would be translated "
        f"otherwise; if that is right, add --config {key}=mse"
    ]
    assert again.notes == []
    assert tuple(told.translated["actor/kl_loss"]["to"] for told in (report, again)) == (
        "kl/reference/k3",
        "kl/reference/k2",
    )


def test_a_loss_in_a_list_is_told(tmp_path):
    """TRL's DPO holds the name of its loss in a list; the report says which setting to add for it."""
    update = [{"key": "loss_type", "value_json": '["ipo"]'}, {"key": "report_to", "value_json": '["wandb"]'}]
    path = write(tmp_path / "run-a.wandb", {"config": {"update": update}}, history(**{"train/loss": "1"}))
    options = {"source": "trl[DPOTrainer]==1.9.0", "target": "canonical", "force": True, "output": tmp_path / "out"}

    report = translate_file(path, **options)
    again = translate_file(path, **options, config={"loss_type": "ipo"})

    assert report.notes == [
        "run-a.wandb: the run's configuration says loss_type=ipo, under which train/loss would be translated "
        "otherwise; if that is right, add --config loss_type=ipo"
    ]
    assert ([move["to"] for move in again.translated.values()], again.notes) == (["preference/loss/ipo"], [])


def test_definitions_of_metrics_follow_their_names(tmp_path):
    """Names and step metrics are renamed; a prefix glob stays, and names that leave it get their own definition."""
    options = {"step_sync": True, "defined": True}
    path = write(
        tmp_path / "run-a.wandb",
        {"run": {"run_id": "a"}},
        {"metric": {"name": "training/global_step"}},
        {"metric": {"glob_name": "actor/*", "step_metric": "training/global_step", "options": options}},
        {"metric": {"name": "actor/pg_loss", "summary": {"min": True}}},
        history(**{"actor/pg_loss": "1.0", "actor/ppo_kl": "NaN", "actor/mine": "2"}),
        history(**{"actor/pg_loss": "1.0", "actor/ppo_kl": "-Infinity"}),
    )

    translate_file(path, source=VERL, target="canonical", output=tmp_path / "out.wandb")

    metrics = [record.metric for record in parsed(tmp_path / "out.wandb") if record.HasField("metric")]
    assert [(metric.name, metric.glob_name, metric.step_metric) for metric in metrics] == [
        ("progress/global_step", "", ""),
        ("", "actor/*", "progress/global_step"),
        ("policy/loss", "", ""),
        ("kl/old/k1", "", "progress/global_step"),
    ]
    assert metrics[2].summary.min
    assert metrics[3].options.step_sync
    assert [
        {name: texts for name, texts in row.items() if name == "kl/old/k1"}
        for row in rows((tmp_path / "out.wandb").read_bytes())
    ] == [{"kl/old/k1": {(): "NaN"}}, {"kl/old/k1": {(): "-Infinity"}}]


def test_values_follow_a_known_conversion(tmp_path):
    """Numbers, statistics of the summary and histograms in one item or several are converted; the rest stays text."""
    tag = "actor/lr(1e-4)"
    nested = [([tag, "_type"], '"histogram"'), ([tag, "bins"], "[1, 2]"), ([tag, "values"], "[7]"), (["big"], "9" * 30)]
    path = write(
        tmp_path / "run-a.wandb",
        history(**{tag: "3", "actor/entropy_loss": "0.1000"}),
        {"history": {"item": [{"key": tag, "value_json": '{"_type": "histogram", "bins": [1, 2], "values": [7]}'}]}},
        {"history": {"item": [{"nested_key": key, "value_json": text} for key, text in nested]}},
        {"history": {"item": [{"nested_key": [tag], "number": 5.0}]}},
        {"summary": {"update": [{"nested_key": [tag, "max"], "value_json": "4"}]}},
    )

    translate_file(path, source="verl==0.1", target="verl==0.5.0", output=tmp_path / "out.wandb")

    first, second, third, fourth, summary, _ = parsed(tmp_path / "out.wandb")
    found = by_name(first.history.item)
    assert json.loads(found["actor/lr"][()]) == pytest.approx(3e-4)
    assert found["actor/entropy_loss"][()] == "0.1000"
    assert json.loads(by_name(second.history.item)["actor/lr"][()])["bins"] == pytest.approx([1e-4, 2e-4])
    assert json.loads(by_name(third.history.item)["actor/lr"][("bins",)]) == pytest.approx([1e-4, 2e-4])
    assert (
        json.dumps(json.loads(by_name(third.history.item)["actor/lr"][("values",)])),
        by_name(third.history.item)["big"][()],
    ) == ("[7]", "9" * 30)
    assert fourth.history.item[0].number == pytest.approx(5e-4)
    assert json.loads(by_name(summary.summary.update)["actor/lr"][("max",)]) == pytest.approx(4e-4)


def test_summaries_forget_by_the_new_name(tmp_path):
    """What is removed from the summary is removed under the name that it was written under."""
    path = write(
        tmp_path / "run-a.wandb",
        history(**{"actor/ppo_kl": "1"}),
        {"summary": {"remove": [{"nested_key": ["actor/ppo_kl"]}, {"key": "_runtime"}]}},
    )

    translate_file(path, source=VERL, target="canonical", output=tmp_path / "out.wandb")

    removed = parsed(tmp_path / "out.wandb")[1].summary.remove
    assert [list(removed[0].nested_key), removed[1].key] == [["kl/old/k1"], "_runtime"]


def test_colliding_names_are_set_aside_in_all_rows(tmp_path):
    """Values that differ in one row set both series aside, and the exit code tells."""
    names = ("env/reward_mean", "ppo/mean_scores")
    path = write(
        tmp_path / "run-a.wandb",
        history(**dict.fromkeys(names, "1.0")),
        history(**dict(zip(names, ("1.0", "2.0"), strict=True))),
    )

    report = translate_file(path, source=PPO, target="canonical", output=tmp_path / "out.wandb")

    first, second = rows((tmp_path / "out.wandb").read_bytes())
    assert report.exit_code == 1
    assert {f"untranslated/trl-0.7.10/{name}": {(): "1.0"} for name in names} == first
    assert {
        f"untranslated/trl-0.7.10/{name}": {(): value} for name, value in zip(names, ("1.0", "2.0"), strict=True)
    } == second


def test_what_is_no_json_is_refused_with_its_offset(tmp_path, capsys):
    """Where a value has to be read and can't be, one line says in which record, and nothing is written."""
    path = write(tmp_path / "run-a.wandb", history(**{"env/reward_mean": "{", "ppo/mean_scores": "1"}))

    assert main(["translate", str(path), "--from", PPO, "--to", "canonical"]) == 2
    assert f"{path}: record at byte 7: " in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["run-a.wandb"]


def test_a_record_of_something_else_is_refused(tmp_path):
    """Sound chunks that hold no records of W&B end with a message, not with a traceback."""
    path = tmp_path / "run-a.wandb"
    with path.open("wb") as file:
        Writer(file).write(b"\xff" * 20)

    with pytest.raises(InputError, match="record at byte 7 is none of W&B's"):
        translate_file(path, source=PPO, target="canonical")


def test_without_wandb_one_line_names_the_extra(tmp_path):
    """Runs of W&B need its message classes; without them the command says what to install."""
    path = write(tmp_path / "run-a.wandb", history(**{"objective/kl": "1"}))
    code = (
        "import sys; sys.modules['wandb'] = None\n"
        "from rlmetrics.cli import main\n"
        f"sys.exit(main(['translate', {str(path)!r}, '--from', {PPO!r}, '--to', 'canonical']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == 'rlmetrics translate: needs wandb; pip install "rlmetrics[wandb]"\n'


def test_recorded_arguments_narrow_the_releases(tmp_path, capsys):
    """Later releases of the trainer have arguments that the run's configuration lacks; the class stands in a key."""
    folder = shutil.copytree(FIXTURES / "0.31.0-trl-0.18.2-grpo", tmp_path / "run")
    assert main(["translate", str(folder), "--to", "canonical", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["from"] == "trl[GRPOTrainer]==0.18.0..0.18.2"
    assert (
        KINDS["wandb"].open(folder).argument_names()[None]
        == KINDS["wandb"].open(next(folder.glob("*.wandb"))).argument_names()[None]
        >= {"loss_type", "beta", "output_dir"}
    )
    own = {"config": {"update": [{"key": "beta", "value_json": "0.1"}]}}
    path = write(tmp_path / "run-a.wandb", own, history(kl="1"))
    assert frozenset() == KINDS["wandb"].open(path).argument_names()[None], (
        "what a user notes is no record of all arguments"
    )


def test_a_summary_repeats_its_row(tmp_path):
    """The same items again, in another order, become the same ones, also where a rival comes later in the run."""
    alone = {"env/reward_mean": "1.0", "objective/kl": "0.5", "mine": "[1]"}
    rival = {"ppo/mean_scores": "2.0"}
    path = write(
        tmp_path / "run-a.wandb",
        history(**alone),
        {"summary": {"update": history(**dict(reversed(alone.items())))["history"]["item"]}},
        history(**rival),
        history(**alone),
        history(**alone, **rival),
    )

    translate_file(path, source=PPO, target="canonical", output=tmp_path / "out.wandb")

    others = {"kl/old_reference_sum/k1": {(): "0.5"}, "mine": {(): "[1]"}}
    mine, its = (
        {f"untranslated/trl-0.7.10/{name}": {(): value}} for name, value in (("env/reward_mean", "1.0"), *rival.items())
    )
    written = (tmp_path / "out.wandb").read_bytes()
    assert list(rows(written)) == [{**mine, **others}, its, {**mine, **others}, {**mine, **others, **its}]
    (summary,) = [record.summary for record in parsed(tmp_path / "out.wandb") if record.HasField("summary")]
    assert [item.nested_key[0] for item in summary.update] == ["mine", "kl/old_reference_sum/k1", *mine]


def test_a_name_that_shows_sources_to_differ_is_told_as_elsewhere(tmp_path, capsys):
    """Sources may agree on all names but one that comes late: it is set aside, and both sources are named."""
    late = dict.fromkeys(("env/reward_mean", "ppo/mean_scores"), "1.0") | {"ppo/mean_scores": "2.0"}
    rows = [history(**{"ppo/policy/clipfrac": "0.5", "ppo/learning_rate": "0.1"}) for _ in range(201)]
    path = write(tmp_path / "run-a.wandb", *rows, history(**late))

    assert main(["translate", str(path), "--to", "verl==0.9.1", "-o", str(tmp_path / "out.wandb"), "--json"]) == 1

    report = json.loads(capsys.readouterr().out)
    assert {one.endswith(f" differ on {name}") for name, one in report["undecided"].items()} <= {True}
    assert {*report["undecided"], *report["collisions"].get("critic/score/mean", ())} & late.keys()
