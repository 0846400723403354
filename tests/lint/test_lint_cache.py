"""What lint keeps for the next run changes how long it takes, and nothing else."""

from __future__ import annotations

import random

from lint.spec_text import SpecText
from rlmetrics.codegen.lint import CHECKS, TracedContext, lint
from rlmetrics.codegen.lint.tracing import trace
from rlmetrics.codegen.loader import read


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
    assert parts["facts-disagree"] == {"frameworks", "locks"}  # which hold anchors and defaults
    assert parts["formula"] == {"metrics", "inputs.yaml"}
    assert {"metrics", "frameworks", "trackers", "signatures.yaml"} <= parts["broken-reference"]
