"""What a run keeps for the next one below ``.rlmetrics/cache``: results by the content of what they were made from.

Standard library only. Losing the folder, or any file in it, costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .output.input_digest import digest_of, guide_files, walk
from .output.store import replace

__all__ = ["FOLDER", "Shelf", "code_digest", "code_files", "spec_digest"]

FOLDER = ".rlmetrics/cache"
"""Where a checkout keeps it."""

_BESIDE = (("tests/fixtures/hand_computed", (".yaml",)), ("generated/rlmetrics/tables/metrics", (".json",)))
"""What checks read beside the spec."""

_SCRIPTS, _MADE = "docs/assets", "docs/assets/generated/"

_CODE = (
    "rlmetrics.answers",
    "rlmetrics.codegen",
    "rlmetrics.handwritten",
    "rlmetrics.names",
    "rlmetrics.state",
    "rlmetrics.wording",
)


class Shelf:
    """One file of the cache: a value, and the digest of the code that made it."""

    def __init__(self, folder: Path | None, name: str, made_by: tuple[str, ...] = _CODE) -> None:
        """Take the file ``name`` in a folder; without a folder nothing is ever found or kept.

        Args:
            folder: The folder.
            name: The name of the file.
            made_by: The packages and modules whose code decides what is kept.
        """
        self._path = folder / f"{name}.pickle" if folder is not None else None
        self._made_by = made_by

    def load(self) -> Any:
        """Return what was kept by the same code, or None."""
        if self._path is None:
            return None
        try:
            with open(self._path, "rb") as stream:
                if pickle.load(stream) != code_digest(self._made_by):
                    return None
                return pickle.load(stream)
        except Exception:  # a damaged file can raise anything, and is as good as none
            return None

    def keep(self, value: object) -> None:
        """Keep a value for the next run; where the disk does not allow it, that run will have to do without."""
        if self._path is not None:
            data = pickle.dumps(code_digest(self._made_by), 5) + pickle.dumps(value, 5)
            try:
                replace(self._path, data)
            except OSError:
                return


@lru_cache(maxsize=4)
def code_digest(packages: tuple[str, ...] = _CODE) -> str:
    """Return one digest over the running code of packages and modules: of what reads, checks and renders a spec."""
    total = hashlib.blake2b(sys.version.encode(), digest_size=16)
    for label, path in sorted((label, path) for path, label in code_files(packages).items()):
        total.update(f"{label}\0{digest_of(path.read_bytes())}\n".encode())
    return total.hexdigest()


def code_files(packages: Iterable[str]) -> dict[Path, str]:
    """Return the files of packages and modules, and what they are called on any machine."""
    files: dict[Path, str] = {}
    for package in packages:
        found = find_spec(package)
        places = () if found is None else found.submodule_search_locations or (str(found.origin),)
        for place in map(Path, places):
            for label in walk(place.parent, place.name, (".py", ".j2")):
                files[place.parent / label] = f"{package}:{label}"
    return files


def spec_digest(folders: Sequence[Path]) -> str:
    """Return one digest over a spec, its overlays and what checks read beside it.

    Args:
        folders: The folder ``spec`` and those of overlays, in order.
    """
    checkout = folders[0].parent
    lines = [*_beside_site(folders[0])]
    for number, folder in enumerate(folders):
        lines += [f"{number}/{line}" for line in _lines(folder, "", (".yaml", ".yml", ".lock"))]
    for beside, endings in _BESIDE:
        lines += _lines(checkout, beside, endings)
    return digest_of("".join(lines).encode())


def _lines(root: Path, folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """Yield a line for each file of a folder."""
    for label in sorted(walk(root, folder, endings)):
        yield f"{label}\0{digest_of((root / label).read_bytes())}\n"


def _beside_site(spec: Path) -> Iterator[str]:
    """Yield a line for each hand-written guide and script."""
    checkout = spec.parent
    folders = [checkout / "docs", *(checkout / "docs" / path.name for path in sorted((spec / "texts").glob("*")))]
    guides = [path.relative_to(checkout).as_posix() for folder in folders for path in guide_files(folder)]
    scripts = [label for label in sorted(walk(checkout, _SCRIPTS, (".js",))) if not label.startswith(_MADE)]
    for label in (*guides, *scripts):
        yield f"{label}\0{digest_of((checkout / label).read_bytes())}\n"
