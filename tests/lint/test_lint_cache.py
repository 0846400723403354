"""What lint keeps for the next run changes how long it takes, and nothing else."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lint.lint_case import Edit
from lint.spec_text import BASE, MARK, SpecText
from lint.test_lint_checks import CASES
from rlmetrics.codegen.lint import CHECKS, TracedContext, lint
from rlmetrics.codegen.lint.tracing import trace
from rlmetrics.codegen.linted import linted
from rlmetrics.codegen.loader import read

EDITS = [edits for case in CASES for edits in (case.bad, case.good) if edits]


def apply(root: Path, edits: Sequence[Edit]) -> None:
    """Apply edits to a fresh copy of the base spec at the same place."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(BASE, root)
    for file, old, new in edits:
        path = root / f"{file}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text((text.replace(old, new) if old else text + new).replace(MARK, ""), encoding="utf-8")


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(st.sampled_from(range(len(EDITS))), min_size=2, max_size=6))
def test_kept_results_are_those_of_a_cold_run(tmp_path_factory: pytest.TempPathFactory, numbers: list[int]) -> None:
    """After any sequence of edits, of all kinds that checks look at, findings are those of a run without cache."""
    folder = tmp_path_factory.mktemp("kept")
    root = folder / "spec"
    for number in numbers:
        apply(root, EDITS[number])

        assert lint(root) == lint(root, (), folder / "cache")
        assert lint(root) == linted(folder)


def test_a_damaged_cache_is_no_cache(spec: SpecText) -> None:
    """Whatever happens to the files of the cache, the findings stay the same."""
    cache = spec.root.parent / "cache"
    spec.edit("frameworks/acme/trainer", "penalised: beta != 0", "penalised: betta != 0")
    expected = lint(spec.root)
    lint(spec.root, (), cache)
    chance = random.Random(0)
    for path in cache.iterdir():
        content = path.read_bytes()
        for damaged in (b"", content[: len(content) // 2], chance.randbytes(200), content[:-1] + b"x"):
            path.write_bytes(damaged)
            assert lint(spec.root, (), cache) == expected


def test_overlays_take_part(spec: SpecText) -> None:
    """An edit of an overlay is noticed, and results with an overlay do not serve the spec without it."""
    cache = spec.root.parent / "cache"
    overlay = spec.root.parent / "mine"
    (overlay / "metrics").mkdir(parents=True)
    own = overlay / "metrics" / "timing.yaml"
    for text in ("metrics:\n  timing/step: {}\n", "title: Mine\n"):
        own.write_text(text)
        assert lint(spec.root, [overlay]) == lint(spec.root, [overlay], cache)
        assert lint(spec.root) == lint(spec.root, (), cache)


def test_each_check_notes_what_it_reads(spec: SpecText) -> None:
    """A check of metrics alone does not run again for an edit of a framework, and the other way round."""
    read_spec, _ = read(spec.root)
    assert read_spec is not None
    context = TracedContext(read_spec)
    parts = {}
    for check in CHECKS:
        if check.run is not None:
            with trace() as noted:
                list(check.run(context))
            parts[check.id] = noted

    assert parts["equal-identity"] == {"metrics"}
    assert parts["facts-disagree"] == {"frameworks"}
    assert parts["formula"] == {"metrics", "inputs.yaml"}
    assert {"metrics", "frameworks", "trackers", "signatures.yaml"} <= parts["broken-reference"]
