"""Every answer that stands ready is the one that the command would make."""

from __future__ import annotations

import pytest
from command_line import answered
from ready_answers import BOOKS, assert_same, ready_names

WIDTHS = (60, 80, 120)


@pytest.mark.parametrize("book", [book for book in BOOKS if book != "map"])
@pytest.mark.parametrize("share", range(8))
def test_every_ready_answer_is_what_the_command_makes(book, share):
    """Byte for byte, plain and for a terminal: names at three widths, the many old releases at one of them each."""
    for number, name in enumerate(ready_names(book)[share::8]):
        widths = WIDTHS if book in ("resolve", "show") else WIDTHS[number % 3 :][:1]
        for columns in widths:
            assert_same(book, name, columns, colour=columns == 80)


@pytest.mark.parametrize("share", range(8))
def test_every_ready_answer_of_a_map_is_what_the_command_makes(share):
    """All together, and all keys of a source in one command, which finds out only once what becomes of them."""
    keys: dict[str, list[str]] = {}
    for name in ready_names("map"):
        key, _, pair = name.rpartition("--from ")
        keys.setdefault(pair, []).extend([key.strip()] if key else [])
    for number, (pair, asked) in enumerate([*keys.items()][share::8]):
        columns = WIDTHS[number % 3]
        assert_same("map", f"--from {pair}", columns, colour=columns == 80)
        if len(asked) < 2:  # of what has nothing on the other side no key stands ready
            for key in asked:
                assert_same("map", f"{key} --from {pair}", columns, colour=False)
            continue
        ends = ["--from", *pair.split(" ")]
        answers = [answered("map", key, *ends, COLUMNS=str(columns)).out for key in asked]
        assert "\n".join(answers) == answered("map", *asked, *ends, COLUMNS=str(columns)).out
