"""Reads one YAML file with libyaml."""

from __future__ import annotations

import pickle
import re
from typing import Any

import yaml
from yaml.nodes import Node, ScalarNode

from rlmetrics.names.tables.nesting import beyond, crowded

from ..cache import kept
from ..findings import Location, SpecFinding
from .convert import COLLECTION, PLAIN, QUOTED, Converter
from .document import YamlDocument, YamlMark, at

__all__ = ["parse"]

MAX_DEPTH = 40
"""Deeper nesting than this is refused: the spec needs ten levels."""


class _TooDeepError(Exception):
    pass


class _Parser(yaml.CSafeLoader):
    """libyaml's parser with the cheapest possible resolver: it only notes whether a scalar was quoted."""

    depth = 0

    def descend_resolver(self, current_node: Node | None, current_index: object) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _TooDeepError

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def check_resolver_prefix(
        self, depth: object, path: object, kind: object, current_node: object, current_index: object
    ) -> bool:
        return False

    def resolve(self, kind: type[Node], value: object, implicit: Any) -> str:
        if kind is not ScalarNode:
            return COLLECTION
        return PLAIN if implicit[0] else QUOTED


def parse(content: bytes, file: str) -> tuple[YamlDocument, list[SpecFinding]]:
    """Read YAML.

    Args:
        content: The bytes of the file.
        file: The name for locations.

    Returns:
        The document, and everything that is wrong with it as YAML. A file that cannot be read at all gives one finding
        and a document whose data is None.
    """
    read: list[tuple[YamlDocument, list[SpecFinding]]] = []

    def data_of_sound() -> bytes:
        read.append(_read(content, file))
        document, findings = read[0]
        return b"" if findings else pickle.dumps(document.data, 5)

    # Plain data is back ten times as soon as from YAML; as bytes, since whoever gets it may change it.
    sound = kept("documents", (content,), data_of_sound)
    if read:
        return read[0]
    if not sound:
        return _read(content, file)
    text = _text(content)
    return YamlDocument(file, text, pickle.loads(sound), lambda: _nodes(text)), []


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _nodes(text: str) -> Node | None:
    parser = _Parser(text)
    try:
        return parser.get_single_node()
    finally:
        parser.dispose()


def _read(content: bytes, file: str) -> tuple[YamlDocument, list[SpecFinding]]:
    try:
        text = _text(content)
    except UnicodeDecodeError as error:
        return _unreadable(file, content, error)
    broken = YamlDocument(file, text, None)
    try:
        if crowded(text) and beyond(text, MAX_DEPTH, yaml.CSafeLoader) is not None:
            raise _TooDeepError
        root = _nodes(text)
    except _TooDeepError:
        place = _place(file, text, beyond(text, MAX_DEPTH, yaml.CSafeLoader) or 0)
        return broken, [_finding("yaml-depth", place, f"nested more than {MAX_DEPTH} levels deep", "flatten it")]
    except yaml.YAMLError as error:
        return broken, [_syntax_finding(error, file, text)]
    if root is None or (isinstance(root, ScalarNode) and root.tag == PLAIN and root.value in {"", "~", "null"}):
        return broken, [_finding("yaml-empty", Location(file), "the file is empty", "write its fields or delete it")]
    converter = Converter(file)
    data = converter.convert(root)
    if converter.aborted:
        return broken, converter.findings
    return YamlDocument(file, text, data, lambda: root), converter.findings


def _finding(check: str, location: Location, message: str, fix: str) -> SpecFinding:
    return SpecFinding(check, "error", location, message, fix)


def _unreadable(file: str, content: bytes, error: UnicodeDecodeError) -> tuple[YamlDocument, list[SpecFinding]]:
    before = content[: error.start].decode("utf-8", "replace")
    location = Location(file, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
    message = f"byte 0x{content[error.start]:02x} is not UTF-8"
    return YamlDocument(file, "", None), [_finding("yaml-encoding", location, message, "save the file as UTF-8")]


def _place(file: str, text: str, index: int) -> Location:
    return Location(file, text.count("\n", 0, index) + 1, index - (text.rfind("\n", 0, index) + 1) + 1)


def _syntax_finding(error: yaml.YAMLError, file: str, text: str) -> SpecFinding:
    mark: YamlMark | None = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        # A reader error: libyaml refuses the character and gives only its byte offset.
        bad = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]", text)
        location = _place(file, text, bad.start() if bad else 0)
        return _finding(
            "yaml-syntax", location, "a control character is not allowed", "delete it, or escape it in double quotes"
        )
    location = at(file, mark)
    lines = text.split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in line[: mark.column + 1] and not line[: mark.column].strip():
        place = Location(file, mark.line + 1, line.index("\t") + 1)
        return _finding("yaml-tab", place, "a tab indents this line", "indent with spaces")
    problem = str(getattr(error, "problem", None) or "not YAML").strip()
    context = str(getattr(error, "context", None) or "").strip()
    message = f"{context}: {problem}" if context else problem
    return _finding("yaml-syntax", location, " ".join(message.split()), _syntax_fix(problem))


def _syntax_fix(problem: str) -> str:
    if "undefined alias" in problem:
        return "define the anchor before the alias, or quote text that starts with `*`"
    if "another document" in problem or "single document" in problem:
        return "keep one document in a file"
    return "check the indentation, and quote text that holds `: `, ` #` or starts with a special character"
