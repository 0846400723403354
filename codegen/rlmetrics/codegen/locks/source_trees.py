"""States of a framework's source: a folder, a wheel or an archive, or a commit of a local clone."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .packages import Package, PackageError, open_package

__all__ = ["Commit", "SourceTree", "open_tree"]


@dataclass(frozen=True)
class Commit:
    """A commit: its abbreviated id, its day, its subject, and those of the asked files that it changed."""

    id: str
    date: str
    subject: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceTree:
    """A state of the source.

    Attributes:
        place: What was named: a folder, a file, or ``CLONE@REF``.
        package: What it holds.
        clone: The repository, if it is a commit.
        commit: The commit's id.
        prefix: What stands before the package's paths in the repository, such as ``src/``.
    """

    place: str
    package: Package = field(repr=False)
    clone: Path | None = None
    commit: str | None = None
    prefix: str = ""

    def commits_to(self, other: SourceTree, paths: Sequence[str], most: int) -> list[Commit]:
        """Return the commits from this state to a later one that changed files; none unless both are of one clone."""
        if self.clone is None or other.clone is None or self.clone != other.clone or not paths:
            return []
        wanted = [f"{tree.prefix}{path}" for tree in (self, other) for path in paths]
        said = _git(
            self.clone,
            *("log", f"--max-count={most}", "--name-only", "--no-renames", "--format=%x01%h%x02%as%x02%s"),
            *(f"{self.commit}..{other.commit}", "--", *dict.fromkeys(wanted)),
        )
        commits = []
        for block in said.split("\x01")[1:]:
            head, *files = block.splitlines()
            name, date, subject = head.split("\x02", 2)
            commits.append(Commit(name, date, subject, tuple(filter(None, files))))
        return commits

    def text_at(self, state: str, path: str) -> str | None:
        """Return a file of the repository in some state; None where it is not there."""
        if self.clone is None:
            return None
        try:
            return _git(self.clone, "show", f"{state}:{path}")
        except PackageError:
            return None


def open_tree(place: str, name: str, release: str) -> SourceTree:
    """Read a state of the source.

    Args:
        place: A folder, a wheel, a source archive, or ``CLONE@REF`` with a branch, tag or commit of a local clone.
        name: The name by which the package is imported.
        release: The release that it is taken for.

    Raises:
        PackageError: There is no such place, or the package is not in it.
    """
    path, at, ref = place.rpartition("@")
    if at and not Path(place).exists():
        return _at_commit(place, Path(path), ref, name, release)
    return SourceTree(place, open_package(name, release, Path(place)))


def _at_commit(place: str, clone: Path, ref: str, name: str, release: str) -> SourceTree:
    if not clone.is_dir():
        msg = f"{clone}: is no folder; name a local clone before the @, as in ./clone@main"
        raise PackageError(msg)
    commit = _git(clone, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").strip()
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "tree.tar"
        _git(clone, "archive", "--format=tar", f"--output={archive}", commit)
        package = open_package(name, release, archive)
    files = _git(clone, "ls-tree", "-r", "--name-only", commit).splitlines()
    first = next(iter(package.paths), f"{name}/")
    prefix = min((file.removesuffix(first) for file in files if file.endswith(first)), key=len, default="")
    return SourceTree(place, package, clone.resolve(), commit, prefix)


def _git(clone: Path, *arguments: str) -> str:
    """Return what git says in a clone.

    Raises:
        PackageError: It has no such commit, is no clone, or git is not installed.
    """
    try:
        done = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=False)
    except OSError as error:
        msg = f"{clone}: git can't be run ({error.strerror}); name folders or wheels instead"
        raise PackageError(msg) from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        why = said[-1].removeprefix("fatal: ") if said else "it has no such commit"
        msg = f"{clone}: git {arguments[0]} failed ({why}); name a branch, tag or commit of this clone"
        raise PackageError(msg)
    return done.stdout.decode(errors="replace")
