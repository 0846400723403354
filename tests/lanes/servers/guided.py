"""The commands that the guide prints for servers, as words, so that these are what the tests of this lane run."""

from __future__ import annotations

import re
import shlex

from docs.commands import FENCE
from folders import ROOT

__all__ = ["guided"]

_GUIDE = ROOT / "docs" / "translating" / "fleets.md"


def guided(scheme: str, here: str) -> list[list[str]]:
    """Return the commands of the guide's block about a kind of server, without the program's name.

    Args:
        scheme: What addresses of that kind begin with.
        here: The address that takes the place of the guide's.
    """
    blocks = FENCE.finditer(_GUIDE.read_text(encoding="utf-8"))
    codes = [match["code"] for match in blocks if match["role"] == "servers"]
    (code,) = [code for code in codes if scheme in code]
    lines = [re.sub(rf"{scheme}\S+", here, line) for line in code.splitlines()]
    commands = [shlex.split(line) for line in lines]
    assert {words[0] for words in commands} == {"rlmetrics"}
    return [words[1:] for words in commands]
