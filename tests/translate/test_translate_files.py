"""Files and folders, through the real command line: what is written, what is refused, what is lost."""

import bz2
import gzip
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.translate import InputError, placing, translate_file
from rlmetrics.translate.placing import replacing

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
OLD, NEW = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"
ZSTD = bytes.fromhex("28b52ffd2002110000610a")
"""Two bytes, as zstd packs them."""


@pytest.fixture
def run_file(tmp_path):
    """A real run of TRL 0.7.10, as logged."""
    return Path(shutil.copy(FIXTURES / "trl-0.7.10-ppo1_wandb.jsonl", tmp_path / "run.jsonl"))


def _rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_real_run_is_translated_row_by_row(run_file, capsys):
    """Every row comes out with new names and the values it had; the input stays as it was."""
    before = run_file.read_bytes()

    code = main(["translate", str(run_file), "--from", OLD, "--to", NEW, "--json"])

    report = json.loads(capsys.readouterr().out)
    old, new = _rows(run_file), _rows(run_file.with_name("run.jsonl.translated"))
    assert code == 0
    assert run_file.read_bytes() == before
    assert len(old) == len(new) == report["records"]
    assert {report["kind"], report["from"], report["to"]} == {"jsonl", OLD, NEW}
    for was, now in zip(old, new, strict=True):
        assert was["ppo/policy/clipfrac"] == now["policy/clipfrac_avg"]
        assert was["objective/kl"] == now["objective/kl"]
        assert "ppo/policy/clipfrac" not in now
    fields = {"to", "relation", "severity", "metric", "differs_by", "transform"}
    assert fields == set(report["translated"]["ppo/policy/approxkl"])
    assert report["lost"] == {"records": 0, "bytes": 0}


def test_values_stay_byte_for_byte(tmp_path, capsys):
    """Numbers keep their spelling, NaN and Infinity included, and so does the white space around them."""
    source = tmp_path / "run.jsonl"
    source.write_text(
        '{ "ppo/policy/clipfrac" :1.50e-3,  "ppo/val/vpred":NaN ,"x":-Infinity, "é":"ü\\u00e9" }\r\n', newline=""
    )

    assert main(["translate", str(source), "--from", OLD, "--to", NEW, "-o", str(tmp_path / "out")]) == 0

    with (tmp_path / "out").open(newline="", encoding="utf-8") as file:
        text = file.read()
    assert text.startswith('{ "policy/clipfrac_avg" :1.50e-3,')
    assert '"ppo/val/vpred":NaN' in text
    assert '"x":-Infinity' in text
    assert '"é":"ü\\u00e9" }\r\n' in text


def test_verl_file_logger_rows_keep_their_frame(tmp_path, capsys):
    """``{"step", "data"}`` stays the frame; the names inside ``data`` are translated, canonical names included."""
    source = Path(shutil.copy(FIXTURES / "verl-0.9.1-tracking.jsonl", tmp_path / "verl.jsonl"))

    assert (
        main(
            ["translate", str(source), "--from", "verl==0.9.1", "--to", "canonical", "-o", str(tmp_path / "out.jsonl")]
        )
        == 0
    )

    old, new = _rows(source), _rows(tmp_path / "out.jsonl")
    assert [row["step"] for row in old] == [row["step"] for row in new]
    assert old[0]["data"]["actor/ppo_kl"] == new[0]["data"]["kl/old/k1"]


def test_trainer_state_keeps_everything_but_names(tmp_path, capsys):
    """Only the names in ``log_history`` change; the rest of the file is the same text."""
    source = Path(shutil.copy(FIXTURES / "trl-0.18.2-ppo.trainer_state.json", tmp_path / "trainer_state.json"))

    assert main(["translate", str(source), "--from", NEW, "--to", "canonical", "-o", str(tmp_path / "out.json")]) == 0

    old, new = json.loads(source.read_text()), json.loads((tmp_path / "out.json").read_text())
    assert {key: old[key] for key in old if key != "log_history"} == {
        key: new[key] for key in new if key != "log_history"
    }
    assert [row["objective/kl"] for row in old["log_history"]] == [
        row["kl/old_reference_sum/k1"] for row in new["log_history"]
    ]
    assert len(source.read_text().splitlines()) == len((tmp_path / "out.json").read_text().splitlines())


def test_there_and_back_gives_the_same_rows(tmp_path):
    """Translating to canonical names and back restores each value under its old name."""
    source = FIXTURES / "trl-0.12.2-ppo.jsonl"
    there, back = tmp_path / "there.jsonl", tmp_path / "back.jsonl"

    translate_file(source, source="trl[PPOTrainer]==0.12.2", target="canonical", output=there)
    translate_file(there, source="canonical", target="trl[PPOTrainer]==0.12.2", output=back)

    assert _rows(source) == _rows(back)


def test_a_torn_last_record_is_left_out_and_counted(run_file, capsys):
    """A crash in the middle of a write costs that record only, and the report says how many bytes."""
    whole = run_file.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    run_file.write_bytes(whole[: -len(last) // 2])

    code = main(["translate", str(run_file), "--from", OLD, "--to", NEW, "--json"])

    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert code == 1
    assert len(whole.splitlines()) - 1 == report["records"]
    assert report["lost"] == {"records": 1, "bytes": len(last) - (len(last) + 1) // 2}
    assert captured.err.startswith("rlmetrics translate: LOST: 1 torn record(s)")
    assert main(["translate", str(run_file), "--from", OLD, "--to", NEW, "--force"]) == 1
    assert capsys.readouterr().out.startswith("LOST: 1 torn record(s)")


def test_broken_input_writes_nothing(run_file, tmp_path, capsys):
    """A bad line that is not the last gives one line with file, line and column, exit code 2, and no output."""
    lines = run_file.read_bytes().splitlines(keepends=True)
    run_file.write_bytes(lines[0] + b'{"objective/kl" 1}\n' + lines[1])

    code = main(["translate", str(run_file), "--from", OLD, "--to", NEW])

    captured = capsys.readouterr()
    assert code == 2
    assert f"{run_file}:2:17: " in captured.err
    assert captured.err.count("\n") == 1
    assert os.listdir(tmp_path) == ["run.jsonl"]


def test_nothing_translated_is_an_error(tmp_path, capsys):
    """A wrong source must not look like success."""
    source = tmp_path / "run.jsonl"
    source.write_text('{"a": 1}\n')

    code = main(["translate", str(source), "--from", OLD, "--to", NEW])

    assert code == 2
    assert "0 keys translated" in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["run.jsonl"]


@pytest.mark.parametrize(
    ("keys", "options", "why"),
    [
        (
            ["ppo/policy/approxkl", "ppo/val/vpred"],
            ["--strict"],
            "1 key of the source has only approximate counterparts, which --strict leaves out: ppo/policy/approxkl\n",
        ),
        (["ppo/returns/var"], [], "1 key of the source has no counterpart: ppo/returns/var\n"),
        (["a"], [], "is the source right? First names: a\n"),
        ([], [], "there are no names in it; is it of the kind jsonl, and whole?\n"),
    ],
)
def test_what_keeps_all_keys_back_is_told(tmp_path, capsys, keys, options, why):
    """Known keys without a counterpart, and those that only ``--strict`` leaves, don't make the source look wrong."""
    source = tmp_path / "run.jsonl"
    source.write_text(json.dumps(dict.fromkeys(keys, 1.0)) + "\n")

    code = main(["translate", str(source), "--from", OLD, "--to", NEW, *options])

    assert code == 2
    assert why in capsys.readouterr().err
    assert os.listdir(tmp_path) == ["run.jsonl"]


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress, lambda _: ZSTD])
@pytest.mark.parametrize("name", ["run.jsonl.gz", "run.jsonl", "run.csv", "run.log", "project.db", "run.wandb"])
def test_a_compressed_file_of_a_folder_is_copied(tmp_path, capsys, name, packed):
    """Whatever its name says, names in it stay as they are, and the account says so."""
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / name).write_bytes(packed(b'{"ppo/policy/entropy": 1}\n'))
    (folder / "plain.jsonl").write_text('{"ppo/policy/entropy": 1}\n')

    assert main(["translate", str(folder), "--from", OLD, "--to", NEW, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert any(f"{folder / name}: is compressed: names in it stay" in note for note in report["notes"])
    assert (folder / name).read_bytes() == (tmp_path / "runs.translated" / name).read_bytes()


def test_a_compressed_file_with_no_log_in_it_is_refused(tmp_path, capsys):
    """What is wrong is told of the file that was given, and nothing is written."""
    path = tmp_path / "run.jsonl.zst"
    path.write_bytes(ZSTD)
    assert main(["translate", str(path), "--from", OLD, "--to", NEW]) == 2
    assert capsys.readouterr().err.startswith(f"rlmetrics translate: {path}:1:1: not a JSON object")
    assert os.listdir(tmp_path) == ["run.jsonl.zst"]


def test_broken_yaml_is_told_with_its_place(tmp_path, capsys):
    """No kind recognises it, but its name says what it was to be."""
    path = tmp_path / "sweep.yaml"
    path.write_text("metric:\n  name: [train/reward\n")

    assert main(["translate", str(path), "--from", OLD, "--to", NEW]) == 2
    assert f"rlmetrics translate: {path}:2:9: not YAML" in capsys.readouterr().err


def test_a_pipe_is_refused(tmp_path, capsys):
    """What can be read only once can't be looked at before it is translated: one line, and no waiting."""
    pipe = tmp_path / "run.jsonl"
    os.mkfifo(pipe)

    assert main(["translate", str(pipe), "--from", OLD, "--to", NEW]) == 2
    assert f"rlmetrics translate: {pipe}: is a pipe or a device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [pipe]


def test_existing_output_is_kept_without_force(run_file, capsys):
    """An existing output is an error; ``--force`` replaces it."""
    output = run_file.with_name("out.jsonl")
    output.write_text("precious")
    command = ["translate", str(run_file), "--from", OLD, "--to", NEW, "-o", str(output)]

    assert main(command) == 2
    assert output.read_text() == "precious"
    assert "--force" in capsys.readouterr().err
    assert main([*command, "--force"]) == 0
    assert "objective/kl" in output.read_text()


@pytest.mark.parametrize("where", [".", "inside"])
def test_the_output_may_not_lie_in_the_input(tmp_path, where):
    """Translating a folder into itself would never end, or eat the input."""
    runs = tmp_path / "runs"
    runs.mkdir()
    shutil.copy(FIXTURES / "trl-0.18.2-ppo.jsonl", runs)

    with pytest.raises(InputError, match="lie inside"):
        translate_file(runs, source=NEW, target="canonical", output=runs / where, force=True)


def test_collisions_end_with_exit_code_1(tmp_path, capsys):
    """The run goes on, both keys are set aside, and the exit code tells."""
    source = tmp_path / "run.jsonl"
    source.write_text('{"env/reward_mean": 1.0, "ppo/mean_scores": 2.0, "objective/kl": 0.5}\n')

    code = main(["translate", str(source), "--from", OLD, "--to", NEW])

    assert code == 1
    assert _rows(tmp_path / "run.jsonl.translated")[0] == {
        "untranslated/trl-0.7.10/env/reward_mean": 1.0,
        "untranslated/trl-0.7.10/ppo/mean_scores": 2.0,
        "objective/kl": 0.5,
    }


def test_the_source_is_inferred_from_the_names(tmp_path, capsys):
    """Without ``--from`` the keys decide: the newest of the releases that log them with one meaning."""
    run = tmp_path / "run.jsonl"
    run.write_text('{"ppo/learning_rate": 0.1}\n', encoding="utf-8")
    code = main(["translate", str(run), "--to", NEW, "--json"])

    assert code == 0
    assert json.loads(capsys.readouterr().out)["from"] == "trl[PPOTrainer]==0.11.4"


def test_names_of_several_meanings_need_a_source(tmp_path, capsys):
    """TRL's ORPO trainer kept its names and changed what ``loss`` means, so its keys alone do not decide about that."""
    run = tmp_path / "run.jsonl"
    run.write_text('{"loss": 0.1, "nll_loss": 0.1, "log_odds_ratio": 0.1}\n', encoding="utf-8")
    code = main(["translate", str(run), "--to", "canonical", "--json"])

    assert code == 1
    report = json.loads(capsys.readouterr().out)
    assert (list(report["undecided"]), list(report["translated"])) == (["loss"], ["nll_loss", "log_odds_ratio"])


def test_a_killed_run_leaves_no_half_output(tmp_path):
    """Killed while writing, the output does not exist, and the next run is not disturbed."""
    target = tmp_path / "out"
    code = f"""
import os, signal
from pathlib import Path
from rlmetrics.translate.placing import replacing
with replacing(Path({str(target)!r})) as part:
    part.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False, env={**os.environ})

    assert not target.exists()
    with replacing(target) as part:
        part.write_text("whole")
    assert target.read_text() == "whole"


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=200), newline=st.booleans())
def test_arbitrary_bytes_give_output_or_one_clear_error(tmp_path_factory, data, newline):
    """Whatever a file holds, the reader ends with a report or an error that names the file; the input stays."""
    folder = tmp_path_factory.mktemp("fuzz")
    path = folder / "run.jsonl"
    content = b'{"objective/kl": 1}\n' + data + (b"\n" if newline else b"")
    path.write_bytes(content)

    try:
        report = translate_file(path, source=OLD, target=NEW)
    except InputError as error:
        message, records, files = str(error), 1, ["run.jsonl"]
    else:
        message, records, files = str(path), report.records, ["run.jsonl", "run.jsonl.translated"]
    assert message.startswith(str(path))
    assert records >= 1
    assert files == sorted(os.listdir(folder))
    assert content == path.read_bytes()


def test_a_folder_that_cannot_be_replaced_is_put_back(tmp_path, monkeypatch):
    """If the copy can't take its name, the old folder has it again, whole, and nothing else is left."""
    old = tmp_path / "out"
    old.mkdir()
    (old / "kept").write_text("old")
    rename = Path.rename

    def refuse(self, target):
        if self.name == "new":
            msg = "no"
            raise OSError(msg)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    monkeypatch.setattr(placing, "_exchanged", lambda *_: False)  # as on systems that can't do it
    with pytest.raises(OSError, match="no"), replacing(old) as part:
        part.mkdir()

    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (old / "kept").read_text() == "old"


def test_memory_stays_constant(tmp_path):
    """A hundred times more rows take hardly more memory: rows are streamed."""
    row = (FIXTURES / "trl-0.18.2-ppo.jsonl").read_text().splitlines()[0] + "\n"
    peaks = []
    for rows in (200, 20_000):
        path = tmp_path / f"run{rows}.jsonl"
        path.write_text(row * rows)
        code = (
            "import re\nfrom rlmetrics.translate import translate_file\n"
            f"translate_file({str(path)!r}, source={NEW!r}, target='canonical')\n"
            "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < 1.2 * peaks[0]
