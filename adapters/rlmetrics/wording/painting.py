"""Colour and links, for terminals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

__all__ = ["painted"]

_BOLD, _DIM, _OFF = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_COLOURS = {"=": "\x1b[32m", "!": "\x1b[33m", "≠": "\x1b[31m", "·": _DIM}
_LEVELS = {"error": "\x1b[31m", "warning": "\x1b[33m"}
_MARKED = re.compile(r"[=!≠·](?= )")


def painted(lines: Sequence[str], keys: Sequence[str], links: Mapping[str, str], label: int) -> list[str]:
    """Return an answer with colour and links.

    Args:
        lines: The answer.
        keys: Names that stand out in the first line.
        links: Addresses of texts that occur in the answer.
        label: Width of the column of labels.
    """
    labelled = re.compile(rf"(?=.{{{label}}}\S)[a-z][a-z ]*? {{2,}}(?=\S)")
    coloured = [_coloured(line, labelled) for line in lines]
    if coloured and keys:
        any_key = "|".join(re.escape(key) for key in sorted(keys, key=len, reverse=True))
        coloured[0] = re.sub(any_key, lambda found: f"{_BOLD}{found[0]}{_OFF}", coloured[0])
    return [_linked(line, links) for line in coloured]


def _coloured(line: str, labelled: re.Pattern[str]) -> str:
    mark = _MARKED.match(line)
    if mark is not None and mark[0] in _COLOURS:
        return f"{_COLOURS[mark[0]]}{mark[0]}{_OFF}{line[1:]}"
    label = labelled.match(line)
    if label is None:
        return line
    name = label[0].rstrip()
    return f"{_LEVELS.get(name, _DIM)}{name}{_OFF}{line[len(name) :]}"


def _linked(line: str, links: Mapping[str, str]) -> str:
    """Return a line with links, all made at once: the address of one may hold the text of another."""
    linked = [text for text in links if text in line]
    if not linked:
        return line
    # Line 51 is not the start of line 517, nor a metric the end of another; what is bold begins with a sign of its own.
    texts = "|".join(re.escape(text) for text in sorted(linked, key=len, reverse=True))
    return re.sub(
        rf"(?:(?<=\x1b\[1m)|(?<![\w/]))(?:{texts})(?![\w/])",
        lambda match: f"\x1b]8;;{links[match[0]]}\x1b\\{match[0]}\x1b]8;;\x1b\\",
        line,
    )
