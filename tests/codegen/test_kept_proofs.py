"""Tables of proofs that an earlier run kept are those that would be made: until a lock changes."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path

from rlmetrics.codegen.loader import read
from rlmetrics.codegen.spec import Spec
from rlmetrics.codegen.tables.data import Table
from rlmetrics.codegen.tables.proof_table import proof_tables

SPEC = Path(__file__).parents[2] / "spec"
FRAMEWORK = "skyrl"


def _spec(root: Path) -> Spec:
    spec, findings = read(root, ())
    assert spec is not None
    assert not findings
    return dataclasses.replace(spec, frameworks={FRAMEWORK: spec.frameworks[FRAMEWORK]})


def _made(tables: dict[str, Table]) -> dict[str, tuple[str, object]]:
    return {name: (table.source, table.data) for name, table in tables.items()}


def test_kept_proofs_are_those_that_would_be_made(tmp_path: Path) -> None:
    """Kept while only words change, and made anew after a lock says otherwise; in both cases as without a cache."""
    root, cache = tmp_path / "spec", tmp_path / "cache"
    shutil.copytree(SPEC, root)
    first = _made(proof_tables(_spec(root), cache))
    assert first
    assert first == _made(proof_tables(_spec(root)))
    kept = (cache / "proofs.pickle").read_bytes()

    title = root / "frameworks" / FRAMEWORK / "framework.yaml"
    title.write_text(re.sub(r"(?m)^title: .*$", "title: Another title", title.read_text(encoding="utf-8"), count=1))
    again = _made(proof_tables(_spec(root), cache))

    assert again == first
    assert (cache / "proofs.pickle").read_bytes() == kept

    lock = root / "locks" / FRAMEWORK / "framework.lock"
    text = lock.read_text(encoding="utf-8")
    first_lines = re.compile(r"(?m)^([\w.]+\t)(\d+)(?=\t)")
    moved = first_lines.sub(lambda found: f"{found[1]}{int(found[2]) + 7}", text)
    assert moved != text
    lock.write_text(moved, encoding="utf-8")
    spec = _spec(root)

    changed = _made(proof_tables(spec, cache))

    assert changed == _made(proof_tables(spec))
    assert changed != first
    assert changed == _made(proof_tables(spec, cache))
