"""The configuration that verl prints into its log before the first step, as Python spells a dictionary."""

from __future__ import annotations

import ast
import re
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from .consoles import ESCAPE, sample_lines
from .run_settings import RunSettings, flattened

__all__ = ["printed_configuration"]

_MOST_LINES = 5000
_PRINTED = re.compile(rf"(?:{ESCAPE})*(?P<worker>\([^()]*pid=\d+[^()]*\)(?:{ESCAPE})* )?(?P<text>.*)")
_STEP = re.compile(r"\bstep:[0-9]")
_SECTIONS = {"trainer", "data"}
"""What every configuration of verl has."""
_FIRST = ("{'actor_rollout_ref'", "{'algorithm'", "{'data'")
"""How the configuration begins, sorted by name as it is printed."""
_MOST_BEFORE = 100_000


def printed_configuration(path: Path) -> RunSettings:
    """Return the configuration in a log, with or without Ray's name of the worker before each line."""
    before = takewhile(lambda line: _STEP.search(line) is None, sample_lines(path))
    lines = [_parts(line) for line in islice(before, _MOST_BEFORE)]
    for number, (worker, text) in enumerate(lines):
        if text.startswith("{'"):
            printed = _dictionary(text, [more for other, more in lines[number + 1 :] if other == worker])
            if printed is None and text.startswith(_FIRST):
                problem = f"line {number + 1}: the configuration in the log is cut off or mixed with other lines"
                return RunSettings(problems=(f"{problem}; left out",))
            if printed is not None and printed.keys() >= _SECTIONS:
                return RunSettings(flattened(printed), "the log")
    return RunSettings()


def _dictionary(first: str, lines: list[str]) -> dict[str, Any] | None:
    """Return the dictionary that begins with a line and goes on in others; None if there is none."""
    text, depth = [first], first.count("{") - first.count("}")
    for line in lines[:_MOST_LINES] if depth > 0 else ():
        text.append(line)
        depth += line.count("{") - line.count("}")
        if depth <= 0:
            break
    try:
        printed = ast.literal_eval("\n".join(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return printed if isinstance(printed, dict) else None


def _parts(line: str) -> tuple[str, str]:
    """Return the worker that printed a line, and the rest of the line."""
    printed = _PRINTED.match(line.rstrip("\r\n"))
    return (printed["worker"] or "", printed["text"]) if printed else ("", "")
