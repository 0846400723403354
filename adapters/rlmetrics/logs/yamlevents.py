"""The scalars of a YAML text from the marks of PyYAML's events; importing this needs PyYAML.

Aliases and merge keys (``<<``) are not resolved, but noted: under which keys else they put a scalar.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.reader import Reader, ReaderError

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.names.tables.nesting import beyond, crowded

from .scalar import Path, Scalar, YamlError

__all__ = ["read"]

_MERGE = "<<"
_COMPLEX = "?"
"""Stands in a path for a key that is a collection."""
_MOST_ALIASES = 1000
_MAX_DEPTH = 200
"""As for JSON."""
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:\s|#[^\n]*\n)*)*")
"""Anchor and tag of a node, up to the node itself."""
_BLOCK_SCALAR = re.compile(r"[|>][-+]?[ \t\r]*(?:#[^\n]*)?\n *([^\n]*\S)\s*")
"""A block scalar of one line whose indentation is no part of it."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""With libyaml where PyYAML was built with it; pure Python takes seven times as long."""


def read(text: str, loader: Any = _LOADER) -> list[Scalar]:
    """Return every scalar below the top of a YAML text; see `yamlspans.scalars`.

    Args:
        text: The text.
        loader: A loader of PyYAML, whose parser is used.

    Raises:
        YamlError: If it is not YAML, or nested too deeply.
    """
    follower = _Follower(text)
    if crowded(text) and (deep := beyond(text[follower.shift :], _MAX_DEPTH, loader)) is not None:
        raise _too_deep(deep + follower.shift)
    try:
        for event in yaml.parse(text[follower.shift :], Loader=loader):
            follower.follow(event)
    except ReaderError as error:
        # Its position counts bytes or characters, as libyaml is there or not.
        unfit = Reader.NON_PRINTABLE.search(text)
        raise YamlError(error.reason, unfit.start() if unfit else 0) from None
    except yaml.MarkedYAMLError as error:
        raise follower.error(error) from None
    return follower.result()


def _too_deep(index: int) -> YamlError:
    return YamlError(f"collections are nested more than {_MAX_DEPTH} deep", index)


@dataclass(slots=True)
class _Open:
    """A collection that is being read.

    Attributes:
        start: Where it begins.
        part: The key or index of what is being read; a text in a mapping, a number in a sequence.
        before: How many scalars were found before it, if it is itself a key.
        is_keyed: Whether the key of what comes next has been read.
    """

    start: int
    part: str | int
    before: int | None
    is_keyed: bool = False


class _Follower:
    """Follows the events of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.shift = int(text.startswith("\ufeff"))
        self._found: list[Scalar] = []
        self._open: list[_Open] = []
        self._documents = 0
        self._anchors: dict[str, Path] = {}
        self._aliases: list[tuple[Path, Path]] = []

    def result(self) -> list[Scalar]:
        """Return what was found, with the paths that lead to it by an alias of what it is or lies in."""
        return [self._with_aliases(scalar) for scalar in self._found] if self._aliases else self._found

    def _with_aliases(self, scalar: Scalar) -> Scalar:
        path = scalar.path
        others = ((*at, *path[len(anchor) :]) for at, anchor in self._aliases if path[: len(anchor)] == anchor)
        return scalar._replace(others=tuple(others))

    def error(self, error: yaml.MarkedYAMLError) -> YamlError:
        """Return what is wrong and where: what does not end is wrong where it begins."""
        marks = [mark.index + self.shift for mark in (error.problem_mark, error.context_mark) if mark is not None]
        message = ", ".join(part for part in (error.context, error.problem) if part)
        if not marks or self.text[marks[0] :].strip():
            return YamlError(message, marks[0] if marks else 0)
        begun = self._open[-1].start if self._open else 0
        if self.text[begun : begun + 1] in ("{", "["):
            return YamlError(f"{self.text[begun]!r} is not closed", begun)
        return YamlError(message, marks[-1])

    def follow(self, event: yaml.Event) -> None:
        """Take down what an event says."""
        if isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()
            self._documents += 1
        elif isinstance(event, yaml.NodeEvent):
            self._node(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = self._open.pop()
            if closed.before is not None:
                del self._found[closed.before :]
            self._ended(_COMPLEX)

    def _node(self, event: yaml.NodeEvent) -> None:
        around = self._open[-1] if self._open else None
        is_key = around is not None and isinstance(around.part, str) and not around.is_keyed
        if around is not None and isinstance(around.part, int):
            around.part += 1
        if event.anchor is not None and not is_key and not isinstance(event, yaml.AliasEvent):
            self._anchors[event.anchor] = self._path()
        start, end = self._span(event)
        if isinstance(event, yaml.CollectionStartEvent):
            if len(self._open) == _MAX_DEPTH:
                raise _too_deep(start)
            part = "" if isinstance(event, yaml.MappingStartEvent) else -1
            self._open.append(_Open(start, part, len(self._found) if is_key else None))
            return
        said = event.value if isinstance(event, yaml.ScalarEvent) else self.text[start:end]
        self._ended(said)
        if isinstance(event, yaml.ScalarEvent) and start < end and around is not None:
            self._scalar(event, start, end, is_key=is_key)
        elif isinstance(event, yaml.AliasEvent) and not is_key:
            self._alias(event.anchor or "")

    def _path(self) -> Path:
        """Return the way to what is being read; below a document after the first, it begins with a number."""
        document = (self._documents - 1,) if self._documents > 1 else ()
        return (*document, *(opened.part for opened in self._open))

    def _span(self, event: yaml.NodeEvent) -> tuple[int, int]:
        """Return where a node stands, without its anchor and tag."""
        start, end = (0 if mark is None else mark.index + self.shift for mark in (event.start_mark, event.end_mark))
        properties = _PROPERTIES.match(self.text, start)
        return (properties.end() if properties else start), end

    def _ended(self, said: str) -> None:
        """Note that a node is over: if it was a key, its value comes next."""
        around = self._open[-1] if self._open else None
        if around is not None and isinstance(around.part, str):
            around.part = around.part if around.is_keyed else said
            around.is_keyed = not around.is_keyed

    def _scalar(self, event: yaml.ScalarEvent, start: int, end: int, *, is_key: bool) -> None:
        if event.style not in ("|", ">"):
            self._found.append(Scalar(event.value, self._path(), start, end, is_key))
        elif (line := _BLOCK_SCALAR.fullmatch(self.text, start, end)) is not None:
            self._found.append(Scalar(line[1], self._path(), *line.span(1), is_key, is_block=True))

    def _alias(self, anchor: str) -> None:
        """Take down where an alias stands, and what it stands for; what is merged lies one level higher."""
        aliased, path = self._anchors.get(anchor), self._path()
        if aliased is None or len(self._aliases) == _MOST_ALIASES:
            return
        while path and (path[-1] == _MERGE or (isinstance(path[-1], int) and _MERGE in path[-2:-1])):
            path = path[:-1]
        self._aliases.append((path, aliased))
