"""What an earlier run left never shows in what is generated: after any edit it is what a run from nothing writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from generate_support import make_checkout
from rlmetrics.codegen.generate import ready_answers
from rlmetrics.codegen.generate.rendering import render

TRAINER, FRAMEWORK = "frameworks/demo/trainer.yaml", "frameworks/demo/framework.yaml"

EDITS = {
    "a note of one key": (TRAINER, "as it moves.", "as it moves on."),
    "a brief": ("metrics/kl.yaml", "brief: Histogram of the log-ratio.", "brief: All values of the log-ratio."),
    "a trait's wording": ("signatures.yaml", "padding positions are part", "positions of padding are part"),
    "the default of a setting": (TRAINER, "defaults: [{value: 0.1}]", "defaults: [{value: 2.0}]"),
    "an alias": ("metrics/kl.yaml", "aliases: [policykl]", "aliases: [policykl, my_kl]"),
    "what a fact changes": (TRAINER, "metric: kl/old/k1}", "metric: kl/old/k1, notes: Without a limit.}"),
    "when a key is logged": (TRAINER, "logged_when: beta != 0", "logged_when: beta > 0"),
    "a key": (TRAINER, "  rewards/{name}/spread:", "  policy/far: {metric: kl/old/k1}\n  rewards/{name}/spread:"),
    "a name of a key": (TRAINER, "policy/far:", "policy/farther:"),
    "a release": (FRAMEWORK, 'date: "2025-03-01"}', 'date: "2025-03-01"}\n  - {release: "1.3", date: "2025-04-01"}'),
    "the releases of a component": (TRAINER, "releases: 1.0..1.2", "releases: 1.0..1.3"),
    "a title": (FRAMEWORK, "title: Demo", "title: Demonstration"),
}
"""What is edited one after the other: file, old and new text."""

KEPT = ("a note of one key", "a brief", "a trait's wording", "what a fact changes")
"""What concerns only some answers."""


def rendered(root: Path, cache: Path | None) -> dict[str, str]:
    """Return all outputs by path."""
    found = render(root, (), cache)
    assert not [finding for finding in found.findings if finding.level == "error"]
    return {output.path: output.text for output in found.outputs}


def test_what_is_kept_makes_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After edits of every kind, each on top of what the runs before it left; and some answers are taken from there."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.setattr(ready_answers, "_KEYS", 1)
    asked: list[ready_answers._Unit] = []
    answer = ready_answers._answer

    def noted(unit: ready_answers._Unit) -> ready_answers._Answered:
        asked.append(unit)
        return answer(unit)

    monkeypatch.setattr(ready_answers, "_answer", noted)
    root, cache = make_checkout(tmp_path), tmp_path / "cache"
    trainer = root / "spec" / TRAINER
    trainer.write_text(
        trainer.read_text().replace("kl/old/clipped\n", "kl/old/clipped\n    notes: It is cut as it moves.\n")
    )
    before = rendered(root, cache)
    for what, (name, old, new) in EDITS.items():
        path = root / "spec" / name
        text = path.read_text()
        assert text.count(old) == 1, what
        path.write_text(text.replace(old, new))
        asked.clear()
        found = rendered(root, cache)
        anew = len(asked)

        assert rendered(root, None) == found, what
        assert found != before, what
        if what in KEPT:
            assert 0 < anew < len(asked) - anew, what
        before = found
    asked.clear()

    assert rendered(root, cache) == before
    assert asked == []
