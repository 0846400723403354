"""What a run keeps for the next one below ``.rlmetrics/cache``: results by the content of what they were made from.

Standard library only. Losing the folder, or any file in it, costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from .output.input_digest import digest_of, guide_files, walk
from .output.store import write

__all__ = ["FOLDER", "Shelf", "code_digest", "code_files", "keeping", "kept", "lines_of", "spec_digest"]

_Result = TypeVar("_Result")

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
            data = io.BytesIO()
            for each in (code_digest(self._made_by), value):
                pickle.dump(each, data, 5)
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write(self._path, data.getbuffer(), durable=False)
            except OSError:
                return


class _Pieces:
    """Results of one kind, each under the digest of what it was made from."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._known: dict[Any, Any] = shelf.load() or {}
        self._asked: dict[Any, Any] = {}

    def get(self, key: object, make: Callable[[], Any]) -> Any:
        """Return a result, which is made where neither this run nor the last one asked for it."""
        if key not in self._asked:
            self._asked[key] = self._known[key] if key in self._known else make()
        return self._asked[key]

    def close(self) -> None:
        """Keep what this run asked for, and nothing else, so that the file does not grow from edit to edit."""
        if self._asked.keys() != self._known.keys():
            self._shelf.keep(self._asked)


_open: ContextVar[Callable[[str], _Pieces] | None] = ContextVar("_open", default=None)


@contextmanager
def keeping(folder: Path | None) -> Iterator[None]:
    """Let `kept` take from a folder what earlier runs left there, and leave what this one makes.

    Without a folder, what was made once holds until the end of this run. Within another one, that one goes on.
    """
    if _open.get() is not None:
        yield
        return
    kinds: dict[str, _Pieces] = {}

    def pieces(kind: str) -> _Pieces:
        if kind not in kinds:
            kinds[kind] = _Pieces(Shelf(folder, kind))
        return kinds[kind]

    token = _open.set(pieces)
    try:
        yield
    finally:
        _open.reset(token)
    for one in kinds.values():
        one.close()


def kept(kind: str, made_from: Iterable[str | bytes], make: Callable[[], _Result]) -> _Result:
    """Return what a function makes, once for the same input.

    Args:
        kind: What it makes, the name of a file of the cache.
        made_from: All that the result depends on beside the code of this package.
        make: Makes it. Whoever gets the result leaves it as it is, since others get the same.
    """
    pieces = _open.get()
    if pieces is None:
        return make()
    total = hashlib.blake2b(digest_size=16)
    for part in made_from:
        data = part.encode() if isinstance(part, str) else part
        total.update(b"%d:" % len(data) + data)
    result: _Result = pieces(kind).get(total.digest(), make)
    return result


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
        lines += [f"{number}/{line}" for line in lines_of(folder, "", (".yaml", ".yml", ".lock"))]
    for beside, endings in _BESIDE:
        lines += lines_of(checkout, beside, endings)
    return digest_of("".join(lines).encode())


def lines_of(root: Path, folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """Yield a line for each file of a folder: what it is called, a NUL, and its digest; none of a pipe or a device."""
    for label in sorted(walk(root, folder, endings)):
        path = root / label
        yield f"{label}\0{digest_of(path.read_bytes()) if path.is_file() else ''}\n"


def _beside_site(spec: Path) -> Iterator[str]:
    """Yield a line for each hand-written guide and script."""
    checkout = spec.parent
    folders = [checkout / "docs", *(checkout / "docs" / path.name for path in sorted((spec / "texts").glob("*")))]
    guides = [path.relative_to(checkout).as_posix() for folder in folders for path in guide_files(folder)]
    scripts = [label for label in sorted(walk(checkout, _SCRIPTS, (".js",))) if not label.startswith(_MADE)]
    for label in (*guides, *scripts):
        yield f"{label}\0{digest_of((checkout / label).read_bytes())}\n"
