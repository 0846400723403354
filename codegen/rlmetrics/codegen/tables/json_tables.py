"""The tables as JSON files, a line for each entry, so that readers can take one without the others.

JSON and not Python: without byte code Python takes twenty times as long to read the same values from its own source.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..output import layout
from ..output.prose import header
from .table_build import build
from .table_differences import kept_apart

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ..spec import Spec
    from .table_build import Definitions

__all__ = ["FOLDER", "render", "text_of"]

FOLDER = "generated/rlmetrics/tables"
"""Where the files stand in a checkout."""

COMMENT = "$comment"
"""The field that says where a file comes from."""

_encode = json.JSONEncoder(ensure_ascii=False).encode


def render(spec: Spec, cache: Path | None = None, definitions: Definitions | None = None) -> dict[str, str]:
    """Return the files of tables.

    Args:
        spec: A spec without errors.
        cache: A folder that keeps tables which take long and seldom change.
        definitions: The spec without what is written for readers, where tables of these are to be kept.

    Returns:
        Path in the checkout to content. What makes the folder a package is among them.
    """
    files = {
        f"{FOLDER}/{name}.json": text_of({COMMENT: header(table.source), **table.data})
        for name, table in kept_apart(spec, build(spec, cache, definitions)).items()
    }
    return {**files, f"{FOLDER}/__init__.py": _package(spec)}


def _package(spec: Spec) -> str:
    """Return the module of the package, which says what the command line tells before it reads a table."""
    spans = (
        layout.tuple_of(map(layout.quote, (item.title, item.releases[0].release, item.releases[-1].release)))
        for item in (part.framework for part in spec.independent.values())
        if item.releases
    )
    table = layout.source(layout.tuple_of(spans, "SPANS = "))
    return (
        f'# {header("spec")}\n\n"""Tables of the spec, as JSON; rlmetrics.names reads them."""\n\n'
        f'__all__ = ["SPANS", "SPEC_VERSION"]\n\nSPEC_VERSION = {json.dumps(spec.info.version)}\n\n'
        f'{table}\n"""Title, first and last release of every framework."""\n'
    )


def text_of(table: Mapping[str, Any]) -> str:
    """Return a table as JSON: a field that is too long for a line has a line for each of its entries.

    An entry is never broken, however long it is: `rlmetrics.names.tables.table_text` reads single lines.
    """
    fields = (f" {_encode(name)}: {_field(value, len(name))}" for name, value in table.items())
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _field(value: Any, used: int) -> str:
    flat = _encode(value)
    if not value or not isinstance(value, dict | list) or used + len(flat) < layout.WIDTH:
        return flat
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"  {_encode(name)}: {_encode(item)}" for name, item in value.items()) + "\n }"
    return "[\n" + ",\n".join(f"  {_encode(item)}" for item in value) + "\n ]"
