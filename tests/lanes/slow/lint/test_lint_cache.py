"""What lint keeps for the next run changes how long it takes, and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lint.lint_case import Edit
from lint.spec_text import BASE, MARK
from lint.test_lint_checks import CASES
from rlmetrics.codegen.lint import lint
from rlmetrics.codegen.linted import linted

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


@settings(max_examples=25)
@given(st.lists(st.sampled_from(range(len(EDITS))), min_size=2, max_size=6))
def test_kept_results_are_those_of_a_cold_run(tmp_path_factory: pytest.TempPathFactory, numbers: list[int]) -> None:
    """After any sequence of edits, of all kinds that checks look at, findings are those of a run without cache."""
    folder = tmp_path_factory.mktemp("kept")
    root = folder / "spec"
    for number in numbers:
        apply(root, EDITS[number])

        assert linted(folder) == lint(root)
