"""Whether what proves a key changed between two states of a framework's source, and by which commits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from .anchor_marks import Mark, places_of, symbol_for
from .packages import Package
from .source_trees import Commit, SourceTree
from .symbol_changes import depends, diff_of
from .symbols import Symbol, read_module

__all__ = ["ProofChange", "ProofFate", "ProvingSymbol", "proof_changes"]

ProofFate = Literal["same", "elsewhere", "changed", "gone", "new", "absent"]
"""``changed``: a proving statement, or one that it depends on; ``elsewhere``: others of its function only."""

_MOST_COMMITS = 400
"""Of a longer way between two states the nearest commits are looked at."""


@dataclass(frozen=True)
class ProvingSymbol:
    """A function, class or assignment in which statements stand that prove a key.

    Attributes:
        path: Path of its module in the release that was read.
        name: Qualified name.
        marks: The statements, whichever release they were found in; none where no lock says them.
    """

    path: str
    name: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class ProofChange:
    """What became of a proving symbol from one state to the other.

    Attributes:
        symbol: The symbol.
        fate: What became of it.
        diff: The statements that changed, each with ``- `` or ``+ `` before it; hunks are parted by ``@``.
        commits: Those that changed the symbol, the newest first; none where the states are no two of one repository.
    """

    symbol: ProvingSymbol
    fate: ProofFate
    diff: tuple[str, ...] = ()
    commits: tuple[Commit, ...] = ()


def proof_changes(old: SourceTree, new: SourceTree, symbols: Iterable[ProvingSymbol]) -> list[ProofChange]:
    """Return what became of each symbol, those first of which a proving statement changed."""
    ranks: Mapping[ProofFate, int] = {"changed": 0, "gone": 1, "new": 2, "elsewhere": 3, "same": 4, "absent": 5}
    changes = [_change(old, new, symbol) for symbol in symbols]
    return sorted(changes, key=lambda change: ranks[change.fate])


def _change(old: SourceTree, new: SourceTree, wanted: ProvingSymbol) -> ProofChange:
    before, after = (symbol_for(tree.package, wanted.name, [wanted.path]) for tree in (old, new))
    fate = _fate(old.package, new.package, before, after, wanted.marks)
    if fate in ("same", "absent"):
        return ProofChange(wanted, fate)
    lines = [_lines(tree.package, symbol) for tree, symbol in ((old, before), (new, after))]
    commits = _commits(old, new, before, after)
    return ProofChange(wanted, fate, diff_of(before, after, *lines), commits)


def _fate(old: Package, new: Package, before: Symbol | None, after: Symbol | None, marks: Sequence[Mark]) -> ProofFate:
    if before is None or after is None:
        return "absent" if before is after else "gone" if after is None else "new"
    if before.fingerprint == after.fingerprint:
        return "same"
    anchored = {place for mark in marks for place in places_of(before, mark)}
    there = {place for mark in marks for place in places_of(after, mark)}
    if not anchored and not there:
        return "changed"
    lines_before, lines_after = _lines(old, before), _lines(new, after)
    touched = depends(before, after, lines_before, anchored) or depends(after, before, lines_after, there)
    return "changed" if touched else "elsewhere"


def _lines(package: Package, symbol: Symbol | None) -> list[str]:
    return [] if symbol is None else package.texts[symbol.path].splitlines()


def _commits(old: SourceTree, new: SourceTree, before: Symbol | None, after: Symbol | None) -> tuple[Commit, ...]:
    """Return the commits between two states of one repository that changed a symbol."""
    between = old.commits_to(new, [symbol.path for symbol in (before, after) if symbol is not None], _MOST_COMMITS)
    name = (before or after).name if before or after else ""  # type: ignore[union-attr]
    return tuple(commit for commit in between if _touches(new, commit, name))


def _touches(tree: SourceTree, commit: Commit, name: str) -> bool:
    """Tell whether a commit changed a symbol in one of the files that it changed."""
    for path in commit.paths:
        said = [_said(tree.text_at(state, path), path, name) for state in (f"{commit.id}^", commit.id)]
        if said[0] != said[1]:
            return True
    return False


def _said(text: str | None, path: str, name: str) -> str | None:
    """Return the fingerprint of a symbol in a file; None where it is not in it, or the file can't be parsed."""
    try:
        symbol = None if text is None else read_module(path, text).symbols.get(name)
    except (SyntaxError, ValueError):
        return None
    return None if symbol is None else symbol.fingerprint
