"""JSON files that are one list of rows, as ``json.dump(trainer.state.log_history, file)`` writes them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from logs import kind_name
from rlmetrics.cli import main

ROWS = ["--kind", "trainer-state"]
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
PPO, DPO = "trl[PPOTrainer]==0.18.2", "trl[OnlineDPOTrainer]==0.18.2"


@pytest.fixture
def translated(tmp_path, capsys):
    """Translate a text through the command line and return the exit code, the written text and the report."""

    def run(text, source, target, *options):
        path, out = tmp_path / "log_history.json", tmp_path / "out.json"
        path.write_bytes(text.encode())
        command = ["translate", str(path), "--from", source, "--to", target, "-o", str(out), "--force", "--json"]
        code = main([*command, *options])
        captured = capsys.readouterr()
        assert text.encode() == path.read_bytes()
        if code == 2:
            assert not out.exists()
            return code, None, captured.err.removeprefix(f"rlmetrics translate: {path}")
        return code, out.read_bytes().decode(), json.loads(captured.out)

    return run


@pytest.mark.parametrize("indent", [None, 2])
def test_a_dumped_history_is_translated_in_place(translated, indent):
    """Only the names change, and the way back gives the same bytes."""
    rows = json.loads((FIXTURES / "trl-0.18.2-ppo.trainer_state.json").read_text())["log_history"]
    old = json.dumps(rows, indent=indent)

    code, new, report = translated(old, PPO, "canonical")

    assert (code, report["kind"], report["records"]) == (0, "trainer-state", len(rows))
    names = {name: how["to"] for name, how in report["translated"].items()}
    assert names["objective/kl"] == "kl/old_reference_sum/k1"
    assert [{names.get(name, name): value for name, value in row.items()} for row in rows] == json.loads(new)
    expected = old
    for name, other in sorted(names.items(), key=lambda pair: -len(pair[0])):
        expected = expected.replace(f'"{name}":', f'"{other}":')
    assert new == expected
    assert translated(new, "canonical", report["from"])[:2] == (0, old)


def test_white_space_and_spelling_stay(translated):
    """A mark at the beginning, blanks, line ends and the spelling of numbers and texts are the same bytes."""
    old = '\ufeff \r\n[ {"objective/kl" :1.50e-3 ,\t"x": NaN},\r\n{"objective/kl": -Infinity, "é": "\\u00e9"} ] \r\n'

    code, new, report = translated(old, PPO, "canonical", *ROWS)

    assert (code, report["records"]) == (0, 2)
    assert old.replace("objective/kl", "kl/old_reference_sum/k1") == new


def test_known_conversions_apply_to_every_row(translated):
    """Values are converted in the first row and in those that look like it; others are as they were."""
    old = "[" + ", ".join(f'{{"val/contain_eos_token": {value}, "n": {value}}}' for value in ("0.25", "1e0", "7")) + "]"

    code, new, _ = translated(old, DPO, "canonical", *ROWS)

    assert code == 0
    assert [(row["length/truncated_fraction"], row["n"]) for row in json.loads(new)] == [(0.75, 0.25), (0, 1), (-6, 7)]


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        (
            '[{"objective/kl": 1},\n {"objective/kl" 2}, {"objective/kl": 3}]',
            ":2:18",
            "not a list of rows: Expecting ':' delimiter",
        ),
        ('[{"objective/kl": 1}\n {"a": 2}]', ":2:2", "not a list of rows: found '{' where ',' or ']' should stand"),
        ('[{"objective/kl": 1}, 3]', ":1:23", "not a list of rows: an element of the list is not an object"),
        ('[{"objective/kl": 1}]\n{}', ":2:1", "not a list of rows: '{}' follows its end"),
        ('[{"objective/kl": 1},\n{"a": 1, "a": 2}]', ":2:10", "not a list of rows: the name 'a' occurs twice"),
    ],
)
def test_a_broken_list_is_told_with_its_place(translated, text, place, why):
    """One line with file, line and column; nothing is written."""
    code, _, message = translated(text, PPO, "canonical", *ROWS)

    assert code == 2
    assert message.startswith(f"{place}: {why}")
    assert message.count("\n") == 1


@pytest.mark.parametrize("around", [("[", "]"), ('{"log_history": [', "]}")])
def test_a_value_that_cannot_be_converted_is_told_with_its_place(translated, around):
    """The row is named in which it stands, in a list and in a trainer's state."""
    rows = '{"val/contain_eos_token": 1},\n  {"val/contain_eos_token": {"a": 1}}'

    code, _, message = translated(rows.join(around), DPO, "canonical", *ROWS)

    assert code == 2
    assert message.startswith(":2:3: val/contain_eos_token: a value of type dict can't be converted")


def test_only_lists_that_begin_with_a_row_are_logs(tmp_path):
    """A row has a step, hardly a text and no object: alerts name metrics, a data set has texts of each sample."""
    texts = {
        "tagged.json": '[{"epoch": 0.1, "loss": 1.0, "reward": 0.5, "phase": "hard"}]',
        "told.json": '[{"epoch": 1, "question": "a", "score": 0.5}]',
        "log_history.json": '\n [ {"loss": 1.0, "step": 1}, {"a": {}}]',
        "list.json": '[{"a": null, "b": [1], "training/global_step": -1}',
        "alerts.json": '[{"metric": "train/loss", "threshold": 2}]',
        "samples.json": '[{"reward": 0.5, "length": 12}]',
        "data.json": '[{"prompt": "a", "answer": "b"}]',
        "nested.json": '[{"step": 1, "b": {"c": 2}}]',
        "numbers.json": "[1, 2]",
        "none.json": "[]",
    }
    for name, text in texts.items():
        Path(tmp_path, name).write_text(text)

    assert [kind_name(tmp_path / name) for name in texts] == [
        "trainer-state",
        None,
        "trainer-state",
        "trainer-state",
        "config",
        None,
        None,
        None,
        None,
        None,
    ]


def test_memory_stays_constant(tmp_path):
    """Ten times more rows, all more than are read at once, take hardly more memory: rows are streamed."""
    row = json.dumps(json.loads((FIXTURES / "trl-0.18.2-ppo.jsonl").read_text().splitlines()[0]))
    peaks = []
    for rows in (2_000, 20_000):
        path = tmp_path / f"run{rows}.json"
        path.write_text("[" + ",\n".join([row] * rows) + "]")
        code = (
            "import re\nfrom rlmetrics.translate import translate_file\n"
            f"translate_file({str(path)!r}, source={PPO!r}, target='canonical')\n"
            "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ}
        )
        peaks.append(int(done.stdout))
    assert peaks[1] < 1.2 * peaks[0]
