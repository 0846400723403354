"""The committed locks against the releases that they speak of."""

from __future__ import annotations

from functools import cache

import pytest
from folders import ROOT
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.locks.anchor_marks import Found
from rlmetrics.codegen.locks.fetch import open_release
from rlmetrics.codegen.locks.ledger import Ledger
from rlmetrics.codegen.locks.lock import Lock
from rlmetrics.codegen.locks.lock_check import check_component, differences
from rlmetrics.codegen.locks.lock_text import write_lock
from rlmetrics.codegen.locks.of_spec import components_of
from rlmetrics.codegen.locks.packages import Package

SAMPLE = [("trl", "0.11.4"), ("trl", "0.18.2"), ("trl", "1.16.0"), ("verl", "0.9.1")]


@cache
def _package(framework: str, release: str) -> Package:
    return open_release(framework, release, None, ROOT / ".cache" / "wheels")


def _locks(framework: str, release: str) -> list[Lock]:
    ledger = Ledger(ROOT / "spec" / "locks" / framework, framework)
    stems = [path.stem for path in sorted(ledger.folder.glob("*.lock")) if path.stem not in ("framework", "dates")]
    return [lock for lock in map(ledger.lock, stems) if release in lock.releases]


@pytest.mark.parametrize(("framework", "release"), SAMPLE)
def test_locks_hold_for_a_sample_of_releases(framework: str, release: str) -> None:
    """Every anchor stands on its line, and every watched symbol has its fingerprint."""
    found = [line for lock in _locks(framework, release) for line in differences(lock, _package(framework, release))]
    assert found == []


@pytest.mark.parametrize(("framework", "release"), SAMPLE)
def test_a_shift_by_one_statement_is_noticed_for_every_anchor(framework: str, release: str) -> None:
    """Each anchor of a release is moved to the statement beside its own; none goes unnoticed."""
    package = _package(framework, release)
    shifted = 0
    for lock in _locks(framework, release):
        moved = Lock(lock.package, lock.component, [release], {}, lock.common)
        names = sorted(name for name in lock.anchors() if lock.found(name, release))
        for name in names:
            moved.anchor(name, release, [_beside(package, item) for item in lock.found(name, release)])
        noticed = {line.partition(":")[0] for line in differences(moved, package)}
        assert set(names) == noticed & set(names)
        shifted += len(names)
    assert shifted > 100


def _beside(package: Package, item: Found) -> Found:
    module = package.module(item.path)
    assert module is not None
    statements = module.symbols[item.mark.symbol].statements
    lines = sorted({statement.first - statements[0].first for statement in statements})
    place = lines.index(item.offsets[0])
    other = lines[place + 1] if place + 1 < len(lines) else lines[place - 1] if place else lines[0] + 1
    return item._replace(offsets=(other,))


@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_every_fact_is_proven_in_every_release_of_its_range(framework: str) -> None:
    """By an anchor of its own or of its key, as far as it has one in the framework's own package."""
    spec = load(ROOT / "spec")
    order = [item.release for item in spec.frameworks[framework].framework.releases]
    ledger = Ledger(ROOT / "spec" / "locks" / framework, framework)
    problems = [
        (stem, problem.message)
        for stem, component in components_of(spec, framework).items()
        for problem in check_component(component, lambda package, stem=stem: ledger.lock(stem, package), order)  # type: ignore[misc]
    ]
    assert problems == []


@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_locks_are_as_the_machine_writes_them(framework: str) -> None:
    """Nobody edited one: reading and writing gives the same text, and all of them stay small."""
    ledger = Ledger(ROOT / "spec" / "locks" / framework, framework)
    size = 0
    for path in sorted(path for path in ledger.folder.rglob("*.lock") if path.name != "dates.lock"):
        package = framework if path.parent == ledger.folder else path.parent.name
        text = path.read_text(encoding="utf-8")
        assert text == write_lock(ledger.lock(path.stem, package)), path
        size += len(text)
    assert size < 3_500_000
