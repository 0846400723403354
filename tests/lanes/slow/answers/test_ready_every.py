"""Every answer that stands ready is the one that the command would make."""

from __future__ import annotations

import pytest
from ready_answers import BOOKS, assert_same, ready_names


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("share", range(8))
def test_every_ready_answer_is_what_the_command_makes(book, share):
    """Byte for byte, at three widths, plain and for a terminal."""
    for name in ready_names(book)[share::8]:
        for columns in (60, 80, 120):
            assert_same(book, name, columns, colour=columns == 80)
