"""Where anchors stand in each release, from the locks; apart from the other tables, since few questions need it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..cache import Shelf
from ..locks.contemporary import contemporary
from ..locks.ledger import SHARED, Ledger
from ..meaning import FrameworkScope, scope_of
from ..output.input_digest import digest_of, walk
from .data import Row, Table, row

if TYPE_CHECKING:
    from ..locks.lock import Lock
    from ..model import Framework
    from ..spec import FrameworkSpec, Spec

__all__ = ["proof_tables"]

_MADE_BY = ("rlmetrics.codegen.locks", "rlmetrics.codegen.meaning", "rlmetrics.names.tables.versions", __name__)
"""The code that decides what is kept."""


def proof_tables(spec: Spec, cache: Path | None = None) -> dict[str, Table]:
    """Return a table for each component file that declares anchors.

    Each has ``paths``, of modules; ``anchors``, by name the number of the path, the symbol and the fingerprint of each
    statement, with the lines after the symbol's first one and the releases in which it stands there; ``lines``, by path
    and symbol the symbol's first line in which releases. ``beside`` has for other packages the releases of theirs with
    which releases of the framework ran, and ``others`` by name the package of an anchor there, and for each path and
    symbol its line in each of these, 0 where it is not.

    Args:
        spec: The spec.
        cache: A folder that keeps the tables of each framework for as long as its releases, anchors and locks are the
            same.
    """
    shelf = Shelf(cache, "proofs", _MADE_BY)
    kept: Mapping[str, _Proofs] = shelf.load() or {}
    found: dict[str, _Proofs] = {}
    for name, framework in spec.frameworks.items():
        folder = spec.home(name) / "locks" / name
        read = _read(framework, folder)
        same = name in kept and kept[name].read == read
        found[name] = kept[name] if same else _Proofs(read, _of_framework(framework, folder))
    if any(kept.get(name) is not proofs for name, proofs in found.items()):
        shelf.keep(found)
    return {
        f"proofs/{name}/{stem}": Table(f"spec/locks/{name}/{stem}.lock", table)
        for name, proofs in found.items()
        for stem, table in proofs.tables.items()
    }


class _Proofs(NamedTuple):
    """The tables of a framework by file, and the digest of all that they follow from."""

    read: str
    tables: Mapping[str, Row]


def _read(spec: FrameworkSpec, folder: Path) -> str:
    """Return the digest of what the proofs of a framework follow from: its releases, its anchors, its locks."""
    about = spec.framework
    under = spec.base.under if spec.base is not None else None
    anchors = {stem: file.anchors for stem, file in spec.files.items()}
    parts = [repr((spec.releases, about.releases, under, about.beside, about.imported, anchors))]
    parts += (f"{label} {digest_of((folder / label).read_bytes())}" for label in sorted(walk(folder, "", (".lock",))))
    return digest_of("\n".join(parts).encode())


def _of_framework(spec: FrameworkSpec, folder: Path) -> dict[str, Row]:
    scope, ledger = scope_of(spec), Ledger(folder, spec.framework.imported)
    return {
        stem: _table(scope, stem, ledger, _Beside(spec.framework, ledger))
        for stem, file in spec.files.items()
        # What only another package computes is proven there alone.
        if file.anchors and any(ledger.path(stem, item.package).is_file() for item in scope.anchors(stem).values())
    }


class _Beside:
    """Releases of other packages that a framework's releases ran with.

    Args:
        framework: The framework.
        ledger: Its locks.
    """

    def __init__(self, framework: Framework, ledger: Ledger) -> None:
        self._framework = framework
        self._required = ledger.lock(SHARED).tables.get(("requires", ""), {})

    def of(self, package: str, lock: Lock) -> dict[str, str]:
        """Return the other package's release for each of the framework's, among those that a lock knows."""
        dates = self._framework.beside.get(package, {})
        asked: dict[str, list[str]] = {}
        for text, releases in self._required.get(package, {}).items():
            for release in releases:
                asked.setdefault(release, []).append(text)
        dated = [(item.release, item.date) for item in self._framework.releases]
        return contemporary(dated, {name: dates.get(name, "") for name in lock.releases}, asked)


def _table(scope: FrameworkScope, stem: str, ledger: Ledger, around: _Beside) -> Row:
    own = ledger.lock(stem)
    declared = scope.anchors(stem)
    anchors: dict[str, list[Any]] = {}
    used: dict[str, set[str]] = {}
    for path, table in own.subjects("anchors"):
        for name, values in table.items():
            if name not in declared:
                continue
            used.setdefault(path, set())
            statements: dict[tuple[str, str], list[Any]] = {}
            for value, releases in values.items():
                symbol, said, offsets = value.split(" ")
                used[path].add(symbol)
                place = [[int(offset) for offset in offsets.split(",")], _ranges(scope, releases)]
                statements.setdefault((symbol, said), []).append(place)
            number = list(used).index(path)
            anchors.setdefault(name, []).extend([number, *place, places] for place, places in statements.items())
    lines = {path: _lines(scope, own, path, symbols) for path, symbols in sorted(used.items())}
    others: dict[str, Any] = {}
    beside: dict[str, Any] = {}
    for package in sorted({item.package for item in declared.values()} - {ledger.package}):
        lock = ledger.lock(stem, package)
        ran: dict[str, set[str]] = {}
        for release, version in around.of(package, lock).items() if lock.releases else ():
            ran.setdefault(version, set()).add(release)
        # The newest stands last: what no release has that was current is cited from it.
        versions = [name for name in lock.releases if name in ran or name == lock.releases[-1]]
        found = {name: places for name in declared if (places := _places(lock, name, versions))}
        if found:
            beside[package] = [[version, _ranges(scope, ran.get(version, set()))] for version in versions]
            others.update({name: [package, places] for name, places in found.items()})
    return row(paths=[*used], anchors=dict(sorted(anchors.items())), lines=lines, beside=beside, others=others)


def _places(lock: Lock, name: str, versions: Sequence[str]) -> list[list[Any]]:
    """Return where an anchor of another package stands: path, symbol, and its line in each release or 0."""
    found: dict[tuple[str, str], list[int]] = {}
    for index, version in enumerate(versions):
        for path, line in lock.places(name, version)[:1]:
            symbol = lock.found(name, version)[0].mark.symbol
            found.setdefault((path, symbol), [0] * len(versions))[index] = line
    return [[path, symbol, lines] for (path, symbol), lines in found.items()]


def _lines(scope: FrameworkScope, lock: Lock, path: str, symbols: Iterable[str]) -> dict[str, list[Any]]:
    common = lock.common or lock
    table = common.tables.get(("lines", path), {})
    return {
        symbol: [[int(line), _ranges(scope, releases)] for line, releases in table.get(symbol, {}).items()]
        for symbol in sorted(symbols)
    }


def _ranges(scope: FrameworkScope, releases: set[str]) -> list[str]:
    return scope.releases.ranges(scope.releases.bits(scope.releases.among(releases)))
