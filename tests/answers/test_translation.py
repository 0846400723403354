"""What ``rlmetrics translate`` says at the end: one screen, the worst first, judged by the run's configuration."""

import json
import re
import shutil
from pathlib import Path

import pytest
from rlmetrics.cli import main

RUNS = Path(__file__).parents[1] / "fixtures" / "runs"
PPO = RUNS / "trl-0.7.10-ppo1_wandb.jsonl"
OLD, NEW = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"
GRPO = RUNS / "wandb" / "0.31.0-trl-0.18.2-grpo"
GRPO_OLD, GRPO_NEW = "trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0"
LINES = [
    (PPO, OLD, NEW),
    (GRPO, GRPO_OLD, GRPO_NEW),
    (RUNS / "verl-0.9.1-tracking.jsonl", "verl==0.9.1", GRPO_NEW),
    (RUNS / "trl-1.16.0-grpo.jsonl", GRPO_NEW, "verl==0.9.1"),
    (RUNS / "trl-1.16.0-dpo.jsonl", "trl[DPOTrainer]==1.16.0", "canonical"),
]


@pytest.fixture(autouse=True)
def columns(monkeypatch):
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def said(tmp_path, capsys, monkeypatch):
    """Translate within the folder of the test, so that names are short, and return the lines that are printed."""
    monkeypatch.chdir(tmp_path)

    def run(path, source, target, *options):
        near = path.relative_to(tmp_path) if path.is_relative_to(tmp_path) else path
        main(["translate", str(near), "--from", source, "--to", target, "-o", "out", "--force", *options])
        return capsys.readouterr().out.splitlines()

    return run


@pytest.fixture
def account(said):
    """Translate and return the report as JSON."""
    return lambda *arguments: json.loads("\n".join(said(*arguments, "--json")))


@pytest.mark.parametrize(("path", "source", "target"), LINES, ids=[path.name for path, *_ in LINES])
@pytest.mark.parametrize("wide", [80, 160])
def test_the_answer_fits_on_a_screen(said, monkeypatch, path, source, target, wide):
    """At most 25 lines; only a name that is longer than a line goes beyond its end."""
    monkeypatch.setenv("COLUMNS", str(wide))

    lines = said(path, source, target)

    assert len(lines) <= 25
    assert [line for line in lines if len(line) > wide and len(line.split()) > 1] == []
    assert lines[-1] == "Report: --full, --html FILE, --json"


def test_the_first_line_counts_what_the_json_holds(said, account):
    """How many keys have a counterpart, and how many of these are biased; each severity has its line."""
    lines = said(PPO, OLD, NEW)
    report = account(PPO, OLD, NEW)

    translated = report["translated"].values()
    biased = sum(how["severity"] == "biased" for how in translated)
    known = len(translated) + len(report["kept"]) + len(report["duplicates"])
    assert f"{len(translated)} of {known} keys have a counterpart, {biased} of them biased." in " ".join(lines[:2])
    counts = {line.split()[1]: int(line.split()[2]) for line in lines if re.match(r"[=≈!≠·] ", line)}
    names = {"look-alike": "look-alike", "none": "nothing"}
    assert counts == {names.get(name, name): count for name, count in report["severities"].items() if count}
    assert counts == {"same": 2, "biased": 8, "look-alike": 12, "nothing": 21}


def test_what_is_biased_refers_to_footnotes(said):
    """Each number beside a key has its footnote, which names the release and when the two are the same."""
    lines = said(PPO, OLD, NEW, "--config", "temperature=1")

    text = " ".join(" ".join(lines).split())
    assert "ppo/policy/approxkl -> policy/approxkl_avg" in text
    assert re.search(r"\[1\] 0\.(18\.2|7\.10) only: .*: same if ", text)
    assert "in the source" not in text
    assert "Check before plotting (same name, biased): objective/kl, objective/entropy." in text


def test_equal_values_are_counted(said, account):
    """Which key was written in the place of which, and in how many rows both had the same value."""
    text = " ".join(said(PPO, OLD, NEW))

    assert "Not written twice: env/reward_mean (= ppo/mean_scores in 5 of 5 rows)." in text
    equal = account(PPO, OLD, NEW)["equal"]
    assert equal["env/reward_mean"] == {"key": "ppo/mean_scores", "rows": 5, "of": 5}


def test_a_dry_run_says_would(said):
    """Nothing is written, and the first line says so."""
    assert said(PPO, OLD, NEW, "--dry-run")[0].startswith("Would write ")


def test_a_collision_says_where_values_differ(said, tmp_path):
    """The first row in which two keys that claim one name differ, with both values, before anything else."""
    path = tmp_path / "run.jsonl"
    rows = [{"_step": at, "ppo/mean_scores": 0.5, "env/reward_mean": 0.5 + (at > 1) / 4} for at in range(4)]
    path.write_text("".join(json.dumps(row | {"ppo/learning_rate": 0.1}) + "\n" for row in rows))

    text = " ".join(" ".join(said(path, OLD, NEW)).split())

    where = "first in row 3 (step 2): ppo/mean_scores 0.5, env/reward_mean 0.75; set aside"
    assert f"COLLISION: objective/scores is claimed by keys with different values, {where}" in text
    assert text.index("COLLISION") < text.index("= same")


def test_a_loss_is_the_first_line(said, tmp_path):
    """A torn end is told before what was written."""
    path = tmp_path / "run.jsonl"
    path.write_text('{"ppo/learning_rate": 0.1}\n{"ppo/learn')

    lines = said(path, OLD, NEW)

    assert lines[0].startswith("LOST: 1 torn record(s)")
    assert lines[1].startswith("Wrote ")


def test_strict_says_what_was_left(said):
    """Keys with a counterpart that is not exact are told by severity, not hidden among those without any."""
    lines = said(PPO, OLD, NEW, "--strict")

    assert any(line.startswith("! biased") and "kept (--strict): " in line for line in lines)
    assert "2 of 44 keys have a counterpart." in " ".join(lines[:2])


def test_what_the_source_leaves_open_is_told_as_that(tmp_path, capsys, monkeypatch):
    """A key whose counterpart depends on what logged it was not kept, nor does the target mean something else."""
    monkeypatch.chdir(tmp_path)
    main(["translate", str(RUNS / "trl-1.16.0-grpo.jsonl"), "--to", "canonical", "-o", "out.jsonl"])
    lines = capsys.readouterr().out.splitlines()
    text = " ".join(" ".join(lines).split())

    assert any("  set aside, as the source is not certain: " in line for line in lines)
    assert "as their counterparts depend on the release or trainer: " in text
    assert "--strict" not in text
    assert "means something else" not in text


def test_the_runs_own_configuration_decides_what_applies(said, account):
    """W&B recorded the loss, which averages alike in both releases: what sets their defaults apart is none of it."""
    text = " ".join(" ".join(said(GRPO, GRPO_OLD, GRPO_NEW)).split())
    report = account(GRPO, GRPO_OLD, GRPO_NEW)

    (own,) = report["configuration"]
    assert own["where"] == "W&B"
    assert {"gradient_accumulation_steps": 1, "num_iterations": 1, "beta": 0.04}.items() <= own["values"].items()
    applies = {one["what"]: one["applies"] for how in report["translated"].values() for one in how["differs_by"]}
    micro_batches = [what for what in applies if what.startswith("micro-batches of one mini-batch")]
    assert [applies[what] for what in micro_batches] == [False]
    numbers = re.search(r"By the run's configuration \(W&B\), (\d+) of (\d+) differences", text)
    assert numbers
    assert len(applies) == int(numbers[2])


def test_what_is_given_wins_over_what_was_recorded(account):
    """A setting on the command line is not judged by the run's record of it."""
    recorded = account(GRPO, GRPO_OLD, GRPO_NEW)
    given = account(GRPO, GRPO_OLD, GRPO_NEW, "--config", "beta=0")

    assert recorded["configuration"][0]["values"]["beta"] == 0.04
    assert "beta" not in given["configuration"][0]["values"]
    assert "train/kl" in recorded["translated"]


def test_a_configuration_that_cannot_be_read_is_one_line(said, tmp_path):
    """Arguments beside a state that are no JSON: names are translated all the same, and a line says what is wrong."""
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(RUNS / "trl-0.18.2-grpo.trainer_state.json", folder / "trainer_state.json")
    (folder / "training_args.json").write_text('{"beta": 0.04, ')

    lines = said(folder / "trainer_state.json", GRPO_OLD, GRPO_NEW)

    assert "Wrote " in lines[0]
    assert "the run's configuration: training_args.json can't be read: " in " ".join(" ".join(lines).split())
    (folder / "training_args.json").write_text('{"beta": 0.04, "gradient_accumulation_steps": 1, "loss_type": "bnpo"}')
    assert "By the run's configuration (training_args.json), " in " ".join(
        said(folder / "trainer_state.json", GRPO_OLD, GRPO_NEW)
    )


def test_a_folder_of_many_kinds_fits_on_a_screen(said):
    """All recorded runs at once, of many kinds and sources: at most 25 lines, and the rest is counted."""
    lines = said(RUNS, "trl[GRPOTrainer]", "verl==0.9.1")

    assert len(lines) <= 25
    assert any(line.startswith("  and ") and line.endswith("more kinds and sources") for line in lines)
    assert "trl[GRPOTrainer]: 1.16.0, the newest known" in lines


def test_a_folder_has_a_line_for_each_kind_of_file(said, tmp_path):
    """How many files, records and which source, and the severities of all together."""
    runs = tmp_path / "runs"
    runs.mkdir()
    shutil.copy(PPO, runs / "a.jsonl")
    shutil.copy(PPO, runs / "b.jsonl")
    shutil.copytree(RUNS / "wandb" / "0.31.0-trl-0.7-ppo", runs / "wandb")

    lines = said(runs, OLD, NEW)

    assert len(lines) <= 25
    kinds = [line.split() for line in lines if line.startswith("  ") and " file" in line]
    assert kinds[0] == ["jsonl", "2", "files", "20", "records", OLD]
    assert kinds[1][:3] == ["wandb", "1", "file"]


def test_values_that_were_converted_are_told(said, tmp_path):
    """A number that is written in another unit is told with what was made of it."""
    path = tmp_path / "run.jsonl"
    path.write_text('{"step": 1, "train/total_tokens(B)": 0.5, "train/loss": 1.0}\n')

    lines = said(path, "verl[sft]==0.9.1", "canonical")

    assert "Values are converted: train/total_tokens(B) (1e+09 x value)." in lines


def test_the_step_is_no_unknown_key(said, tmp_path):
    """What says where a row stands is no metric that was left behind; a key of one's own is."""
    path = tmp_path / "run.jsonl"
    path.write_text('{"step": 1, "loss": 1.0, "mine": 2.0}\n')

    lines = said(path, "trl[DPOTrainer]==1.16.0", "canonical")

    assert "Kept, unknown to the source: mine." in lines
