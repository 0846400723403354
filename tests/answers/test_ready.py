"""Answers that stand ready are those that the commands would make."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable

import pytest
from command_line import answered
from hypothesis import given
from hypothesis import strategies as st
from ready_answers import BOOKS, MAIN, assert_same, ready_names
from rlmetrics.names import keys, load_tables
from rlmetrics.wording.packed_answer import laid, packed
from rlmetrics.wording.terminal import (
    beside,
    columns,
    first_fitting,
    footnote,
    if_fitting,
    labelled,
    one_line,
    ranked,
    table,
    unlaid,
    wrapped,
)

TELLING = ["kl", "approxkl", "kl/reference/k3", "actor/kl_loss", "rewards/{reward_func}/mean", "critic/lr", "loss"]
"""Several meanings, an alias, a metric, one meaning, a template, conditions with alternatives, many spellings."""

GRPO, OLD, VERL = "trl[GRPOTrainer]==1.16.0", "trl[GRPOTrainer]==0.18.2", "verl==0.9.1"

SAMPLE = [(book, name) for book in BOOKS for name in random.Random(30).sample(ready_names(book), 12)]


@pytest.mark.parametrize("colour", [False, True], ids=["plain", "colour"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_ready_answer_is_what_the_command_makes(width, colour):
    """Byte for byte, however wide the terminal is; a slow lane compares all of them."""
    telling = [(book, name) for book in ("resolve", "show") for name in TELLING]
    telling += [("at", f"kl --at {GRPO}"), ("at", "actor/kl_loss --at verl==0.9.1")]
    telling += [("map", f"{key}--from {GRPO} --to {VERL}") for key in ("kl ", "rewards/{reward_func}/mean ", "")]
    telling += [
        ("at", f"kl --at {OLD}"),
        ("map", f"kl --from {OLD} --to {VERL}"),
        ("diff", f"--from {OLD} --to {GRPO}"),
    ]
    for book, name in [*telling, *SAMPLE[width % 7 :: 4]]:
        assert_same(book, name, width, colour=colour)


def test_all_that_people_ask_about_stands_ready():
    """Every key and template, every metric, and what they are called elsewhere."""
    lookup = load_tables()._lookup
    expected = {*lookup["KEYS"], *load_tables().metrics, *lookup["ALIASES"]}

    assert {*ready_names("show")} == expected
    assert {f"{key} --at {GRPO}" for key in {item.key for item in keys(GRPO) if item.mode == "train"}} <= {
        *ready_names("at")
    }
    # What no release logs, and is nearly a key, takes more than a look.
    assert {*lookup["KEYS"]} <= {*ready_names("resolve")} <= expected


@pytest.mark.parametrize(
    "words",
    [
        ["resolve", "kl"],
        ["show", "approxkl"],
        ["resolve", "--at", GRPO, "kl"],
        ["map", "--to", VERL, "kl", "--from", GRPO],
        ["map", "--from", GRPO, "--to", VERL],
        ["map", "kl", "--from", OLD, "--to", VERL],
        ["diff", "--from", OLD, "--to", GRPO],
    ],
)
def test_a_ready_answer_imports_next_to_nothing(words):
    """No table is read, nothing of names is imported, and of Python's own hardly anything."""
    code = (
        "import sys; before = {*sys.modules}; from rlmetrics.cli import main; code = main(sys.argv[1:]); "
        "new = {*sys.modules} - before; sys.exit(code or ' '.join(n for n in new if not n.startswith('rlmetrics.') "
        "and n not in ('__future__', 'rlmetrics', 'unicodedata') or n.startswith('rlmetrics.names')) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_an_answer_about_an_old_release_reads_tables_only_for_places():
    """Where the source shows a key differs from release to release where nothing else does."""
    code = (
        "import sys; from rlmetrics.cli import main; code = main(sys.argv[1:]); "
        "sys.exit(code or ' '.join(n for n in sys.modules if n.startswith(('rlmetrics.answers', 'rlmetrics.names.')) "
        "and not n.startswith('rlmetrics.names.tables')) or None)"
    )
    words = ["resolve", "kl", "--at", OLD]
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "site"),
    [
        (["resolve", "kl", "--full"], ""),
        (["resolve", "kl", "--at", "trl==0.18.2"], ""),
        (["resolve", "kl", "--at", "trl[GRPOTrainer]==0.18.2.dev0"], ""),
        (["resolve", "kl", "--at", "trl[GRPOTrainer]"], ""),
        (["resolve", "kl", "--at", "trl"], ""),
        (["resolve", "kl\n"], ""),
        (["resolve", "\udcff"], ""),
        (["resolve", "kl", "--config", "beta=1"], ""),
        (["resolve", "kl", "--spec", "overlay"], ""),
        (["resolve", "kl", "entropy"], ""),
        (["resolve", "kl=0.5"], ""),
        (["resolve", "no such key"], ""),
        (["show", "approxkl", "--json"], ""),
        (["map", "kl", "--from", GRPO, "--to", "verl==0.9.0"], ""),
        (["map", "kl", "--from", GRPO, "--to", VERL, "--full"], ""),
        (["map", "kl", "loss", "--from", GRPO, "--to", VERL], ""),
        (["map", "--from", GRPO, "--to", VERL, "--json"], ""),
        (["map", "--from", GRPO, "--from", VERL], ""),
        (["diff", "kl", "--from", OLD, "--to", GRPO], ""),
        (["diff", "--from", GRPO, "--to", OLD], ""),
        (["diff", "--from", OLD, "--to", GRPO, "--full"], ""),
        (["show", "approxkl"], "https://metrics.example"),
    ],
)
def test_another_question_goes_past_it(words, site, monkeypatch):
    """A source, a setting, an overlay, values, several keys, unknown ones, and links to pages of a site."""
    monkeypatch.setattr(MAIN, "_run", lambda *_, **__: 7)

    assert answered(*words, RLMETRICS_SITE=site).code == 7


TEXTS = st.text("ab -.,`", min_size=1, max_size=120).filter(str.strip)
WORDS = st.text("abc/_", min_size=1, max_size=30)
SMALL = st.integers(0, 12)


@st.composite
def parts(draw: st.DrawFn, depth: int = 2) -> Callable[[], list[str]]:
    """Return what makes a part of an answer, with parts in it."""

    def plain() -> Callable[[], list[str]]:
        text, number, names = draw(TEXTS), draw(SMALL), draw(st.sampled_from(["", "some/key, another/one"]))
        return draw(
            st.sampled_from(
                [
                    lambda: [text],
                    lambda: wrapped(text, " (hint)", indent=number, hanging=number // 2 or None),
                    lambda: labelled("changed" if number else "much longer label", [text, text[:9]][:number]),
                    lambda: footnote(number, text),
                    lambda: one_line(text, "   (hint)"),
                    lambda: labelled("in between", [text, text[:9]], 13),
                    lambda: beside("! 1.0  ", names, [text]),
                ]
            )
        )

    def rows() -> Callable[[], list[str]]:
        cells = draw(st.lists(st.lists(WORDS, min_size=1, max_size=4), max_size=4))
        four = draw(st.lists(st.tuples(TEXTS, WORDS, WORDS, WORDS), min_size=1, max_size=4))
        number = draw(SMALL)
        return draw(
            st.sampled_from(
                [
                    lambda: columns(cells, indent=number),
                    lambda: columns(cells, indent=10, label="changed"),
                    lambda: table(four, widest=5 + number),
                ]
            )
        )

    def joined() -> Callable[[], list[str]]:
        inner = draw(st.lists(parts(depth=depth - 1), min_size=4, max_size=4))
        number = draw(SMALL)
        return draw(
            st.sampled_from(
                [
                    lambda: first_fitting([part() for part in inner], number),
                    lambda: if_fitting(inner[0](), number, inner[1](), inner[2]()),
                    lambda: ranked(
                        [("", inner[0]()), ("by choice", inner[1]()), ("", inner[2]())],
                        inner[3](),
                        (4 * number, number),
                        ("and {count} more cause: --full", "and {count} more causes: --full"),
                    ),
                    lambda: [line for part in inner for line in part()],
                ]
            )
        )

    ways: list[Callable[[], Callable[[], list[str]]]] = [plain, rows, *([joined] if depth else [])]
    return draw(st.sampled_from(ways))()


@given(answer=parts(), width=st.integers(40, 160))
def test_a_packed_answer_is_laid_out_as_if_made_now(answer, width):
    """Whatever it is made of, in a terminal of any width."""
    text = packed(unlaid(answer))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        assert laid(text) == answer()
