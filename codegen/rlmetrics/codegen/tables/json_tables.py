"""The tables as JSON files, a line for each thing that fits on one.

JSON and not Python: without byte code Python takes twenty times as long to read the same values from its own source.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..output import layout
from ..output.prose import header
from .table_build import build

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["FOLDER", "render"]

FOLDER = "generated/rlmetrics/tables"
"""Where the files stand in a checkout."""

COMMENT = "$comment"
"""The field that says where a file comes from."""


def render(spec: Spec) -> dict[str, str]:
    """Return the files of tables.

    Args:
        spec: A spec without errors.

    Returns:
        Path in the checkout to content. What makes the folder a package is among them.
    """
    files = {
        f"{FOLDER}/{name}.json": _lay_out({COMMENT: header(table.source), **table.data}) + "\n"
        for name, table in build(spec).items()
    }
    return {**files, f"{FOLDER}/__init__.py": _package(spec)}


def _package(spec: Spec) -> str:
    """Return the module of the package, which says what the command line tells before it reads a table."""
    spans = (
        layout.tuple_of(map(layout.quote, (item.title, item.releases[0].release, item.releases[-1].release)))
        for item in (part.framework for part in spec.frameworks.values())
        if item.releases
    )
    table = layout.source(layout.tuple_of(spans, "SPANS = "))
    return (
        f'# {header("spec")}\n\n"""Tables of the spec, as JSON; rlmetrics.names reads them."""\n\n'
        f'__all__ = ["SPANS", "SPEC_VERSION"]\n\nSPEC_VERSION = {json.dumps(spec.info.version)}\n\n'
        f'{table}\n"""Title, first and last release of every framework."""\n'
    )


def _lay_out(value: Any, depth: int = 0, used: int = 0) -> str:
    """Return a value on one line if it fits behind what is there already, else each of its items on a line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or used + len(flat) < layout.WIDTH:
        return flat
    indent = " " * (depth + 1)
    if isinstance(value, dict):
        heads = [f"{indent}{json.dumps(key, ensure_ascii=False)}: " for key in value]
        items = [head + _lay_out(item, depth + 1, len(head)) for head, item in zip(heads, value.values(), strict=True)]
    else:
        items = [indent + _lay_out(item, depth + 1, len(indent)) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    body = ",\n".join(items)
    return f"{opening}\n{body}\n{' ' * depth}{closing}"
