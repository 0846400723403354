"""Keys of a package's YAML configuration as symbols: their dotted paths, values and lines."""

from __future__ import annotations

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from rlmetrics.names.tables.nesting import beyond

from .fingerprint import digest
from .symbols import CodeStatement, ParsedModule, Symbol

__all__ = ["read_settings"]

_MAX_DEPTH = 200


def read_settings(path: str, text: str) -> ParsedModule:
    """Read a YAML file: each key is a symbol whose one statement is its value; of a mapping, the key alone.

    Raises:
        yaml.YAMLError: If it is not YAML, or nested too deeply.
    """
    symbols = {
        name: Symbol(path, name, "assignment", "", (_statement(name, key, value),))
        for name, key, value in _keys(_composed(text), "")
    }
    return ParsedModule(path, symbols, {}, {}, {})


def _composed(text: str) -> Node | None:
    if beyond(text, _MAX_DEPTH, yaml.CSafeLoader) is not None:
        msg = f"nested more than {_MAX_DEPTH} levels deep"
        raise yaml.YAMLError(msg)
    return yaml.compose(text, yaml.CSafeLoader)


def _keys(node: Node | None, owner: str) -> list[tuple[str, Node, Node]]:
    keys: list[tuple[str, Node, Node]] = []
    for key, value in node.value if isinstance(node, MappingNode) else ():
        name = f"{owner}.{key.value}" if owner else str(key.value)
        keys.append((name, key, value))
        keys.extend(_keys(value, name))
    return keys


def _statement(name: str, key: Node, value: Node) -> CodeStatement:
    first = key.start_mark.line + 1
    if isinstance(value, MappingNode):
        last = first
        said = digest(["key", name])
    else:
        last = max(first, value.end_mark.line + (value.end_mark.column > 0))
        said = digest(["key", name, _text(value)])
    end = max(last, value.end_mark.line + (value.end_mark.column > 0))
    return CodeStatement(said, first, last, end, -1)


def _text(node: Node) -> str:
    if isinstance(node, ScalarNode):
        return str(node.value) if node.style in (None, "") else repr(str(node.value))
    if isinstance(node, SequenceNode):
        return "[" + ", ".join(_text(item) for item in node.value) + "]"
    if isinstance(node, MappingNode):
        return "{" + ", ".join(f"{_text(key)}: {_text(value)}" for key, value in node.value) + "}"
    return ""
