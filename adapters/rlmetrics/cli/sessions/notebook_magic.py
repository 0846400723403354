"""``%rl`` of notebooks: a command line, answered with tables where a notebook shows them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from rlmetrics.names.tables.record_display import table_html

from ..commands import COMMANDS
from .command_answer import answer

__all__ = ["MagicAnswer", "register", "rl"]

_ROWS = 500
"""Rows that a table shows; the text says the rest."""


class MagicAnswer:
    """What a command line answers: text, and in a notebook a table where its JSON has one.

    Args:
        arguments: The command line.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = list(arguments)
        self._told = answer(self._arguments)

    @property
    def code(self) -> int:
        """The exit code of the command."""
        return self._told.code

    def __repr__(self) -> str:
        return "\n".join(part.rstrip() for part in (self._told.said, self._told.text) if part.strip())

    def _repr_html_(self) -> str:
        table = _TABLES.get(self._arguments[0])
        if table is not None and not self._told.is_refused and not _SHAPED.intersection(self._arguments):
            done = answer([*self._arguments, "--json"])
            if not done.is_refused:
                return f"{_paragraph(done.said)}{table(json.loads(done.text))}"
        return f"<pre>{escape(repr(self))}</pre>"


def rl(line: str) -> MagicAnswer:
    """Answer ``%rl LINE``: a command line of ``rlmetrics``, or keys and values to ask about."""
    try:
        words = shlex.split(line)
    except ValueError:
        # A quote without its partner is part of what is asked for.
        words = line.split()
    if not words:
        words = ["--help"]
    elif words[0] not in COMMANDS and not words[0].startswith("-"):
        words = ["resolve", *words]
    return MagicAnswer(words)


def register(shell: Any) -> None:
    """Add ``%rl`` to an IPython shell."""
    shell.register_magic_function(rl, magic_kind="line", magic_name="rl")


_SHAPED = frozenset({"--json", "--csv", "--yaml", "--md", "--html", "--svg", "-h", "--help", "-o"})
"""Options that give an answer its own shape."""


def _checked(data: Any) -> str:
    """Return the findings of each run."""
    return "".join(_run(run) for run in (data if isinstance(data, list) else [data]))


def _run(run: Mapping[str, Any]) -> str:
    first = run["diagnoses"][0]["title"] if run["diagnoses"] else "Nothing is wrong as far as can be judged"
    rows = [
        (item["level"], item["onset_step"], item["key"], item["message"], item["advice"]) for item in run["findings"]
    ]
    title = f"{run['run']} ({run['at']}): {first}"
    return table_html(title, ("level", "since step", "key", "what", "what to try"), rows)


def _mapped(data: Any) -> str:
    """Return which key becomes which."""
    rows = data if isinstance(data, list) else data["rows"]
    cells = [
        (row["from"], row["severity"], row["to"], [item["what"] for item in row["differs_by"]], row["note"])
        for row in rows[:_ROWS]
    ]
    return table_html(f"{len(rows)} keys", ("from", "severity", "to", "differs by", "note"), cells)


def _listed(data: Any) -> str:
    """Return what a release logs."""
    cells = [(row["key"], row["metric"], row["component"], row["mode"], row["condition"]) for row in data[:_ROWS]]
    return table_html(f"{len(data)} keys", ("key", "metric", "component", "mode", "condition"), cells)


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


_TABLES: dict[str, Callable[[Any], str]] = {"check": _checked, "keys": _listed, "map": _mapped}
"""What shows the JSON of a command as a table."""
