"""What lint keeps for the next run changes how long it takes, and nothing else."""

from __future__ import annotations

import random

from lint.spec_text import SpecText
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
