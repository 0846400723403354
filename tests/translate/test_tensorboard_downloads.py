"""What TensorBoard's page downloads: CSV and JSON of one tag, whose name is that of the file or given."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.logs.kinds.tensorboard_download import file_name
from rlmetrics.logs.kinds.tensorboard_download.tag_in_name import tag_of

ODPO = "trl[OnlineDPOTrainer]==1.16.0"


def _table(values):
    points = "".join(f"17000000{number:02d}.5,{number * 10},{value}\n" for number, value in enumerate(values, start=1))
    return f"Wall time,Step,Value\n{points}"


def _points(values):
    listed = ", ".join(
        f"[17000000{number:02d}.5, {number * 10}, {value}]" for number, value in enumerate(values, start=1)
    )
    return f"[{listed}]"


FORMS = {".csv": _table, ".json": _points}


@pytest.mark.parametrize("suffix", FORMS)
def test_a_file_without_a_name_asks_for_one(tmp_path, capsys, suffix):
    """In one line that says how to give it; given, each command reads the file."""
    path = tmp_path / f"x{suffix}"
    path.write_text(FORMS[suffix]([f"0.{number}" for number in range(1, 9)]))

    assert main(["check", str(path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"rlmetrics check: {path}: ")
    assert "--key train/loss" in told

    assert main(["check", str(path), "--key", "train/reward", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["rows"], found["steps"]) == (8, [10, 80])
    assert main(["plot", str(path), "train/reward", "--key", "train/reward"]) == 0
    assert "reward/score/mean" in capsys.readouterr().out
    assert main(["compare", str(path), str(path), "--key", "train/reward", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"][0]["metric"] == "reward/score/mean"


@pytest.mark.parametrize(
    ("name", "tags"),
    [
        ("train_loss", ["train/loss"]),
        ("train_completions_mean_length", ["train/completions/mean_length"]),
        ("train_rewards_is_right_mean", ["train/rewards/is_right/mean"]),
        ("actor_pg_loss", ["actor/pg_loss"]),
        ("eval_reward", ["eval/reward"]),
        ("mine_own", ["mine_own"]),
    ],
)
def test_slashes_return_where_the_spec_knows_the_name(name, tags):
    """Browsers write ``_`` for ``/``; what nobody logs stays as it is written."""
    assert tag_of(name) == tags


@given(st.text(alphabet="ab_", min_size=1, max_size=12))
def test_every_name_has_a_tag(name):
    """There is always an answer, and it is written like the name that it was read from."""
    assert all(file_name("", tag, "") == f"run-.-tag-{name}" for tag in tag_of(name))


def test_the_files_of_a_run_are_one_run(tmp_path, capsys):
    """Those of a folder are put together by step, each run by itself; other files are not touched."""
    folder = tmp_path / "down"
    folder.mkdir()
    for run, shift in (("a", 0), ("b", 1)):
        for tag in ("train_reward", "train_reward_std", "train_kl"):
            (folder / f"run-{run}-tag-{tag}.csv").write_text(_table([f"0.{number + shift}" for number in range(1, 9)]))
    (folder / "note.bin").write_bytes(b"\0")

    assert main(["check", str(folder), "--at", "trl[GRPOTrainer]==1.16.0", "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)
    assert [(run["run"].rpartition(":")[2], run["rows"]) for run in runs] == [("a", 8), ("b", 8)]


@pytest.mark.parametrize("suffix", FORMS)
def test_a_folder_is_written_under_its_new_names(tmp_path, suffix):
    """The name of a file is that of its key; values are converted where they must be, and return."""
    form, folder, out, back = FORMS[suffix], tmp_path / "in", tmp_path / "out", tmp_path / "back"
    folder.mkdir()
    values = {"val_contain_eos_token": ["0.25", "1.0", "-0.5"], "objective_kl": ["0.5", "NaN", "2"]}
    for tag, numbers in values.items():
        (folder / f"run-x-tag-{tag}{suffix}").write_text(form(numbers))

    assert main(["translate", str(folder), "--from", ODPO, "--to", "canonical", "-o", str(out)]) == 0
    assert (out / f"run-x-tag-length_truncated_fraction{suffix}").read_text() == form(["0.75", "0.0", "1.5"])
    assert (out / f"run-x-tag-length_truncated_fraction{suffix}").exists()
    assert len([*out.iterdir()]) == 2
    assert main(["translate", str(out), "--from", "canonical", "--to", ODPO, "-o", str(back)]) == 0
    for tag, numbers in values.items():
        numbers = ["0.25", "1.0", "-0.5"] if tag.startswith("val") else numbers
        assert (back / f"run-x-tag-{tag}{suffix}").read_text() == form(numbers)


def test_a_single_file_says_how_to_call_its_copy(tmp_path, capsys):
    """Nothing within it changes where no value is converted."""
    path, out = tmp_path / "run-x-tag-train_reward.csv", tmp_path / "o.csv"
    path.write_text(_table(["0.5", "nan", "1"]))
    source = ["--from", "trl[GRPOTrainer]==1.16.0", "--to", "verl==0.9.1", "--json"]
    assert main(["translate", str(path), *source, "-o", str(out)]) == 0
    assert out.read_bytes() == path.read_bytes()
    assert "call the copy run-x-tag-critic_" in json.loads(capsys.readouterr().out)["notes"][-1]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("run-a-tag-loss.json", "[[1.5, 1, 0.5], [1.5,", ":1:"),
        ("run-a-tag-loss.csv", "Wall time,Step,Value\n1,1,x\n2,2\n", "holds no row"),
    ],
)
def test_what_is_broken_is_told_in_one_line(tmp_path, capsys, name, text, said):
    """With its place."""
    path = tmp_path / name
    path.write_text(text)
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
