"""Notebooks: the tables and the console's records that cells left in their outputs; each of them is a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass

from ..consoles import ConsoleLog, number_in
from ..files import text_in
from ..input_errors import InputError
from ..jsontree import Array, Document, Node, Object, Text, TreeError
from ..log import Kind, RowLog
from ..reading import Account, RecordedRun
from ..reading.steps import STEP_NAMES
from ..text_tables import TextTable, tables_in, values_of
from .hf_console import HfConsole
from .pasted_table import names_in, run_names, skipped_in, table_rows
from .verl_console import VerlConsole

__all__ = ["KIND", "CellOutput", "NotebookLog"]

_SUFFIX = ".ipynb"
_SHOWN = ("text/html", "text/markdown", "text/plain")
"""What an output is shown as, the richest first."""


@dataclass(frozen=True)
class CellOutput:
    """A text that a cell left.

    Attributes:
        name: The cell.
        pieces: Its pieces in the file.
        is_shown: Whether it was displayed; else it was printed.
    """

    name: str
    pieces: tuple[Text, ...]
    is_shown: bool

    @cached_property
    def text(self) -> str:
        """What the pieces say together."""
        return "".join(piece.value for piece in self.pieces)

    def spans(self, start: int, end: int) -> Iterator[tuple[Text, int, int]]:
        """Yield the pieces in which a part of the text lies, and from where to where."""
        at = 0
        for piece in self.pieces:
            first, last = max(start - at, 0), min(end - at, len(piece.value))
            if first < last or start == end == at + first < at + len(piece.value):
                yield piece, first, last
            at += len(piece.value)


@dataclass(frozen=True)
class _HfCell(HfConsole):
    """What transformers printed in a cell."""

    text: str = ""

    def printed(self) -> Iterator[str]:
        """Yield the lines."""
        return iter(self.text.splitlines(keepends=True))


@dataclass(frozen=True)
class _VerlCell(VerlConsole):
    """What verl printed in a cell."""

    text: str = ""

    def printed(self) -> Iterator[str]:
        """Yield the lines."""
        return iter(self.text.splitlines(keepends=True))


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a notebook."""
    return path.suffix.lower() == _SUFFIX


class NotebookLog(RowLog):
    """A notebook with what training printed or showed in it."""

    @cached_property
    def document(self) -> Document:
        """The notebook's JSON."""
        return Document(text_in(self.path, "a notebook is JSON"))

    @cached_property
    def tree(self) -> Node:
        """The notebook.

        Raises:
            InputError: If it is not JSON.
        """
        try:
            return self.document.parse()
        except TreeError as error:
            msg = f"not a notebook: {error}; mend it here, or save it again"
            raise InputError(msg, self.path, *self.document.position(error.offset)) from None

    @cached_property
    def parts(self) -> dict[str | None, tuple[CellOutput, TextTable | ConsoleLog]]:
        """What runs left, by their names: tables, and what was printed."""
        found = [(output, part) for output in _outputs(self.tree) for part in self._parts(output)]
        counts = Counter(output.name for output, _ in found)
        seen: Counter[str] = Counter()
        names: list[str] = []
        for output, _ in found:
            seen[output.name] += 1
            names.append(output.name if counts[output.name] == 1 else f"{output.name}, part {seen[output.name]}")
        return dict(zip(run_names(names), found, strict=True))

    def _parts(self, output: CellOutput) -> list[TextTable | ConsoleLog]:
        if output.is_shown:
            return [*tables_in(output.text)]
        consoles = (cell(self.kind, self.path, output.text) for cell in (_VerlCell, _HfCell))
        printed = next((console for console in consoles if any(map(console.fields, console.printed()))), None)
        return [*tables_in(output.text)] if printed is None else [printed]

    def names(self) -> set[str]:
        """Return the names of all runs."""
        return {key for keys in self.runs().values() for key in keys}

    def runs(self) -> dict[str | None, list[str]]:
        """Return the names of each run."""
        listed: dict[str | None, list[str]] = {}
        for name, row in self.rows():
            listed.setdefault(name, []).extend(key for key in row if key not in STEP_NAMES or "epoch" in key)
        listed |= {name: names_in(part) for name, (_, part) in self.parts.items() if isinstance(part, TextTable)}
        return {name: [*dict.fromkeys(keys)] for name, keys in listed.items()} or {None: []}

    def rows(self) -> Iterator[tuple[str | None, dict[str, Any]]]:
        """Yield the rows of each run."""
        for name, (_, part) in self.parts.items():
            if isinstance(part, TextTable):
                yield from ((name, values_of(part, row)) for row in part.rows)
            else:
                for line in part.printed():
                    for row in part.fields(line):
                        yield name, {key: number_in(str(value)) for key, value in row.values.items()}

    def read(self) -> Iterator[RecordedRun]:
        """Yield the runs."""
        for name, (output, part) in self.parts.items():
            account = Account()
            if isinstance(part, TextTable):
                for start, count in part.odd:
                    account.skip(skipped_in(part, count, self.position(output, start)[0]))
                rows = table_rows(part, account)
            else:
                rows = part.logged()
            yield self.run(rows, account, name or "")

    def position(self, output: CellOutput, offset: int) -> tuple[int, int]:
        """Return line and column in the file of a sign of what a cell left."""
        for piece, first, _ in output.spans(offset, offset + 1):
            return self.document.inner(piece).position(first)
        return self.document.position(output.pieces[0].start)


def _outputs(notebook: Node) -> Iterator[CellOutput]:
    """Yield the texts that cells left; those of one stream as one."""
    cells = notebook.get("cells") if isinstance(notebook, Object) else None
    for number, cell in enumerate(cells.items if isinstance(cells, Array) else (), start=1):
        outputs = cell.get("outputs") if isinstance(cell, Object) else None
        streams: dict[str, list[Text]] = {}
        for output in outputs.items if isinstance(outputs, Array) else ():
            if not isinstance(output, Object):
                continue
            data = output.get("data")
            if isinstance(data, Object):
                shown = next(filter(None, (_pieces(data.get(name)) for name in _SHOWN)), ())
                if shown:
                    yield CellOutput(f"cell {number}", shown, is_shown=True)
            elif printed := _pieces(output.get("text")):
                streams.setdefault(output.text("name") or "", []).extend(printed)
        for pieces in streams.values():
            yield CellOutput(f"cell {number}", tuple(pieces), is_shown=False)


def _pieces(node: Node | None) -> tuple[Text, ...]:
    """Return the strings of a text, which notebooks keep line by line or as one."""
    nodes = node.items if isinstance(node, Array) else (node,)
    return tuple(piece for piece in nodes if isinstance(piece, Text))


KIND = Kind("notebook", recognises, NotebookLog)
