"""Which files a spec consists of, and what each of them holds."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from pydantic import BaseModel

from ..model import (
    ComponentFile,
    Convention,
    Family,
    Framework,
    Glossary,
    HealthFile,
    Inputs,
    Sentences,
    Signatures,
    SourceTable,
    SpecInfo,
    SuiteFile,
    Tracker,
)

__all__ = ["DEFINES", "SINGLES", "model_of", "shown_name", "yaml_files"]

SINGLES: dict[str, type[BaseModel]] = {"spec": SpecInfo, "inputs": Inputs, "signatures": Signatures}
"""Files at the top, which every spec must have."""
OPTIONAL: dict[str, type[BaseModel]] = {"sources": SourceTable}
"""Files at the top, which a spec may have."""
_FOLDERS: dict[str, type[BaseModel]] = {
    "metrics": Family,
    "trackers": Tracker,
    "conventions": Convention,
    "suites": SuiteFile,
    "health": HealthFile,
}
DEFINES = {
    "metrics": ("metrics",),
    "inputs": ("inputs",),
    "signatures": ("populations", "without", "traits"),
    "frameworks": (
        *("components", "config", "placeholders", "profiles", "releases", "keys"),
        *("guards", "names", "anchors", "guides", "groups"),
    ),
    "trackers": ("routes",),
    "health": ("diagnoses", "rules"),
    "sources": ("sources",),
    "texts": ("sentences",),
}
_TEXTS: dict[str, type[BaseModel]] = {
    "answers": Sentences,
    "definitions": Sentences,
    "facets": Sentences,
    "glossary": Glossary,
    "health": Sentences,
    "inputs": Sentences,
    "interface": Sentences,
    "signatures": Sentences,
    "terminal": Sentences,
    "values": Sentences,
}
"""Files of a language below ``texts/<language>``."""
_FOLDERS_OF_TEXTS = ("metrics", "descriptions", "notes", "spans", "conditions", "documented")
"""Folders of a language: the first two with a file for each family, the others with one for each framework."""
"""The kinds of names that the files of a folder define."""


def model_of(ref: str) -> type[BaseModel] | None:
    """Return the model of a file, or None where no file belongs."""
    parts = PurePosixPath(ref).parts
    if len(parts) == 1:
        return SINGLES.get(ref) or OPTIONAL.get(ref)
    if len(parts) == 2:
        return _FOLDERS.get(parts[0])
    if len(parts) > 2 and parts[0] == "texts":
        return Sentences if len(parts) == 4 and parts[2] in _FOLDERS_OF_TEXTS else _TEXTS.get("/".join(parts[2:]))
    if len(parts) == 3 and parts[0] == "frameworks":
        return Framework if parts[2] == "framework" else ComponentFile
    return None


def yaml_files(folder: Path, report: Callable[[OSError], None]) -> list[Path]:
    """Return all that is named as a visible YAML file below a folder, in a fixed order.

    Args:
        folder: Where to look.
        report: Called with what keeps a folder from being listed, and names it.
    """
    paths = []
    for place, folders, files in os.walk(folder, onerror=report):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths += [Path(place, name) for name in files if name.endswith((".yaml", ".yml")) and not name.startswith(".")]
    return sorted(paths)


def shown_name(root: Path, path: Path) -> str:
    """Return the name of a file in messages: relative to the checkout where it lies in it."""
    try:
        return (path.parent.resolve() / path.name).relative_to(root.resolve().parent).as_posix()
    except ValueError:
        return path.as_posix()
