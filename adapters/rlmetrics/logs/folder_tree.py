"""What a folder holds: files of a known kind, alone or together, other files, and links."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass, field, replace

from .consoles import PROSE
from .files import compression_of, is_unfinished, resolved
from .forms import Opened, opened, pieces
from .input_errors import InputError
from .kinds import KINDS, is_left_behind, kind_of
from .log import Kind, Log
from .reading import Follower, RecordedRun, Whole
from .shown_paths import given_path

__all__ = ["Tree", "Unit", "survey"]


_DELTA = "_delta_log"
_OF_DELTA = (
    "is a Delta table, whose files also hold rows that were deleted; "
    "translate or judge it with python -m rlmetrics.frames.delta, which needs deltalake"
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A file, or a folder of which some files belong together.

    Attributes:
        path: Where it lies, as it is named in answers; what an archive holds, below the archive.
        kind: What it is.
        files: The files that are read.
        content: Its content in plain form, where it is not plain itself; None if it is.
        form: The form that it has.
    """

    path: Path
    kind: Kind
    files: tuple[Path, ...]
    content: Path | None = None
    form: Opened | None = None

    @property
    def read_from(self) -> Path:
        """Where it is read: itself, or its content in plain form."""
        return self.content or self.path

    @property
    def size(self) -> int:
        """Bytes that there are to read."""
        return sum(file.stat().st_size for file in self.files)

    def open(self) -> Log:
        """Open it to be read."""
        return self.kind.open(self.read_from)

    def follow(self) -> Follower:
        """Return what reads on while the run grows."""
        if self.form is None:
            return self.open().follow()
        return Whole(self.form.given, self._reread, files=partial(pieces, self.form.given))

    def _reread(self) -> Iterator[RecordedRun]:
        """Yield the runs as they are now, of a file that is no plain one."""
        units = [unit for unit in survey(self.form.given, None).units if unit.path == self.path] if self.form else []
        return chain.from_iterable(unit.open().read() for unit in units)


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
        InputError: If the kind is unknown, the file is packed and damaged, or a symbolic link leads out of the folder.
    """
    tree = Tree()
    if root.is_file():
        form = opened(root, only_bytes=kind is not None)
        if form is not None and form.is_archive:
            return _archived(form, kind)
        plain = root if form is None else form.plain
        own = kind_of(plain, kind)
        if own:
            tree.units.append(Unit(root, own, (plain,), None if form is None else plain, form))
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


def _archived(form: Opened, kind: str | None) -> Tree:
    """Return what an archive holds, each named below the archive.

    Raises:
        InputError: Nothing that it holds is a log.
    """
    inner = survey(form.plain, kind)
    for number, unit in enumerate(inner.units):
        name = given_path(unit.path)
        inner.units[number] = replace(unit, path=Path(name), content=unit.read_from, form=unit.form or form)
    if not inner.units and not inner.unreadable:
        msg = f"is {form.forms[-1].name} that holds no log of a known kind; unpack it, and look what is in it"
        raise InputError(msg, form.given)
    return inner


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
        whole = pieces(file)
        if file != whole[0]:
            return  # it is read with the first
        form = opened(file, archives=False)
        plain = file if form is None else form.plain
        own = None if file.suffix in PROSE else kind_of(plain)
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
        tree.units.append(Unit(file, own, (plain,), None if form is None else plain, form))
        claimed.update({*whole, *own.companions(file)})
