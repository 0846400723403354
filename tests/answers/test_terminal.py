"""How answers stand in a terminal."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.wording.terminal import columns, labelled, printed, wrapped

WORD = st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=30)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Say so."""
        return True


@given(st.lists(WORD, min_size=1, max_size=30))
def test_wrapping_keeps_every_word_and_the_width(words):
    """Every word is in the lines, uncut and in order, and no line is wider than 80 columns unless one word is."""
    lines = wrapped(" ".join(words), indent=4, columns=80)

    assert " ".join(words).split() == " ".join(lines).split()
    assert all(len(line) <= 80 or len(line.split()) == 1 for line in lines)


@given(st.lists(st.lists(WORD, min_size=3, max_size=3), min_size=1, max_size=8))
def test_columns_keep_every_cell(rows):
    """Cells are never cut, whatever their width."""
    text = "\n".join(columns(rows))

    assert [cell for row in rows for cell in row] == text.split()


def test_labels_stand_in_a_column(monkeypatch):
    """Text stands beside its label, and further lines below the text."""
    monkeypatch.setenv("COLUMNS", "40")

    assert labelled("averaged", "over all tokens of a micro-batch at once") == [
        "averaged  over all tokens of a",
        "          micro-batch at once",
    ]


def test_a_pipe_gets_plain_text():
    """Neither colour nor links go into a file."""
    lines = ["! biased  kl", "source    trl/a.py:1"]

    assert "\n".join(lines) == printed(lines, keys=["kl"], links={"trl/a.py:1": "https://x"}, stream=io.StringIO())


def test_a_terminal_gets_colour_and_links(monkeypatch):
    """Symbols are coloured, labels dim, keys of the first line bold, and places are links."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")

    text = printed(
        ["! biased  kl", "source    trl/a.py:1"], keys=["kl"], links={"trl/a.py:1": "https://x"}, stream=Terminal()
    )

    assert text == (
        "\x1b[33m!\x1b[0m biased  \x1b[1mkl\x1b[0m\n\x1b[2msource\x1b[0m    \x1b]8;;https://x\x1b\\trl/a.py:1\x1b]8;;\x1b\\"
    )


def test_no_color_is_heeded(monkeypatch):
    """Whoever sets NO_COLOR gets none, on a terminal too."""
    monkeypatch.setenv("NO_COLOR", "1")

    assert printed(["! kl"], stream=Terminal()) == "! kl"


@pytest.mark.parametrize(("sign", "plain"), [("≈", "~"), ("≠", "#"), ("·", "-"), ("=", "="), ("!", "!")])
def test_symbols_without_utf_8(sign, plain):
    """A stream that can't show a symbol gets one of ASCII."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")

    assert printed([f"{sign} kl"], stream=stream) == f"{plain} kl"


def test_a_place_is_no_link_within_a_longer_one():
    """Line 1 of a file is not the start of its line 12."""
    links = {"trl/a.py:1": "https://x#L1", "trl/a.py:12": "https://x#L12"}
    shown = printed(["source    trl/a.py:12"], links=links, stream=Terminal())
    assert "\x1b]8;;https://x#L12\x1b\\trl/a.py:12\x1b]8;;\x1b\\" in shown
    assert "#L1\x1b" not in shown
