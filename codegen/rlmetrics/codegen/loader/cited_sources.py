"""Puts sources in place of their names, by the table of ``spec/sources.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel

from ..model import CitedSource, ClaimSource

__all__ = ["HOLDERS", "with_sources"]

_Node = TypeVar("_Node")

HOLDERS = frozenset(
    {"metrics", "variants", "parameters", "crucial", "rules", "diagnoses", "references", "source", "sources"}
)
"""The fields that hold sources, at some depth."""


def with_sources(node: _Node, table: Mapping[str, ClaimSource]) -> _Node:
    """Return a node of the spec with the sources that it names; a name that is not in the table stays.

    Args:
        node: A family, a file of rules, or anything in one.
        table: Sources by name.
    """
    return cast("_Node", _with_sources(node, table))


def _with_sources(node: Any, table: Mapping[str, ClaimSource]) -> Any:
    changed: Any
    if isinstance(node, CitedSource):
        return table.get(node.title, node)
    if isinstance(node, dict):
        changed = {name: _with_sources(value, table) for name, value in node.items()}
        return node if all(changed[name] is value for name, value in node.items()) else changed
    if isinstance(node, list):
        changed = [_with_sources(value, table) for value in node]
        return node if all(new is old for new, old in zip(changed, node, strict=True)) else changed
    if not isinstance(node, BaseModel) or isinstance(node, ClaimSource):
        return node
    fields = {name: value for name, value in node if name in HOLDERS}
    changed = {name: new for name, value in fields.items() if (new := _with_sources(value, table)) is not value}
    return node.model_copy(update=changed) if changed else node
