"""Specs of W&B workspaces and reports: as exported, or as the server returns them, with the spec as a string."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ...dashboard_names import Collector, Names
from ...files import text_in
from ...input_errors import InputError
from ...jsontree import Array, Document, Node, Object, Text, TreeError
from ...log import Kind, Log
from .workspace_places import walk

__all__ = ["KIND", "WorkspaceSpecs", "names_in", "walk_specs"]

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
        return names_in(text_in(self.path, "a workspace is JSON"), self.path)


def names_in(text: str, path: Path) -> set[str]:
    """Return the names of metrics in a JSON text; ``path`` is for messages.

    Raises:
        InputError: If the text is no JSON or holds no spec.
    """
    collector = Collector()
    walk_specs(path, text, collector)
    return set(collector.names)


def walk_specs(path: Path, text: str, names: Names) -> str:
    """Offer every name in the specs of a JSON text, and return the text with what became of them.

    Raises:
        InputError: If the text is no JSON or holds no spec.
    """
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
