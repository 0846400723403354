"""What generated files depend on, reduced to one digest. Standard library only: it runs before anything is loaded."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

WATCHED = (
    ("spec", (".yaml", ".yml", ".lock")),
    ("tests/fixtures/hand_computed", (".yaml",)),
    ("codegen/rlmetrics", (".py", ".j2")),
    ("adapters/rlmetrics/answers", (".py",)),
    ("adapters/rlmetrics/health", (".py",)),
    ("adapters/rlmetrics/handwritten", (".py",)),
    ("adapters/rlmetrics/lazy_dataclasses.py", (".py",)),
    ("adapters/rlmetrics/lazy_imports.py", (".py",)),
    ("adapters/rlmetrics/lazy_typing.py", (".py",)),
    ("adapters/rlmetrics/names", (".py",)),
    ("adapters/rlmetrics/overlay_places.py", (".py",)),
    ("adapters/rlmetrics/oracle", (".py",)),
    ("adapters/rlmetrics/state", (".py",)),
    ("adapters/rlmetrics/wording", (".py",)),
)
"""Folders and files of a checkout, and the endings of the files in them, that decide what is generated."""


def digest_of(data: bytes) -> str:
    """Return the digest of a file's content."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def find_root(start: Path) -> Path | None:
    """Return the checkout that holds ``start``, known by its spec and its pyproject.toml, or None."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / "spec" / "spec.yaml").is_file() and (folder / "pyproject.toml").is_file():
            return folder
    return None


def source_files(root: Path, overlays: Sequence[Path] = ()) -> list[tuple[str, Path]]:
    """List the files that decide what is generated.

    Args:
        root: The checkout.
        overlays: Folders with further YAML.

    Returns:
        Pairs of a label that is the same on every machine and the file's path, sorted by label.
    """
    watched = [label for folder, endings in WATCHED for label in walk(root, folder, endings)]
    files = [(label, root / label) for label in watched]
    for number, overlay in enumerate(overlays):
        files += [(f"overlay-{number}/{label}", overlay / label) for label in walk(overlay, "", (".yaml",))]
    return sorted(files)


def guide_files(folder: Path) -> list[Path]:
    """Return the guides of one language, those in folders of their own among them."""
    return sorted(path for pages in ("", "translating") for path in (folder / pages).glob("*.md"))


def digest(root: Path, overlays: Sequence[Path] = ()) -> str:
    """Return one digest over the names and contents of all source files."""
    total = hashlib.blake2b(digest_size=16)
    for label, path in source_files(root, overlays):
        total.update(f"{label}\0{digest_of(path.read_bytes())}\n".encode())
    return total.hexdigest()


def walk(root: Path, folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """Yield the visible files below a folder that have one of these endings, relative to ``root``; a file itself."""
    top = os.path.join(root, folder)
    if os.path.isfile(top):
        yield folder
    for place, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        for name in files:
            if name.endswith(endings) and not name.startswith("."):
                yield Path(os.path.relpath(os.path.join(place, name), root)).as_posix()
