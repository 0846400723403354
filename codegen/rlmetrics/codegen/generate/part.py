"""What makes the folder of generated code a part of the package, for tools that look at one folder at a time."""

from __future__ import annotations

from collections.abc import Iterator

from ..output.store import Output
from .templating import template

FOLDER = "generated/rlmetrics"


def emit() -> Iterator[Output]:
    """Yield the module of the folder, which hands over to that of the package, and the marker of typed packages."""
    source = "codegen/rlmetrics/__init__.py"
    yield Output(f"{FOLDER}/__init__.py", template("part_init.py.j2").render(source=source), source)
    yield Output(f"{FOLDER}/py.typed", "", source)
