"""Turns the nodes of libyaml into plain data."""

from __future__ import annotations

from typing import Any

from yaml.nodes import MappingNode, Node, ScalarNode

from ..findings import SpecFinding
from .document import at
from .yaml_scalars import AmbiguousScalarError, resolve

__all__ = ["COLLECTION", "PLAIN", "QUOTED", "Converter"]

MAX_ALIAS_NODES = 60_000
"""How many nodes aliases may stand for beyond the size of the file itself."""

PLAIN = "plain"
QUOTED = "quoted"
COLLECTION = "collection"


class Converter:
    """Turns nodes into data and collects what is not allowed.

    Attributes:
        findings: What was wrong so far.
        aborted: Whether the data cannot be used at all.
    """

    def __init__(self, file: str) -> None:
        self.findings: list[SpecFinding] = []
        self.aborted = False
        self._file = file
        self._done: dict[int, tuple[Any, int]] = {}
        self._open: set[int] = set()
        self._expanded = 0

    def convert(self, node: Node) -> Any:
        """Return the data of a node; what is wrong with it is added to ``findings``."""
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
        if node.tag != COLLECTION:
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
        if node.tag == PLAIN and node.value == "<<":
            self._report("yaml-merge-key", node, "merge keys (`<<`) are not allowed", "write the fields out")
            return None
        value = self._scalar(node)
        if not isinstance(value, str):
            self._report("yaml-key", node, f"the key `{node.value}` is not read as text", f"quote it: '{node.value}'")
            return None
        return value

    def _scalar(self, node: ScalarNode) -> Any:
        if node.tag == QUOTED:
            return node.value
        if node.tag != PLAIN:
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
        self.findings.append(SpecFinding(check, "error", at(self._file, node.start_mark), message, fix))

    def _abort(self, node: Node, message: str, fix: str) -> None:
        if not self.aborted:
            self.findings = [SpecFinding("yaml-alias", "error", at(self._file, node.start_mark), message, fix)]
        self.aborted = True
