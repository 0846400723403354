"""What lint keeps for the next run changes how long it takes, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from lint.lint_case import Case
from lint.spec_text import SpecText
from lint.test_lint_checks import CASES, ids
from rlmetrics.codegen.cache import FOLDER
from rlmetrics.codegen.lint import lint
from rlmetrics.codegen.linted import linted


def test_a_damaged_cache_is_no_cache(spec: SpecText) -> None:
    """Whatever happens to the files of the cache, the findings stay the same."""
    checkout = spec.root.parent
    spec.edit("frameworks/acme/trainer", "penalised: beta != 0", "penalised: betta != 0")
    expected = lint(spec.root)
    linted(checkout)
    chance = random.Random(0)
    for path in (checkout / FOLDER).iterdir():
        content = path.read_bytes()
        for damaged in (b"", content[: len(content) // 2], chance.randbytes(200), content[:-1] + b"x"):
            path.write_bytes(damaged)
            assert linted(checkout) == expected


def test_overlays_take_part(spec: SpecText) -> None:
    """An edit of an overlay is noticed, and results with an overlay do not serve the spec without it."""
    checkout = spec.root.parent
    overlay = checkout / "mine"
    (overlay / "metrics").mkdir(parents=True)
    own = overlay / "metrics" / "timing.yaml"
    for text in ("metrics:\n  timing/step: {}\n", "title: Mine\n"):
        own.write_text(text)
        assert linted(checkout, [overlay]) == lint(spec.root, [overlay])
        assert linted(checkout) == lint(spec.root)


@pytest.mark.parametrize("case", random.Random(0).sample(CASES, 90), ids=ids)
def test_an_edit_after_an_edit_is_found(spec: SpecText, case: Case) -> None:
    """Whatever earlier runs kept, a fault that comes is found, and one that goes is found no more."""
    checkout = spec.root.parent
    files = {path: path.read_bytes() for path in spec.root.rglob("*") if path.is_file()}
    assert linted(checkout) == []
    spec.edits(case.bad)
    expected = lint(spec.root)
    assert linted(checkout) == expected
    assert linted(checkout, cached=False) == expected
    for path in [path for path in spec.root.rglob("*") if path.is_file() and path not in files]:
        path.unlink()
    for path, content in files.items():
        path.write_bytes(content)
    (checkout / FOLDER / "findings.pickle").unlink()
    assert linted(checkout) == []


def test_an_edit_of_a_text_runs_no_check_of_definitions_again(spec: SpecText) -> None:
    """What was found of definitions stays when only a text for readers changes, and goes when a definition does."""
    checkout = spec.root.parent
    linted(checkout)
    before = _kept(checkout)
    old, new = "    brief: Reward, averaged over responses.", "    brief: The mean reward of responses."
    spec.edit("metrics/policy", old, new)
    linted(checkout)
    assert _kept(checkout) == before
    spec.edit("metrics/policy", new, "    rev: 2\n    brief: The mean reward.")
    linted(checkout)
    assert _kept(checkout) != before


def _kept(checkout: Path) -> list[bytes]:
    return [(checkout / FOLDER / f"{name}.pickle").read_bytes() for name in ("hits_of_errors", "hits_of_others")]
