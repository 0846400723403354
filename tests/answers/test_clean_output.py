"""What commands print and write as pages steers no terminal, and what was not foreseen is one line."""

import io
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.cli import main
from rlmetrics.cli.clean_stream import CleanStream, clean

HOSTILE = "\x1b[31mred\x9b0m\x07\u202eend\ud800"
STEERING = [*map(chr, range(0x20)), "\x7f", "\x9b", "\u202e", "\u2066", "\u200b", "\ud800", "\ufeff"]


@pytest.fixture
def log(tmp_path):
    """A log with a key that steers terminals, and some that a source knows."""
    path = tmp_path / "run.jsonl"
    rows = [{"step": step, HOSTILE: step / 2, "reward": 0.5, "kl": 0.1 * step, "loss": 0.1} for step in range(1, 12)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    "words",
    [
        "compare LOG LOG --at trl[grpo]==1.16.0 --full",
        "compare LOG LOG --at trl[grpo]==1.16.0 --json",
        "plot LOG HOSTILE --at trl[grpo]==1.16.0",
        "resolve HOSTILE",
        "resolve HOSTILE --at trl[grpo]==1.16.0",
        "map HOSTILE --from trl[grpo]==1.16.0 --to verl==0.9.1",
        "check LOG --at trl[grpo]==1.16.0 --full",
        "translate LOG --from trl[grpo]==1.16.0 --to canonical -o OUT --json",
    ],
)
def test_no_command_prints_what_steers_a_terminal(log, words: str, capsys, tmp_path):
    """Names with escapes, bells, and signs that turn text around are printed as JSON writes them."""
    places: dict[str, str] = {"LOG": str(log), "HOSTILE": HOSTILE, "OUT": str(tmp_path / "out.jsonl")}

    main([places.get(word, word) for word in words.split()])

    printed = "".join(capsys.readouterr())
    assert printed
    assert not set(printed) & ({*STEERING} - {"\n", "\t"})


@pytest.mark.parametrize("command", ["compare", "check", "translate"])
def test_no_page_holds_what_steers(log, command, tmp_path, capsys):
    """Pages are written whatever a key holds, half a pair of UTF-16 included, and none of it stands there raw."""
    page = tmp_path / "page.html"
    others = {
        "compare": [str(log), "--at", "trl[grpo]==1.16.0"],
        "check": ["--at", "trl[grpo]==1.16.0"],
        "translate": ["--from", "trl[grpo]==1.16.0", "--to", "canonical", "-o", str(tmp_path / "out.jsonl")],
    }

    code = main([command, str(log), *others[command], "--html", str(page)])

    assert code in {0, 1}, capsys.readouterr().err
    assert not set(page.read_text(encoding="utf-8")) & ({*STEERING} - {"\n", "\t"})


@pytest.mark.parametrize(
    "command", ["check FOLDER", "check LOG", "compare LOG LOG", "open LOG", "translate LOG", "plot LOG"]
)
def test_paths_that_are_no_utf_8_stand_escaped_on_pages(log, command, tmp_path, capsys):
    """Whatever bytes a folder and a file are called, a page of it is written, and of many of them with its index."""
    folder = tmp_path / os.fsdecode(b"byt\xff")
    folder.mkdir()
    odd, page, named = folder / os.fsdecode(b"r\xfe.jsonl"), tmp_path / "page", ["--at", "trl[grpo]==1.16.0"]
    odd.write_bytes(log.read_bytes())
    (folder / "b.jsonl").write_bytes(log.read_bytes())
    places = {"FOLDER": str(folder), "LOG": str(odd)}
    name, *given = command.split()
    words = [places[word] for word in given]
    to = {"open": "-o", "plot": "--svg"}.get(name, "--html")
    if name == "translate":
        named = ["--from", named[1], "--to", "canonical"]

    code = main([name, *words, *named, to, str(page)])

    assert code in {0, 1}, capsys.readouterr().err
    text = page.read_text(encoding="utf-8")
    assert name == "plot" or r"\udcfe" in text


@given(st.text(st.sampled_from(["a", "é", "中", "\n", "\t", " ", "\u3000", "😀", "\U000e0041", *STEERING])))
def test_escapes_are_those_of_json(text):
    """What is cleaned within a string of JSON is still the same string, and nothing else is changed."""
    cleaned = clean(json.dumps(text, ensure_ascii=False))

    assert json.loads(cleaned) == text
    assert clean(cleaned) == cleaned
    if not {*text} & {*STEERING, "\U000e0041"}:
        assert clean(text) == text


def test_own_colours_and_links_pass_where_they_are_shown():
    """On a terminal colours and links stay, and an escape that is neither does not; in a file none stays."""
    own = "\x1b[1mkl\x1b[0m \x1b]8;;https://docs.example/kl\x1b\\kl\x1b]8;;\x1b\\"
    painted, plain = io.StringIO(), io.StringIO()

    CleanStream(painted, "out", paints=True).write(f"{own} \x1b[2J\n")
    CleanStream(plain, "out", paints=False).write(own)

    assert painted.getvalue() == f"{own} \\u001b[2J\n"
    assert "\x1b" not in plain.getvalue()


def test_what_was_not_foreseen_is_one_line_and_a_code_of_its_own(log, monkeypatch, capsys):
    """A fault of this package is told from a sick run, which is 1: 70, one line, and the way to the whole story."""

    def broken(*_, **__):
        message = "two\nlines"
        raise KeyError(message)

    monkeypatch.setattr("rlmetrics.cli.check.run", broken)

    assert main(["check", str(log)]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "unforeseen KeyError" in err
    assert "with what the same command prints with --debug" in err
    assert "Traceback" not in err

    for wanted in (["--debug", "check", str(log)], ["check", str(log), "--debug"]):
        assert main(wanted) == 70
        *trace, last = capsys.readouterr().err.splitlines()
        assert trace[0].startswith("Traceback")
        assert last == err.replace("what the same command prints with --debug", "these lines").strip()
    monkeypatch.setenv("RLMETRICS_DEBUG", "1")
    assert main(["check", str(log)]) == 70
    assert capsys.readouterr().err.startswith("Traceback")


def test_streams_are_as_before_after_a_command(log, capsys):
    """Whoever calls `main` gets standard output and error back as they were."""
    before = sys.stdout, sys.stderr

    main(["compare", str(log), str(log), "--at", "trl[grpo]==1.16.0"])

    assert (sys.stdout, sys.stderr) == before


def test_no_key_of_the_environment_is_printed_or_written(tmp_path):
    """A server's error may repeat the key that it was sent, and a log may hold one: neither terminal nor page does."""
    key = "0123456789abcdef" * 2
    log, page = tmp_path / "run.jsonl", tmp_path / "page.html"
    log.write_text("".join(f'{{"step": {step}, "{key}": 1.0, "loss": 0.5}}\n' for step in range(3)))
    said = ""
    for asked in (["check", log, "--at", "trl[SFTTrainer]==1.16.0", "--full", "--html", page], ["resolve", key]):
        done = subprocess.run(
            [sys.executable, "-m", "rlmetrics.cli", *asked],
            env={**os.environ, "WANDB_API_KEY": key, "SOME_TOKEN": "loss"},  # the other is any word
            capture_output=True,
            text=True,
            check=False,
        )
        said += done.stdout + done.stderr

    said += page.read_text(encoding="utf-8")
    assert key not in said
    assert "`***`" in said
    assert "loss" in said
