"""The page that lists all captured numbers."""

from __future__ import annotations

import re

from . import table


def test_cells_cannot_break_the_table() -> None:
    """A vertical bar in a name does not start a new cell."""
    row = table.Row("low|high", "logged", 1, "`f`", 3e-8)
    lines = list(table.lines_of(table.Section("Title", "Brief.", [row])))
    assert len(re.findall(r"(?<!\\)\|", lines[-2])) == 6
    assert "3e-08" in lines[-2]
