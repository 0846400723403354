"""Standard streams that are closed, and words that are empty or stand for no file: one line, and at once."""

import subprocess
import sys
import time

import pytest
from rlmetrics.cli import main

COMMANDS = ["--version", "resolve loss", "check LOG --at verl==0.9.1", "compare LOG LOG --at verl==0.9.1", "releases"]


@pytest.fixture
def run_file(tmp_path):
    """A log of a few rows."""
    path = tmp_path / "run.jsonl"
    path.write_text("".join(f'{{"step": {step}, "actor/ppo_kl": 0.1}}\n' for step in range(5)))
    return path


def asked(words, redirected):
    """Run a command in a shell that redirects its streams."""
    shell = ["sh", "-c", f'exec "$@" {redirected}', "sh", sys.executable, "-m", "rlmetrics.cli", *words]
    return subprocess.run(shell, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_answer_that_nobody_gets_is_not_taken_for_given(run_file, command):
    """With standard output closed it is said on one line, with the code of a disk that is full."""
    words = command.replace("LOG", str(run_file)).split()

    done = asked(words, ">&-")

    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.endswith("standard output: is closed\n")
    assert asked(words, "<&- >&- 2>&-").returncode == 2


def test_errors_of_a_closed_stream_do_not_go_into_the_answer(tmp_path):
    """With standard error closed, what it would say stands nowhere else."""
    done = asked(["check", str(tmp_path / "nothing"), "--json"], "2>&-")

    assert (done.returncode, done.stdout) == (2, "")


def test_a_copy_is_made_whoever_hears_of_it(run_file, tmp_path):
    """The translation stands though its report can't be given."""
    copy = tmp_path / "copy.jsonl"

    done = asked(["translate", str(run_file), "--from", "verl==0.9.1", "--to", "canonical", "-o", str(copy)], "<&- >&-")

    assert done.returncode == 1
    assert f"done: {copy} is written, but its report can't be: standard output: is closed" in done.stderr
    assert len(copy.read_text().splitlines()) == 5


def test_a_full_disk_under_the_answer_is_named(run_file):
    """Not the log, which is whole."""
    done = asked(["check", str(run_file), "--at", "verl==0.9.1"], "> /dev/full")

    assert (done.returncode, done.stderr) == (2, "rlmetrics check: standard output: No space left on device\n")


@pytest.mark.parametrize("words", [["resolve", ""], ["resolve", "loss", "  "], ["check", ""], [""], ["watch", ""]])
def test_an_empty_word_is_refused(words, capsys):
    """A variable that is not set is no key, and not the folder that one is in."""
    assert main(words) == 2

    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "an argument is empty" in err


@pytest.mark.parametrize("command", ["check PLACE", "compare PLACE PLACE", "plot PLACE loss", "watch PLACE"])
@pytest.mark.parametrize(("place", "says"), [("-", "save what another program prints"), ("/", "too many to look")])
def test_what_is_no_place_of_logs_is_said_at_once(command, place, says, capsys):
    """The standard input is not read by name, and nobody waits until the whole machine was looked through."""
    began = time.monotonic()

    assert main(command.replace("PLACE", place).split()) == 2

    assert time.monotonic() - began < 5
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert says in err


def test_watching_what_is_not_there_says_so_at_once(tmp_path, capsys):
    """Before the first wait."""
    assert main(["watch", str(tmp_path / "later.jsonl"), "--idle", "0.1", "--interval", "0.05"]) == 0

    assert "there is no log yet; waiting for one" in capsys.readouterr().err
