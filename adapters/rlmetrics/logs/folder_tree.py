"""What a folder holds: files of a known kind, alone or together, other files, and links."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass, field

from .consoles import PROSE
from .files import compression_of, is_unfinished, resolved
from .input_errors import InputError
from .kinds import KINDS, is_left_behind, kind_of
from .log import Kind, Log

__all__ = ["Tree", "Unit", "survey"]


_DELTA = "_delta_log"
_OF_DELTA = (
    "is a Delta table, whose files also hold rows that were deleted; "
    "translate or judge it with python -m rlmetrics.frames.delta, which needs deltalake"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A file, or a folder of which some files belong together."""

    path: Path
    kind: Kind
    files: tuple[Path, ...]

    @property
    def size(self) -> int:
        """Bytes that there are to read."""
        return sum(file.stat().st_size for file in self.files)

    def open(self) -> Log:
        """Open it to be read."""
        return self.kind.open(self.path)


@dataclass
class Tree:
    """The input, sorted.

    Attributes:
        units: Files, and folders, of a known kind.
        others: Files that hold no names, or none that can be read.
        packed: Those of them that were compressed, which may hold names.
        links: Symbolic links to something in the tree.
        folders: The folders of the tree.
        skipped: What is no part of a copy: sockets, marks that a run was synced, and what is being translated just now.
        unreadable: Files, folders and links that can't be read, each with the reason.
    """

    units: list[Unit] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    packed: list[Path] = field(default_factory=list)
    links: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    skipped: list[Path] = field(default_factory=list)
    unreadable: dict[Path, str] = field(default_factory=dict)


def survey(root: Path, kind: str | None) -> Tree:
    """Return what ``root``, a file or a folder, holds.

    Args:
        root: The input.
        kind: The only kind to look for, or None.

    Raises:
        InputError: If the kind is unknown, the file is compressed, or a symbolic link leads out of the folder.
    """
    tree = Tree()
    if root.is_file():
        if packed := compression_of(root):
            msg = f"is compressed with {packed}; unpack it first"
            raise InputError(msg, root)
        own = kind_of(root, kind)
        if own:
            tree.units.append(Unit(root, own, (root,)))
        return tree
    if kind is not None:
        kind_of(root, kind)
    claimed: set[Path] = set()
    for folder, names in _walk(root, tree):
        for own, members in _members(folder, kind):
            files = [file for file in members if not file.is_symlink()]
            if claimed.isdisjoint(files):
                tree.units.append(Unit(folder, own, tuple(files)))
                claimed.update(files)
        for file in names:
            if file not in claimed:
                _sort(file, kind, tree, claimed)
    journals = {journal for unit in tree.units for journal in unit.kind.companions(unit.path)}
    tree.others = [file for file in tree.others if file not in journals]
    return tree


def _walk(root: Path, tree: Tree) -> Iterator[tuple[Path, list[Path]]]:
    """Yield each folder with the files in it, and take down folders and links.

    Raises:
        InputError: If a link leads out of the tree, or it is a table of another kind.
    """
    inside = resolved(root)

    def unreadable(error: OSError) -> None:
        path = Path(error.filename)
        if path == root:
            raise error
        tree.unreadable[path] = f"{path}: {error.strerror or error}"

    for folder, folders, names in os.walk(root, onerror=unreadable):
        if _DELTA in folders:
            if Path(folder) == root:
                raise InputError(_OF_DELTA, root)
            tree.unreadable[Path(folder)] = f"{folder}: {_OF_DELTA}"
            folders.clear()
            continue
        folders.sort()
        tree.skipped += [path for name in folders if is_unfinished(path := Path(folder, name))]
        folders[:] = [name for name in folders if Path(folder, name) not in tree.skipped]
        tree.folders.append(Path(folder))
        files = []
        for path in (Path(folder, name) for name in sorted([*folders, *names])):
            try:
                if path.is_symlink() and is_left_behind(path):
                    tree.skipped.append(path)
                elif path.is_symlink():
                    _link(path, inside, tree)
                elif path.is_file():
                    files.append(path)
                elif not path.is_dir():
                    tree.skipped.append(path)
            except OSError as error:
                unreadable(error)
        yield Path(folder), files


def _link(path: Path, inside: Path, tree: Tree) -> None:
    """Take down a link.

    Raises:
        InputError: If it leads out of the tree.
    """
    try:
        leads_inside = resolved(path).is_relative_to(inside)
    except InputError as error:
        tree.unreadable[path] = str(error)
        return
    if not leads_inside:
        msg = "is a symbolic link out of the folder; remove it, or put what it leads to in its place"
        raise InputError(msg, path)
    tree.links.append(path)


def _members(folder: Path, kind: str | None) -> list[tuple[Kind, list[Path]]]:
    """Return which files of a folder belong together, by kind."""
    groups: list[tuple[Kind, list[Path]]] = []
    for one in KINDS.values() if kind is None else (KINDS[kind],):
        with suppress(OSError):  # a file can't be read: each is judged by itself
            groups.append((one, one.members(folder)))
    return [(one, members) for one, members in groups if members]


def _sort(file: Path, kind: str | None, tree: Tree, claimed: set[Path]) -> None:
    try:
        if compression_of(file):
            tree.packed.append(file)
            tree.others.append(file)
            return
        own = None if file.suffix in PROSE else kind_of(file)
    except OSError as error:
        tree.unreadable[file] = f"{file}: {error.strerror or error}"
        return
    except InputError as error:
        tree.unreadable[file] = str(error)
        return
    if is_left_behind(file):
        tree.skipped.append(file)
    elif own is None or kind not in (None, own.name):
        tree.others.append(file)
    else:
        tree.units.append(Unit(file, own, (file,)))
        claimed.update(own.companions(file))
