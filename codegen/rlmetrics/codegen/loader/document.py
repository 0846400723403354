"""One YAML file: its data, and the place of everything in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..findings import Finding, Location
from .scalars import AmbiguousScalarError, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from yaml.error import Mark

__all__ = ["Document", "YamlPath", "parse"]

YamlPath = tuple[str | int, ...]
"""Keys and indices that lead from the top of a file to a node."""

MAX_DEPTH = 40
"""Deeper nesting than this is refused: the spec needs ten levels."""

MAX_ALIAS_NODES = 20_000
"""How many nodes aliases may stand for beyond the size of the file itself."""

_PLAIN = "plain"
_QUOTED = "quoted"
_COLLECTION = "collection"


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
            return _COLLECTION
        return _PLAIN if implicit[0] else _QUOTED


@dataclass(frozen=True)
class Document:
    """A parsed file that still knows where everything stands.

    Attributes:
        file: The name that locations carry.
        text: The whole text.
        data: Plain dicts, lists and scalars; None if the file could not be read.
    """

    file: str
    text: str
    data: Any
    root: Node | None = field(default=None, repr=False, compare=False)
    _keys: dict[int, dict[str, tuple[Node, Node]]] = field(default_factory=dict, repr=False, compare=False)

    def locate(self, path: YamlPath, *, value: bool = False) -> Location:
        """The place of a node, or of its nearest existing parent.

        Args:
            path: Keys and indices from the top.
            value: Point to the value of the last key instead of the key itself.
        """
        key, node = self._find(path)
        if node is None:
            return Location(self.file)
        empty = isinstance(node, ScalarNode) and node.start_mark.index == node.end_mark.index
        mark = node.start_mark if key is None or (value and not empty) else key.start_mark
        return self._location(mark)

    def source(self, path: YamlPath) -> str | None:
        """The text of a scalar as written, without quotes and before it was read as a number or a boolean."""
        _, node = self._find(path)
        return node.value if isinstance(node, ScalarNode) else None

    def locate_in_text(self, path: YamlPath, offset: int) -> Location:
        """The place of a character of a text value, through quotes, escapes and folded lines.

        Args:
            path: Where the text value stands.
            offset: Index of the character in the value.
        """
        _, node = self._find(path)
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            return self.locate(path, value=True)
        start, end = node.start_mark.index, node.end_mark.index
        position = _align(self.text[start:end], node.value, offset, str(node.style or "")) + start
        line = self.text.count("\n", 0, position) + 1
        return Location(self.file, line, position - (self.text.rfind("\n", 0, position) + 1) + 1)

    def _find(self, path: YamlPath) -> tuple[Node | None, Node | None]:
        key: Node | None = None
        node = self.root
        for step in path:
            if isinstance(node, MappingNode):
                entry = self._entries(node).get(str(step))
                if entry is None:
                    break
                key, node = entry
            elif isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
                key, node = None, node.value[step]
            else:
                break
        return key, node

    def _entries(self, node: MappingNode) -> dict[str, tuple[Node, Node]]:
        entries = self._keys.get(id(node))
        if entries is None:
            entries = {}
            for key, value in node.value:
                if isinstance(key, ScalarNode):
                    entries.setdefault(key.value, (key, value))
            self._keys[id(node)] = entries
        return entries

    def _location(self, mark: Mark) -> Location:
        return Location(self.file, mark.line + 1, mark.column + 1)


def parse(content: bytes, file: str) -> tuple[Document, list[Finding]]:
    """Reads YAML.

    Args:
        content: The bytes of the file.
        file: The name for locations.

    Returns:
        The document, and everything that is wrong with it as YAML. A file that cannot be read at all gives one finding
        and a document whose data is None.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _unreadable(file, content, error)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    broken = Document(file, text, None)
    parser = None
    try:
        parser = _Parser(text)
        root = parser.get_single_node()
    except _TooDeepError:
        message = f"nested more than {MAX_DEPTH} levels deep"
        return broken, [_finding("yaml-depth", _deepest(text, file), message, "flatten it")]
    except yaml.YAMLError as error:
        return broken, [_syntax_finding(error, file, text)]
    finally:
        if parser is not None:
            parser.dispose()
    if root is None or (isinstance(root, ScalarNode) and root.tag == _PLAIN and root.value in {"", "~", "null"}):
        return broken, [_finding("yaml-empty", Location(file), "the file is empty", "write its fields or delete it")]
    converter = _Converter(Document(file, text, None, root))
    data = converter.convert(root)
    if converter.aborted:
        return broken, converter.findings
    return Document(file, text, data, root), converter.findings


class _Converter:
    """Turns nodes into data and collects what is not allowed."""

    def __init__(self, document: Document) -> None:
        self.findings: list[Finding] = []
        self.aborted = False
        self._at: Callable[[Mark], Location] = document._location
        self._done: dict[int, tuple[Any, int]] = {}
        self._open: set[int] = set()
        self._expanded = 0

    def convert(self, node: Node) -> Any:
        return self._value(node)[0]

    def _value(self, node: Node) -> tuple[Any, int]:
        if isinstance(node, ScalarNode):
            return self._scalar(node), 1
        if self.aborted:
            return None, 1
        identity = id(node)
        known = self._done.get(identity)
        if known is not None:
            self._expanded += known[1]
            if self._expanded > MAX_ALIAS_NODES:
                self._abort(node, "aliases stand for far more data than the file holds", "write the data out")
            return known
        if identity in self._open:
            self._abort(node, "an anchor contains itself", "replace the alias by what it should stand for")
            return None, 1
        if node.tag != _COLLECTION:
            self._reject_tag(node)
        self._open.add(identity)
        result = self._mapping(node) if isinstance(node, MappingNode) else self._sequence(node)
        self._open.discard(identity)
        self._done[identity] = result
        return result

    def _sequence(self, node: Node) -> tuple[list[Any], int]:
        size = 1
        items = []
        for child in node.value:
            value, weight = self._value(child)
            items.append(value)
            size += weight
        return items, size

    def _mapping(self, node: Node) -> tuple[dict[str, Any], int]:
        size = 1
        data: dict[str, Any] = {}
        for key, child in node.value:
            name = self._key(key)
            value, weight = self._value(child)
            size += weight + 1
            if name is None:
                continue
            if name in data:
                message = f"`{name}` stands twice in the same mapping"
                self._report("yaml-duplicate-key", key, message, "keep one of the two")
                continue
            data[name] = value
        return data, size

    def _key(self, node: Node) -> str | None:
        if not isinstance(node, ScalarNode):
            self._report("yaml-key", node, "a key must be text, not a list or mapping", "write a plain name")
            return None
        if node.tag == _PLAIN and node.value == "<<":
            self._report("yaml-merge-key", node, "merge keys (`<<`) are not allowed", "write the fields out")
            return None
        value = self._scalar(node)
        if not isinstance(value, str):
            self._report("yaml-key", node, f"the key `{node.value}` is not read as text", f"quote it: '{node.value}'")
            return None
        return value

    def _scalar(self, node: ScalarNode) -> Any:
        if node.tag == _QUOTED:
            return node.value
        if node.tag != _PLAIN:
            self._reject_tag(node)
            return node.value
        try:
            return resolve(node.value)
        except AmbiguousScalarError as error:
            self._report(
                "yaml-ambiguous", node, str(error), f"quote it ('{node.value}') or write true, false or a plain number"
            )
            return node.value

    def _reject_tag(self, node: Node) -> None:
        tag = str(node.tag).replace("tag:yaml.org,2002:", "!!")
        self._report("yaml-tag", node, f"the tag `{tag}` is not allowed", "remove it and quote text instead")

    def _report(self, check: str, node: Node, message: str, fix: str) -> None:
        self.findings.append(_finding(check, self._at(node.start_mark), message, fix))

    def _abort(self, node: Node, message: str, fix: str) -> None:
        if not self.aborted:
            self.findings = [_finding("yaml-alias", self._at(node.start_mark), message, fix)]
        self.aborted = True


def _finding(check: str, location: Location, message: str, fix: str) -> Finding:
    return Finding(check, "error", location, message, fix)


def _unreadable(file: str, content: bytes, error: UnicodeDecodeError) -> tuple[Document, list[Finding]]:
    before = content[: error.start].decode("utf-8", "replace")
    location = Location(file, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
    message = f"byte 0x{content[error.start]:02x} is not UTF-8"
    return Document(file, "", None), [_finding("yaml-encoding", location, message, "save the file as UTF-8")]


def _deepest(text: str, file: str) -> Location:
    """The place where the nesting becomes too deep."""
    depth = 0
    location = Location(file)
    for event in yaml.parse(text, yaml.CSafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            if event.start_mark is not None:
                location = Location(file, event.start_mark.line + 1, event.start_mark.column + 1)
            break
    return location


def _syntax_finding(error: yaml.YAMLError, file: str, text: str) -> Finding:
    mark: Mark | None = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        # A reader error: libyaml refuses the character and gives only its byte offset.
        bad = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]", text)
        offset = bad.start() if bad else 0
        location = Location(file, text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1)
        return _finding(
            "yaml-syntax", location, "a control character is not allowed", "delete it, or escape it in double quotes"
        )
    location = Location(file, mark.line + 1, mark.column + 1)
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


_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


def _align(source: str, value: str, offset: int, style: str) -> int:
    """Index in ``source`` (a scalar as written) of the character ``value[offset]``."""
    position = 0
    if style in {"'", '"'}:
        position = 1
    elif style in {"|", ">"}:
        position = source.find("\n") + 1
    for character in value[:offset]:
        position = _skip_space(source, position, character)
        if style == '"' and source[position : position + 1] == "\\":
            position += _ESCAPE_LENGTH.get(source[position + 1 : position + 2], 2)
        elif style == "'" and source[position : position + 2] == "''":
            position += 2
        elif source[position : position + 1] == character:
            position += 1
    last = value[offset] if offset < len(value) else ""
    return min(_skip_space(source, position, last), max(len(source) - 1, 0))


def _skip_space(source: str, position: int, character: str) -> int:
    """Over folded line breaks and indentation to the place where ``character`` stands."""
    while position < len(source) and source[position] != character and source[position].isspace():
        position += 1
    return position
