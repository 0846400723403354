"""Every answer that stands ready is the one that the command would make."""

from __future__ import annotations

import pytest
from ready_answers import COMMANDS, assert_same, ready_names


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("share", range(8))
def test_every_ready_answer_is_what_the_command_makes(command, share):
    """Byte for byte, at three widths, plain and for a terminal."""
    for name in ready_names(command)[share::8]:
        for columns in (60, 80, 120):
            assert_same(command, name, columns, colour=columns == 80)
