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


def test_cells_behind_a_long_one_stand_below_it_in_their_columns():
    """Where the row would be wider than the screen."""
    long = "ppo_actor/update/compute_logp/kl_div_taylor/avg"
    short = ["trl", "PPOTrainer", "policy/approxkl_avg", "0.12.0..1.12.0", "[1]"]
    first, second, third = columns([short, ["areal", "PPOTrainer and 1 more", long, "1.0.4..", "[2]"]])
    assert second.endswith(long)
    assert third.split() == ["1.0.4..", "[2]"]
    assert third.index("1.0.4..") == first.index("0.12.0")
    assert max(map(len, (first, second, third))) <= 80


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
    monkeypatch.setenv("FORCE_HYPERLINK", "1")

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


@pytest.mark.parametrize(
    ("settings", "links"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "linux"}, False),
        ({"TERM": "screen"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "4205"}, False),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7200"}, True),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "xterm-kitty", "FORCE_HYPERLINK": "0"}, False),
        ({"TERM": "xterm", "FORCE_HYPERLINK": "1"}, True),
        ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, False),
    ],
)
def test_links_go_where_a_terminal_makes_them(monkeypatch, settings, links):
    """A terminal that prints the address behind a text gets none: what it is tells the environment."""
    known = ("NO_COLOR", "TERM_PROGRAM", "VTE_VERSION", "KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM")
    for name in (*known, "TERMINUS_PLUGINS", "FORCE_HYPERLINK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)

    shown = printed(["source    trl/a.py:1"], links={"trl/a.py:1": "https://x"}, stream=Terminal())

    assert ("\x1b]8;;" in shown) is links


def test_a_place_is_no_link_within_a_longer_one(monkeypatch):
    """Line 1 of a file is not the start of its line 12."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_HYPERLINK", "1")
    monkeypatch.setenv("TERM", "xterm")
    links = {"trl/a.py:1": "https://x#L1", "trl/a.py:12": "https://x#L12"}
    shown = printed(["source    trl/a.py:12"], links=links, stream=Terminal())
    assert "\x1b]8;;https://x#L12\x1b\\trl/a.py:12\x1b]8;;\x1b\\" in shown
    assert "#L1\x1b" not in shown
