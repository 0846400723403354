"""Which code decides verdicts, and what of it counts."""

from __future__ import annotations

from pathlib import Path

import pytest
from rlmetrics.codegen import judged_lock
from rlmetrics.codegen.judged_lock import code_digest, code_files

OWN = Path(judged_lock.__file__).parent / "judge"


def test_whatever_computes_a_number_of_a_step_is_part_of_it() -> None:
    """Every module of the judge, of the recipes that it follows, and of the evaluator that it calls."""
    names = {path.stem for path in code_files()}

    assert names >= {path.stem for path in OWN.glob("*.py")}
    assert names >= {"recipes", "words", "_evaluate", "_lists", "_parse", "_scalars", "constancy", "value_ranges"}


@pytest.mark.parametrize(
    ("code", "is_the_same"),
    [
        ('"""Adds."""\nx = f"a {1:g} {{b}}"  # as it was\n', True),
        ('"""Adds up."""\n\n# what follows\nx = f"a {1:g} {{b}}"\n', True),
        ('"""Adds."""\nx = f"a {1:e} {{b}}"\n', False),
        ('"""Adds."""\nx = (\n    f"a {1:g} {{b}}"\n    "c"\n)\n', False),
        ('"""Adds."""\ny = f"a {1:g} {{b}}"\n', False),
    ],
    ids=["same", "comments", "format", "text", "name"],
)
def test_comments_docstrings_and_layout_do_not_count(
    code: str, is_the_same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever words a comment anew has nothing to judge again; each other word counts."""
    path = tmp_path / "code.py"
    monkeypatch.setattr(judged_lock, "code_files", lambda: [path])
    path.write_text('"""Adds."""\nx = f"a {1:g} {{b}}"\n', encoding="utf-8")
    before = code_digest()

    path.write_text(code, encoding="utf-8")

    assert (code_digest() == before) is is_the_same


def test_the_judge_needs_no_torch() -> None:
    """Neither it nor what it computes with imports PyTorch."""
    texts = [path.read_text(encoding="utf-8") for path in code_files()]

    assert [text for text in texts if "\nimport torch" in text or "\nfrom torch" in text] == []
