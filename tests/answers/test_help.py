"""The overview, the examples of every help, and completion."""

from __future__ import annotations

import argparse
import ast
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from answers.six_frameworks import write
from command_line import Answer, answered
from folders import RUNS
from programs.manual_pages import pages, parsers
from rlmetrics import __version__
from rlmetrics.cli.commands import ALSO, COMMANDS, EDITORS, MAIN
from rlmetrics.cli.manual import FILE
from rlmetrics.names import load_tables

USERS = [
    pytest.param(example, id=f"{name}-{number}")
    for name, command in COMMANDS.items()
    if command.group in (MAIN, ALSO)
    for number, (example, _) in enumerate(command.examples)
]
OF_EDITORS = [
    pytest.param(example, id=f"{name}-{number}")
    for name, command in COMMANDS.items()
    if command.group == EDITORS
    for number, (example, _) in enumerate(command.examples)
]


@pytest.fixture
def folder(tmp_path):
    """A folder with the files that the examples name."""
    for name, run in (
        ("run.jsonl", "trl-1.16.0-grpo.jsonl"),
        ("before.jsonl", "trl-0.18.2-grpo.jsonl"),
        ("after.jsonl", "trl-1.16.0-grpo.jsonl"),
        ("trainer_state.json", "trl-1.16.0-grpo.trainer_state.json"),
        ("runs/first.jsonl", "verl-0.9.1-tracking.jsonl"),
        ("runs/second.jsonl", "verl-0.9.1-tracking.jsonl"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(RUNS / run, tmp_path / name)
    return tmp_path


def _run(words: list[str], folder: Path) -> Answer:
    if words[:1] == ["mcp"]:
        # It speaks over the streams of its process, and ends when nobody asks.
        command = [sys.executable, "-m", "rlmetrics.cli", *words]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return Answer(done.returncode, done.stdout, done.stderr)
    return answered(*words, folder=folder, COLUMNS="80")


@pytest.mark.parametrize("example", USERS)
def test_examples_for_users_run(example, folder):
    """What a help shows works as it stands; a run that is sick ends with 1."""
    program, *words = shlex.split(example)

    done = _run(words, folder)

    assert program == "rlmetrics"
    assert done.code == 0 or (done.code == 1 and words[0] in ("check", "watch")), done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("example", OF_EDITORS)
def test_examples_for_editors_are_understood(example, folder):
    """They need a checkout or the network; outside of a checkout they say so, and not that an argument is wrong."""
    program, *words = shlex.split(example)

    done = _run([*words, "--help"], folder)

    assert program == "rlmetrics"
    assert done.code == 0, done.err
    assert f"usage: rlmetrics {words[0]}" in done.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_shows_examples_in_80_columns(name, folder):
    """The examples stand at the end, uncut, and nothing but an example is wider than the terminal."""
    done = _run([name, "--help"], folder)

    lines = done.out.splitlines()
    shown = lines[lines.index("examples:") :]
    assert [f"  {example}" for example, _ in COMMANDS[name].examples] == shown[1::2]
    assert all(len(line) <= 80 for line in lines[: lines.index("examples:")])


def test_the_manual_is_what_the_commands_take():
    """Where an option changed, `python tests/programs/manual_pages.py` writes the pages anew."""
    assert Path(FILE).read_text(encoding="utf-8") == pages()


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="argparse says `-o, --output OUT` there")
@pytest.mark.parametrize("parser", [pytest.param(parser, id=parser.prog) for parser in parsers()])
def test_a_page_says_what_argparse_says(parser, folder, monkeypatch):
    """The same words in the same order, however wide the terminal is; and a command and its parser print the same."""
    monkeypatch.setenv("COLUMNS", "100000")
    monkeypatch.setattr(parser, "formatter_class", argparse.HelpFormatter)
    expected = argparse.ArgumentParser.format_help(parser).split()

    for columns in ("60", "80", "120"):
        done = answered(*parser.prog.split()[1:], "--help", folder=folder, COLUMNS=columns)
        monkeypatch.setenv("COLUMNS", columns)
        assert done.out.split() == expected
        assert done.out == parser.format_help()


def test_versions_are_those_of_package_and_spec(folder):
    """The spec's stands in its tables, too."""
    done = _run(["--version"], folder)

    assert done == (0, f"rlmetrics {__version__}, spec {load_tables().version}\n", "")


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["resolve", "--help"], ["release", "add", "--help"]])
def test_what_is_at_hand_imports_next_to_nothing(words, folder):
    """Versions and pages of the manual are printed before argparse, typing, re or a table is imported."""
    code = (
        "import sys; before = {*sys.modules}; from rlmetrics.cli import main; code = main(sys.argv[1:]); "
        "print(sorted({*sys.modules} - before), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True, check=False)

    assert done.returncode == 0
    assert done.stdout
    loaded = ast.literal_eval(done.stderr)
    assert [name for name in loaded if not name.startswith("rlmetrics")] == ["__future__"]
    assert len(loaded) < 15


def test_without_a_command_the_screen_shows_what_users_need(folder):
    """Five commands with an example each, then the others by name, on one screen."""
    done = _run([], folder)

    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    for name, command in COMMANDS.items():
        assert name in done.out
        assert command.group != MAIN or command.examples[0][0] in done.out


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rlmetrics re", ["release", "releases", "rename", "resolve"]),
        ("rlmetrics keys --at trl[GRPOT", ["trl[GRPOTrainer]=="]),
        ("rlmetrics keys --at trl[GRPOTrainer]==1.16", ["trl[GRPOTrainer]==1.16.0 "]),
        ("rlmetrics resolve --at trl[GRPOTrainer]==1.16.0 frac_", ["frac_reward_zero_std "]),
    ],
)
def test_a_shell_completes(line, expected, folder):
    """Commands, releases and the keys of the release that is named, as bash asks for them."""
    out = folder / "completions"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(out),
        "_ARGCOMPLETE_COMP_WORDBREAKS": " \t\n",
        "_ARGCOMPLETE_IFS": "\n",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    # What answers a shell ends its process.
    subprocess.run([sys.executable, "-m", "rlmetrics.cli"], cwd=folder, env={**os.environ, **asked}, check=False)

    found = [item.replace("\\", "") for item in out.read_text(encoding="utf-8").split("\n")]
    assert sorted(found) == expected


def test_a_shell_completes_what_an_overlay_adds(tmp_path):
    """Frameworks and keys of the folder that --spec names."""
    six = write(tmp_path)
    for rest, expected in (("--at quar", ["quartz", "quartz["]), ("--at quartz==1.0.0 quartz/k", ["quartz/kl "])):
        line = f"rlmetrics resolve --spec {six} {rest}"
        test_a_shell_completes(line, expected, tmp_path)


def test_the_shell_code_names_the_program(folder):
    """What `completion` prints registers rlmetrics, and bash can read it."""
    done = _run(["completion", "bash"], folder)

    assert "rlmetrics" in done.out
    assert subprocess.run(["bash", "-n"], input=done.out, text=True, check=False).returncode == 0
