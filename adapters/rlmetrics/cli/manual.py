"""Pages of the manual: what ``--help`` prints, ready to be laid out for the terminal of now.

A page is a list of lines, each a kind and its fields, separated by tabs:

=============  =================================================
``program``    the command, such as ``rlmetrics release add``
``option``     an option as the usage shows it
``position``   an argument as the usage shows it
``text``       a paragraph
``group``      the title of a list
``item``       depth in that list, what is typed, what it is for
``line``       a line that stays as it is
=============  =================================================

The pages of all commands stand in ``manual.txt``, which ``python tests/programs/manual_pages.py`` writes: to print one
of them neither argparse nor the command has to be imported.
"""

from __future__ import annotations

import os

from rlmetrics.wording.terminal import wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["FILE", "page", "page_text", "screen"]

FILE = os.path.join(os.path.dirname(__file__), "manual.txt")
_WIDEST, _NARROWEST = 24, 20
"""Columns of what is typed at most, and of what it is for at least."""
_WHOLE = "\0"
"""Stands for a blank at which no line is broken."""


def page(command: str) -> list[str] | None:
    """Return the page of a command, such as ``rlmetrics resolve``; None if there is none."""
    with open(FILE, encoding="utf-8") as stream:
        text = stream.read()
    begin = text.find(f"program\t{command}\n")
    return None if begin < 0 else text[begin:].partition("\n\n")[0].splitlines()


def screen() -> int:
    """Return how many columns a page may take."""
    given = os.environ.get("COLUMNS", "")
    try:
        columns = int(given) if given.isdigit() else os.get_terminal_size(1).columns
    except OSError:
        columns = 0
    return (columns or 80) - 2


def page_text(lines: Sequence[str], columns: int) -> str:
    """Return a page as it is printed.

    Args:
        lines: The page.
        columns: How many it may take; examples may take more.
    """
    rows = [line.split("\t") for line in lines]
    items = [(2 * int(row[1]) + len(row[2])) for row in rows if row[0] == "item"]
    start = min(max(items, default=0) + 2, _WIDEST, max(columns - _NARROWEST, 4))
    out = [*_usage(rows, columns)]
    for kind, *fields in rows:
        if kind == "text":
            out += ["", *wrapped(fields[0], columns=columns)]
        elif kind == "group":
            out += ["", f"{fields[0]}:"]
        elif kind == "item":
            out += _item(int(fields[0]), fields[1], fields[2], start, columns)
        elif kind == "line":
            out.append(fields[0])
    return "\n".join(out) + "\n"


def _usage(rows: Sequence[Sequence[str]], columns: int) -> Iterator[str]:
    """Yield the first lines: arguments begin a line of their own where not all fits into one."""
    head = f"usage: {rows[0][1]} "
    options, positions = ([row[1] for row in rows if row[0] == kind] for kind in ("option", "position"))
    whole = head + " ".join([*options, *positions])
    if len(whole) <= columns:
        yield whole.rstrip()
        return
    indent = len(head) if len(head) <= 0.75 * columns else len("usage: ")
    for words in (options, positions):
        if words:
            text = " ".join(word.replace(" ", _WHOLE) for word in words)
            first, *others = wrapped(text, indent=indent, columns=columns)
            first = head + first[indent:] if words is options else first
            yield from (line.replace(_WHOLE, " ") for line in (first, *others))


def _item(depth: int, typed: str, said: str, start: int, columns: int) -> list[str]:
    """Return what is typed, and what it is for beside it, or below where that is too long."""
    head = " " * 2 * depth + typed
    if not said:
        return [head]
    lines = wrapped(said, indent=start, columns=columns)
    if len(head) + 2 > start:
        return [head, *lines]
    return [head.ljust(start) + lines[0][start:], *lines[1:]]
