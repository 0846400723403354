"""Where anchors stand in each release, from the locks; apart from the other tables, since few questions need it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..locks.ledger import Ledger
from ..meaning import FrameworkScope, scope_of
from .data import Row, Table, row

if TYPE_CHECKING:
    from ..locks.lock import Lock
    from ..spec import Spec

__all__ = ["proof_tables"]


def proof_tables(spec: Spec) -> dict[str, Table]:
    """Return a table for each component file that declares anchors.

    Each has ``anchors``, by name the path, symbol, lines after the symbol's first one, releases and
    fingerprint of each statement;
    ``lines``, by path and symbol the symbol's first line in which releases; and ``others``, by name the package, its
    newest release with the statement, path, line and symbol, of anchors in other packages.
    """
    tables: dict[str, Table] = {}
    for name, framework in spec.frameworks.items():
        scope = scope_of(framework)
        folder = spec.root / "locks" / name
        ledger = Ledger(folder, framework.framework.package)
        for stem, file in framework.files.items():
            if file.anchors and ledger.path(stem).is_file():
                tables[f"proofs/{name}/{stem}"] = Table(f"spec/locks/{name}/{stem}.lock", _table(scope, stem, ledger))
    return tables


def _table(scope: FrameworkScope, stem: str, ledger: Ledger) -> Row:
    own = ledger.lock(stem)
    declared = scope.anchors(stem)
    anchors: dict[str, list[Any]] = {}
    used: dict[str, set[str]] = {}
    for path, table in own.subjects("anchors"):
        for name, values in table.items():
            if name in declared:
                for value, releases in values.items():
                    symbol, said, offsets = value.split(" ")
                    used.setdefault(path, set()).add(symbol)
                    rows = [
                        path,
                        symbol,
                        [int(offset) for offset in offsets.split(",")],
                        _ranges(scope, releases),
                        said,
                    ]
                    anchors.setdefault(name, []).append(rows)
    lines = {path: _lines(scope, own, path, symbols) for path, symbols in sorted(used.items())}
    others = {}
    for package in sorted({item.package for item in declared.values()} - {ledger.package}):
        lock = ledger.lock(stem, package)
        for name in declared:
            newest = next((release for release in reversed(lock.releases) if lock.places(name, release)), None)
            if newest is not None:
                path, line = lock.places(name, newest)[0]
                others[name] = [package, newest, path, line, lock.found(name, newest)[0].mark.symbol]
    return row(anchors=dict(sorted(anchors.items())), lines=lines, others=others)


def _lines(scope: FrameworkScope, lock: Lock, path: str, symbols: Iterable[str]) -> dict[str, list[Any]]:
    common = lock.common or lock
    table = common.tables.get(("lines", path), {})
    return {
        symbol: [[int(line), _ranges(scope, releases)] for line, releases in table.get(symbol, {}).items()]
        for symbol in sorted(symbols)
    }


def _ranges(scope: FrameworkScope, releases: set[str]) -> list[str]:
    return scope.releases.ranges(scope.releases.bits({name for name in releases if name in scope.releases}))
