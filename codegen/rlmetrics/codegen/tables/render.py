"""The tables as Python modules, laid out as ``ruff format`` leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..generate.layout import WIDTH, Node, columns, dict_of, quote, tuple_of
from ..generate.layout import source as lay_out
from ..generate.text import header
from .build import build

if TYPE_CHECKING:
    from ..spec import Spec
    from .data import Module

__all__ = ["FOLDER", "render"]

FOLDER = "generated/rlmetrics/tables"
"""Where the modules stand in a checkout."""


def render(spec: Spec) -> dict[str, str]:
    """Return the modules of tables.

    Args:
        spec: A spec without errors.

    Returns:
        Path in the checkout to content. The marker ``py.typed`` is among them.
    """
    modules = build(spec).modules
    files = {f"{FOLDER}/{name.replace('.', '/')}.py": _module(module) for name, module in modules.items()}
    return {**files, f"{FOLDER}/py.typed": ""}


def _module(module: Module) -> str:
    constants = [lay_out(_node(value, f"{name}{_annotation(value)} = ")) for name, value in module.constants.items()]
    blocks = [f'"""{module.doc}"""\n']
    if constants:
        blocks += ["from __future__ import annotations\n", "\n".join(constants) + "\n"]
    body = "\n".join(blocks)
    silence = (
        "# ruff: noqa: E501\n"
        if any(columns(line) > WIDTH and " " in line.strip() for line in body.splitlines())
        else ""
    )
    return f"# {header(module.source)}\n{silence}\n{body}"


def _annotation(value: Any) -> str:
    if isinstance(value, dict):
        return ": dict[str, object]"
    return ": tuple[object, ...]" if isinstance(value, tuple) else ""


def _node(value: Any, head: str = "") -> Node:
    if isinstance(value, str):
        return head + quote(value)
    if isinstance(value, tuple):
        return tuple_of([_node(item) for item in value], head)
    if isinstance(value, Mapping):
        return dict_of([_node(item, f"{quote(key)}: ") for key, item in value.items()], head)
    return f"{head}{value!r}"
