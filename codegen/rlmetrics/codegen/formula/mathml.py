"""Pieces of mathematics as presentation MathML: each function returns one element."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

__all__ = [
    "Box",
    "cases",
    "fence",
    "fraction",
    "is_long_word",
    "lines",
    "mark",
    "number",
    "power",
    "root",
    "row",
    "sub",
    "under",
    "word",
]

Box = str
"""An element."""


def word(text: str) -> Box:
    """Return an identifier: one letter is set in italics, a word upright."""
    variant = ' mathvariant="normal"' if len(text) == 1 and not text.isascii() else ""
    return f"<mi{variant}>{escape(text)}</mi>"


def is_long_word(box: Box) -> bool:
    """Tell whether a box is an identifier of several letters."""
    return box.startswith("<mi>") and len(box) > len("<mi>x</mi>")


def number(text: str) -> Box:
    """Return a number."""
    return f"<mn>{text}</mn>"


def mark(text: str) -> Box:
    """Return an operator, relation or comma."""
    return f"<mo>{escape(text)}</mo>"


def row(*parts: Box) -> Box:
    """Return boxes side by side."""
    return f"<mrow>{''.join(parts)}</mrow>"


def fraction(top: Box, bottom: Box) -> Box:
    """Return one over the other."""
    return f"<mfrac>{top}{bottom}</mfrac>"


def power(base: Box, exponent: Box) -> Box:
    """Return a base with something above."""
    return f"<msup>{base}{exponent}</msup>"


def sub(base: Box, index: Box) -> Box:
    """Return a base with something below to the right."""
    return f"<msub>{base}{index}</msub>"


def under(operator: str, below: Box) -> Box:
    """Return a big operator, such as a sum or ``min``, with its range below."""
    return f"<munder>{mark(operator) if len(operator) == 1 else word(operator)}{below}</munder>"


def root(body: Box) -> Box:
    """Return a square root."""
    return f"<msqrt>{body}</msqrt>"


def fence(opening: str, body: Box, closing: str) -> Box:
    """Return a box between brackets or bars, which stretch: first and last in their row, they are pre- and postfix."""
    return row(mark(opening), body, mark(closing))


def cases(condition: Box, then: Box, otherwise: Box) -> Box:
    """Return one box if a condition holds, else another: a brace with a table."""
    rows = [(then, row("<mtext>if&#xA0;</mtext>", condition)), (otherwise, "<mtext>otherwise</mtext>")]
    cells = "".join(f"<mtr><mtd>{box}</mtd><mtd>{text}</mtd></mtr>" for box, text in rows)
    return row(mark("{"), f'<mtable columnalign="left">{cells}</mtable>')


def lines(first: Box, definitions: Sequence[tuple[Box, Box]]) -> Box:
    """Return a formula with the definitions of its names below, one a line."""
    rows = [first]
    for name, value in definitions:
        lead = "where" if len(rows) == 1 else "and"
        rows.append(row(f"<mtext>{lead}&#xA0;</mtext>", name, mark("="), value))
    cells = "".join(f"<mtr><mtd>{one}</mtd></mtr>" for one in rows)
    return f'<mtable columnalign="left" displaystyle="true">{cells}</mtable>'
