"""Specs of W&B workspaces and reports: as exported, or as the server returns them, with the spec as a string.

Only the names change; every other byte stays, and so do fields that no version of W&B's package knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rlmetrics.logs.dashboard_names import Collector, Names
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsontree import Array, Document, Node, Object, Text, TreeError

from ...dashboard_renaming import Renaming
from ...logs import Kind, Log
from ...report import Report
from ...translator import Translator
from .workspace_places import walk

__all__ = ["KIND", "names_in", "rewrite"]

_MAX_BYTES = 1 << 26
_MARK = re.compile(rb'panelBankConfig|blocks\\*"(?:\s|\\+[nrt])*:(?:\s|\\+[nrt])*\[')
"""What stands in every spec, also in one that is a string; other JSON, such as vocabularies, need not be read."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is JSON that holds the spec of a workspace or report."""
    if path.suffix != ".json" or path.stat().st_size > _MAX_BYTES:
        return False
    try:
        content = path.read_bytes()
        if not _MARK.search(content):
            return False
        document = Document(content.decode("utf-8"))
        return next(_specs(document, document.parse()), None) is not None
    except (TreeError, UnicodeDecodeError):
        return False


class WorkspaceSpecs(Log):
    """A file with specs of workspaces or reports."""

    def names(self) -> set[str]:
        """Return the names of metrics in every spec of the file."""
        return names_in(_read(self.path), self.path)

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names of metrics translated.

        Raises:
            InputError: If the file is no JSON or holds no spec, or a name is unknown and that is an error.
        """
        output.write_bytes(rewrite(_read(self.path), self.path, translator, report).encode("utf-8"))


def names_in(text: str, path: Path) -> set[str]:
    """Return the names of metrics in a JSON text; ``path`` is for messages.

    Raises:
        InputError: If the text is no JSON or holds no spec.
    """
    collector = Collector()
    _walk(path, text, collector)
    return set(collector.names)


def rewrite(text: str, path: Path, translator: Translator, report: Report) -> str:
    """Return the JSON text of a spec, or of what holds one, with names translated.

    Args:
        text: The text.
        path: Where it comes from, for messages.
        translator: What knows the names.
        report: The account.

    Raises:
        InputError: If the text is no JSON or holds no spec, or a name is unknown and that is an error.
    """
    return _walk(path, text, Renaming(path, translator, report, "wandb"))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        msg = "is not UTF-8 text; a workspace is JSON"
        raise InputError(msg, path, 1, error.start + 1) from None


def _walk(path: Path, text: str, names: Names) -> str:
    document = Document(text)
    try:
        specs = list(_specs(document, document.parse()))
    except TreeError as error:
        msg = f"not JSON: {error}; export it again, or mend it here"
        raise InputError(msg, path, *document.position(error.offset)) from None
    if not specs:
        msg = "holds no spec of a workspace or report: neither a section nor blocks; export one with its spec"
        raise InputError(msg, path, 1, 1)
    try:
        for owner, spec in specs:
            walk(owner, spec, names)
    except InputError as error:
        raise InputError(str(error), path) from None
    return document.changed()


def _specs(document: Document, node: Node) -> Iterator[tuple[Document, Node]]:
    """Yield each spec with the document in which it stands."""
    if isinstance(node, Array):
        for item in node.items:
            yield from _specs(document, item)
    if not isinstance(node, Object):
        return
    if _is_spec(node):
        yield document, node
        return
    for name, value in node.members:
        if name.value == "spec" and isinstance(value, Text):
            inner = document.inner(value)
            try:
                yield from _specs(inner, inner.parse())
            except TreeError as error:
                msg = f"the spec is not JSON: {error}"
                raise TreeError(msg, inner.offsets[error.offset]) from None
        else:
            yield from _specs(document, value)


def _is_spec(node: Object) -> bool:
    section = node.get("section")
    if isinstance(section, Object) and section.get("panelBankConfig") is not None:
        return True
    return isinstance(node.get("blocks"), Array) and node.get("version") is not None


KIND = Kind("wandb-workspace", recognises, WorkspaceSpecs, is_layout=True)
