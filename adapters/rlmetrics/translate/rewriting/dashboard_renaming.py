"""What the names in a dashboard become, each at its place, and what is said about the place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from rlmetrics.logs.dashboard_names import Names
from rlmetrics.logs.jsontree import Document, Text
from rlmetrics.names.tables.key_records import Transform

from ..key_patterns import literal, names_before, parts_of, widened, widening
from ..report import Report
from ..translator import Translator

__all__ = ["Renaming"]

_MENTIONED = re.compile(r"[A-Za-z_][\w.@+()-]*(?:/[\w.@+()-]*\w\)?)+")


class Renaming(Names):
    """Translates the names of one file.

    Args:
        path: The file, for the report.
        translator: What knows the names.
        report: The account.
        surface: The tracker that shows the names, for regular expressions.
    """

    def __init__(self, path: Path, translator: Translator, report: Report, surface: str) -> None:
        self._path = path
        self._translator = translator
        self._report = report
        self._surface = surface

    def many(self, names: Sequence[str], values: Sequence[str] = ()) -> list[list[str]]:
        """Return what each of some names becomes.

        Names that come to mean the same are written once, unless different ``values`` belong to them.

        Raises:
            InputError: If a name is unknown and that is an error.
        """
        new: dict[str, list[str]] = {name: [] for name in names}
        for entry in self._translator.entries(dict(zip(names, values or [""] * len(names), strict=True))):
            new[entry.old].append(entry.name)
        self._report.records += len(names)
        return [new[name] for name in names]

    def one(self, name: str) -> str:
        """Return what a name becomes where only one can stand; it stays rather than to leave the place empty.

        Raises:
            InputError: If the name is unknown and that is an error.
        """
        new = self.many([name])[0]
        return new[0] if new else name

    def known(self, name: str) -> bool:
        """Tell whether the source logs a name."""
        return self._translator.key(name).metric is not None

    def keeps(self, name: str) -> bool:
        """Tell whether the old name is to stand beside the new one: ``both`` is on, and it means nothing else there."""
        return len(self._translator.entries({name: ""})) > 1

    def transform(self, name: str) -> Transform | None:
        """Return how the values under a name change, if it is translated."""
        move = self._translator.key(name)
        return move.transform if move.translated else None

    def widened(self, document: Document, node: Text) -> str:
        """Return a regular expression with the new names of all that it chooses added; what it chose, it still does.

        One that was widened by a translation in the other direction becomes what it was before.
        """
        try:
            chooses = re.compile(node.value).search
        except re.error as error:
            self.note(
                document, node.start, f"the regular expression {node.value} can't be followed ({error}): it stays"
            )
            return node.value
        if (before := self._narrowed(node.value)) is not None:
            self.note(document, node.start, f"the regular expression {node.value} is narrowed to {before}")
            return before
        wider = widening(chooses, self._translator, self._surface)
        for name in wider.homonyms:
            text = f"{node.value} still matches {name}, which means something else in {self._report.target}"
            self.note(document, node.start, text)
        for name in wider.partly:
            text = f"{node.value} matches some of the names that become {name}: add those that you need"
            self.note(document, node.start, text)
        if not wider.renames:
            self.note(document, node.start, f"the regular expression {node.value} stays: nothing it matches is renamed")
        if not wider.added:
            return node.value
        self._report.records += 1
        self._translator.entries(dict.fromkeys(wider.names, ""))
        new = widened(node.value, wider.added)
        self.note(document, node.start, f"the regular expression {node.value} is widened to {new}")
        return new

    def _narrowed(self, pattern: str) -> str | None:
        """Return what an expression was before a translation widened it; None if it was not, or both are wanted."""
        before, added = parts_of(pattern)
        if not added or self._translator.both:
            return None
        try:
            chooses = re.compile(before).search
        except re.error:
            return None
        names = [list(names_before(part, self._translator, self._surface)) for part in added]
        if not all(any(map(chooses, of_part)) for of_part in names):
            return None
        self._report.records += 1
        self._translator.entries({name: "" for part in added if (name := literal(part)) is not None})
        return before

    def mentions(self, document: Document, node: Text) -> None:
        """Tell of names in a text that is left as it is, if they change."""
        for name in dict.fromkeys(_MENTIONED.findall(node.value)):
            move = self._translator.key(name)
            if move.metric is not None and move.output != name:
                self.note(document, node.start, f"a text mentions {name} (now {move.output}): left as it is")

    def note(self, document: Document, offset: int, text: str) -> None:
        """Add a line with its place to the report."""
        line, column = document.position(offset)
        self._report.notes.append(f"{self._path}:{line}:{column}: {text}")
