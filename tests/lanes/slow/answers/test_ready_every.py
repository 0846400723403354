"""Every answer that stands ready is the one that the command would make."""

from __future__ import annotations

import pytest
from ready_answers import BOOKS, assert_same, ready_names

WIDTHS = (60, 80, 120)


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("share", range(8))
def test_every_ready_answer_is_what_the_command_makes(book, share):
    """Byte for byte, plain and for a terminal: names at three widths, the many old releases at one of them each."""
    for number, name in enumerate(ready_names(book)[share::8]):
        widths = WIDTHS if book in ("resolve", "show") else WIDTHS[number % 3 :][:1]
        for columns in widths:
            assert_same(book, name, columns, colour=columns == 80)
