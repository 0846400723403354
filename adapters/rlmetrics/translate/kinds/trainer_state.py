"""The ``trainer_state.json`` that Hugging Face trainers save: the names are those of ``log_history``."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError
from ..jsonspans import Element, JsonError, array, members
from ..report import Report
from ..rows import Rewriter
from ..translator import Translator

__all__ = ["names", "recognises", "translate"]


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a JSON object with a ``log_history``."""
    if path.suffix != ".json":
        return False
    if path.name == "trainer_state.json":
        return True
    try:
        text = path.read_text(encoding="utf-8")
        return any(member.key == "log_history" for member in members(text).items)
    except (JsonError, UnicodeDecodeError):
        return False


def names(path: Path) -> set[str]:
    """Return the names of all logged rows."""
    _, history = _history(path)
    return {key for entry in history if isinstance(entry.value, dict) for key in entry.value}


def translate(path: Path, output: Path, translator: Translator, report: Report) -> None:
    """Write ``path`` with the names of its ``log_history`` translated; all else stays byte for byte.

    Raises:
        InputError: If the file is not a trainer state.
    """
    text, history = _history(path)
    rewriter = Rewriter(translator)
    parts: list[str] = []
    done = 0
    for entry in history:
        if not isinstance(entry.value, dict):
            raise _error(path, text, JsonError("an entry of log_history is not an object", entry.start))
        try:
            row = members(text, entry.start)
        except JsonError as error:
            raise _error(path, text, error) from None
        parts += (text[done : row.start], rewriter.members(text, row))
        done = row.end
        report.records += 1
    parts.append(text[done:])
    output.write_text("".join(parts), encoding="utf-8", newline="")


def _history(path: Path) -> tuple[str, tuple[Element, ...]]:
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        msg = "is not UTF-8 text; a trainer state is JSON"
        raise InputError(msg, path, 1, error.start + 1) from None
    try:
        found = next((member for member in members(text).items if member.key == "log_history"), None)
        if found is None:
            msg = "there is no log_history; is this a trainer_state.json?"
            raise JsonError(msg, 0)
        return text, array(text, found.value_start)
    except JsonError as error:
        raise _error(path, text, error) from None


def _error(path: Path, text: str, error: JsonError) -> InputError:
    before = text[: error.offset]
    line = before.count("\n") + 1
    return InputError(f"not a trainer state: {error}", path, line, error.offset - (before.rfind("\n") + 1) + 1)
