"""Records as notebooks and interactive sessions show them: a line of text, a small table of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

__all__ = ["facts_html", "one_line", "table_html"]

_WIDTH = 80


def one_line(name: str, text: str) -> str:
    """Return a representation of at most 80 characters.

    Args:
        name: The class.
        text: What there is to say, the important first.
    """
    line = f"{name}({' '.join(text.split())})"
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 2]}…)"


def facts_html(title: str, facts: Iterable[tuple[str, object]]) -> str:
    """Return facts about one thing: a label and a value in each row; those without a value are left out.

    Args:
        title: What they are about.
        facts: Labels and values; a list or tuple of texts is one line each.
    """
    rows = "".join(
        f'<tr><th style="text-align:left;vertical-align:top">{escape(label)}</th>'
        f'<td style="text-align:left">{_lines(value)}</td></tr>'
        for label, value in facts
        if value not in (None, "", (), [])
    )
    return f"<table><caption><b>{escape(title)}</b></caption>{rows}</table>"


def table_html(title: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a header."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return f"<table><caption><b>{escape(title)}</b></caption><tr>{head}</tr>{body}</table>"


def _cells(row: Sequence[object]) -> str:
    return "".join(f'<td style="text-align:left">{_lines(cell)}</td>' for cell in row)


def _lines(value: object) -> str:
    if isinstance(value, list | tuple):
        return "<br>".join(escape(str(item)) for item in value)
    return "" if value is None else escape(str(value))
