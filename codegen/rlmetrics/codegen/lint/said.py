"""What component files say, and where: records, facts and shared facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..meaning import spelled

if TYPE_CHECKING:
    from ..loader import YamlPath
    from ..model import Fact, Piece, Record
    from .context import Context, FileScope

__all__ = ["Said", "expressions", "keys_of", "records", "said_anywhere", "said_in", "symbols"]


@dataclass(frozen=True)
class Said:
    """A record or a fact of a file.

    Attributes:
        scope: The file.
        path: Where it stands there.
        fields: What it says.
        name: What a message calls it: the key of its record, or `shared`.
        record: The record to which it belongs, itself if it is one; None if it is shared.
    """

    scope: FileScope
    path: YamlPath
    fields: Piece | Fact
    name: str
    record: Record | None

    @property
    def ref(self) -> str:
        """The file."""
        return self.scope.ref


def records(scope: FileScope) -> Iterator[tuple[str, YamlPath, Record]]:
    """Yield each record of a file with its name and its place."""
    for name, index, record in scope.file.records():
        yield name, ("keys", name, index) if isinstance(scope.file.keys[name], list) else ("keys", name), record


def said_in(scope: FileScope) -> tuple[Said, ...]:
    """Return every record and fact of a file."""
    return scope.keep("said", _said)


def _said(scope: FileScope) -> Iterator[Said]:
    for name, path, record in records(scope):
        yield Said(scope, path, record, name, record)
        for index, fact in enumerate(record.facts):
            yield Said(scope, (*path, "facts", index), fact, name, record)
    for index, shared in enumerate(scope.file.shared):
        yield Said(scope, ("shared", index), shared, "shared", None)


def said_anywhere(context: Context) -> Iterator[Said]:
    """Yield every record and fact of every file."""
    for scope in context.files.values():
        yield from said_in(scope)


def expressions(scope: FileScope) -> tuple[tuple[YamlPath, str], ...]:
    """Return every guard, scale and offset of a component file with its place."""
    return scope.keep("expressions", _expressions)


def _expressions(scope: FileScope) -> Iterator[tuple[YamlPath, str]]:
    for said in said_in(scope):
        for field in ("when", "logged_when", "scale", "offset"):
            text = getattr(said.fields, field, None)
            if isinstance(text, str):
                yield (*said.path, field), text
    for name, profile in scope.file.profiles.items():
        for field in ("scale", "offset"):
            text = getattr(profile, field)
            if isinstance(text, str):
                yield ("profiles", name, field), text
    for table in ("guards", "single"):
        for name, guard in getattr(scope.file, table).items():
            if isinstance(guard, str):
                yield (table, name), guard
            else:
                for index, item in enumerate(guard):
                    yield (table, name, index, "when"), item.when


def keys_of(name: str, path: YamlPath, record: Record) -> Iterator[tuple[str, YamlPath]]:
    """Yield the keys that a record describes, each with its place."""
    for item in spelled(name, record):
        if item.key in record.renamed:
            yield item.key, (*path, "renamed", item.key)
        elif item.key in record.also:
            yield item.key, (*path, "also", item.key)
        elif item.key in record.family:
            yield item.key, (*path, "family", item.key)
        else:
            yield item.key, path


def symbols(scope: FileScope) -> tuple[tuple[str, str], ...]:
    """Return each anchor of a file with the entry of ``anchors`` that declares it."""
    return scope.keep("symbols", _symbols)


def _symbols(scope: FileScope) -> Iterator[tuple[str, str]]:
    for entry in scope.file.anchors:
        for name in entry.split(","):
            yield name.strip(), entry
