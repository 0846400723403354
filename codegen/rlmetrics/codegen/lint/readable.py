"""A framework whose guards can all be read, so that its keys can be resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from rlmetrics.names.settings.guards import GuardError, parse

from ..model import ComponentFile, Guard, Piece, Record
from ..spec import FrameworkSpec

__all__ = ["cycles", "is_readable", "named", "readable"]

_NEVER = "false"
_Piece = TypeVar("_Piece", bound=Piece)


def is_readable(text: float | str | None) -> bool:
    """Tell whether a text is an expression; so is what is no text."""
    if not isinstance(text, str):
        return True
    try:
        parse(text)
    except GuardError:
        return False
    return True


def named(guard: str | list[Guard]) -> list[str]:
    """Return the expressions of a named condition."""
    return [guard] if isinstance(guard, str) else [item.when for item in guard]


def cycles(guards: Mapping[str, str | list[Guard]]) -> Iterator[list[str]]:
    """Yield the named conditions of a file that lead back to themselves: each circle once, in order."""
    uses = {
        name: [
            other for when in named(guard) if is_readable(when) for other in sorted(parse(when).names() & set(guards))
        ]
        for name, guard in guards.items()
    }
    done: set[str] = set()
    for start in guards:
        path: list[str] = []
        yield from _circles(start, uses, path, done)


def _circles(name: str, uses: Mapping[str, list[str]], path: list[str], done: set[str]) -> Iterator[list[str]]:
    if name in path:
        yield path[path.index(name) :]
        return
    if name in done:
        return
    path.append(name)
    for other in uses[name]:
        yield from _circles(other, uses, path, done)
    path.pop()
    done.add(name)


def readable(spec: FrameworkSpec) -> FrameworkSpec:
    """Return a framework in which guards that cannot be read never hold, and unreadable scales are left out."""
    files = {stem: _file(file) for stem, file in spec.files.items()}
    if all(files[stem] is spec.files[stem] for stem in files):
        return spec
    return replace(spec, files=files)


def _file(file: ComponentFile) -> ComponentFile:
    changed: dict[str, Any] = {}
    circular = {name for circle in cycles(file.guards) for name in circle}
    guards = {name: _guard(guard, never=name in circular) for name, guard in file.guards.items()}
    if guards != file.guards:
        changed["guards"] = guards
    keys = {
        name: _record(records) if isinstance(records, Record) else _same([_record(each) for each in records], records)
        for name, records in file.keys.items()
    }
    if any(keys[name] is not records for name, records in file.keys.items()):
        changed["keys"] = keys
    shared = [_piece(fact) for fact in file.shared]
    if _same(shared, file.shared) is shared:
        changed["shared"] = shared
    return file.model_copy(update=changed) if changed else file


def _guard(guard: str | list[Guard], *, never: bool) -> str | list[Guard]:
    if isinstance(guard, str):
        return _NEVER if never or not is_readable(guard) else guard
    return [item.model_copy(update={"when": _NEVER}) if never or not is_readable(item.when) else item for item in guard]


def _record(record: Record) -> Record:
    read = _piece(record)
    facts = [_piece(fact) for fact in record.facts]
    if _same(facts, record.facts) is facts:
        return read.model_copy(update={"facts": facts})
    return read


def _same(new: list[_Piece], old: list[_Piece]) -> list[_Piece]:
    """Return the old list where nothing in it has changed."""
    return old if all(first is second for first, second in zip(new, old, strict=True)) else new


def _piece(piece: _Piece) -> _Piece:
    changed: dict[str, Any] = {}
    for name in ("when", "logged_when"):
        if not is_readable(getattr(piece, name, None)):
            changed[name] = _NEVER
    for name in ("scale", "offset"):
        if not is_readable(getattr(piece, name)):
            changed[name] = None
    return piece.model_copy(update=changed) if changed else piece
