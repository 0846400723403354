"""Names that stand in a dashboard, and what a walk over it does with them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rlmetrics.names.tables.key_records import Transform

from .jsontree import Document, Text

__all__ = ["Collector", "Names", "escaped"]


class Names:
    """What a walk over a dashboard does with the names that it meets; this leaves each as it is."""

    def many(self, names: Sequence[str], values: Sequence[str] = ()) -> list[list[str]]:
        """Return what each of some names that stand side by side becomes: nothing, a name, or the new and the old."""
        return [[name] for name in names]

    def one(self, name: str) -> str:
        """Return what a name becomes where only one can stand."""
        return self.many([name])[0][0]

    def known(self, name: str) -> bool:
        """Tell whether the source logs a name."""
        return True

    def keeps(self, name: str) -> bool:
        """Tell whether the old name is to stand beside the new one."""
        return False

    def transform(self, name: str) -> Transform | None:
        """Return how the values under a name change."""
        return None

    def widened(self, document: Document, node: Text) -> str:
        """Return a regular expression that matches the new names as well."""
        return node.value

    def mentions(self, document: Document, node: Text) -> None:
        """Tell of names in a text that is left as it is."""

    def note(self, document: Document, offset: int, text: str) -> None:
        """Say something about a place."""


class Collector(Names):
    """Leaves every name as it is and remembers it."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def many(self, names: Sequence[str], values: Sequence[str] = ()) -> list[list[str]]:
        """Remember the names."""
        self.names.update(dict.fromkeys(names))
        return super().many(names)


def escaped(name: str) -> str:
    """Return a regular expression for a name that Python, JavaScript and RE2 read alike."""
    return re.sub(r"[\\^$.|?*+()\[\]{}]", r"\\\g<0>", name)
