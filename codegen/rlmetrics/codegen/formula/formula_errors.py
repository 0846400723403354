"""The one error of the formula language, and the text that it points into."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ExpressionSource", "FormulaError"]


class FormulaError(Exception):
    """A formula that the language does not allow.

    Attributes:
        message: What is wrong and why, in one line.
        fix: What to write instead, in one line.
        offset_line: The line of the place inside the expression, counted from 0.
        offset_col: The column of the place inside its line, counted from 0.
        source_name: Which expression it is: ``formula``, or the name of an entry of ``let``.
    """

    def __init__(self, message: str, fix: str, offset_line: int = 0, offset_col: int = 0, source_name: str = "formula"):
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.offset_line = offset_line
        self.offset_col = offset_col
        self.source_name = source_name

    def __str__(self) -> str:
        return f"{self.source_name}:{self.offset_line + 1}:{self.offset_col + 1}: {self.message}; {self.fix}"


@dataclass(frozen=True)
class ExpressionSource:
    """One expression with the name it goes by."""

    name: str
    text: str

    def error(self, offset: int, message: str, fix: str) -> FormulaError:
        """Return an error at an offset of the text."""
        before = self.text[:offset]
        line = before.count("\n")
        return FormulaError(message, fix, line, offset - (before.rfind("\n") + 1), self.name)

    def quote(self, start: int, end: int) -> str:
        """Return the text between two offsets on one line, shortened if it is long."""
        text = " ".join(self.text[start:end].split())
        return f"`{text}`" if len(text) <= 48 else f"`{text[:45]}…`"
