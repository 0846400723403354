"""What an earlier run left never shows in what is generated: after any edit it is what a run from nothing writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from generate_support import make_checkout
from rlmetrics.codegen.generate import ready_answers
from rlmetrics.codegen.generate.rendering import render
from rlmetrics.codegen.linted import linted

TRAINER, FRAMEWORK = "frameworks/demo/trainer.yaml", "frameworks/demo/framework.yaml"
KL, RETURN, CONVENTION = "metrics/kl.yaml", "metrics/return.yaml", "conventions/other.yaml"

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
    "a description": (KL, "Its tails say what the mean hides.", "Its tails tell what the mean hides."),
    "a formula": (KL, "formula: mean(bounded)", "formula: mean(abs(bounded))"),
    "the default of a parameter": (KL, "default: 0.5", "default: 0.25"),
    "a guard": (TRAINER, "when: beta > 1, scale: 1/beta", "when: beta > 2, scale: 1/beta"),
    "a named guard": (TRAINER, "keys:\n", "guards: {strong: beta > 2}\nkeys:\n"),
    "what names a guard": (TRAINER, "logged_when: beta > 0", "logged_when: strong"),
    "what a named guard says": (TRAINER, "strong: beta > 2", "strong: beta > 3"),
    "a group of facts": (
        TRAINER,
        "metric: return/group_spread}\n",
        "metric: return/group_spread, facts: [{groups: [halved]}]}\n"
        "groups: {halved: [{name: halved, when: beta > 4, scale: 1/2}]}\n",
    ),
    "what a group says": (TRAINER, "scale: 1/2", "scale: 1/3"),
    "a convention": (
        CONVENTION,
        "",
        "convention: other\ntitle: Other\nbrief: Other names.\nversion: '1'\nnames: [{name: x/kl, metric: kl/old/k1}]\n"
        "sources: [{title: A paper, url: 'https://example.org/a'}]\n",
    ),
    "a name in a convention": (CONVENTION, "name: x/kl", "name: x/old_kl"),
    "a language": ("texts/zh/glossary.yaml", "", "terms: {policy: 策略}\n"),
    "a translation": ("texts/zh/metrics/kl.yaml", "", "sentences: {KL divergence: KL 散度}\n"),
    "a word of a translation": ("texts/zh/metrics/kl.yaml", "KL 散度", "库尔贝克散度"),
    "a metric that is gone": (
        RETURN,
        """  return/longest:
    brief: Largest number of response tokens.
    description: Counted with the mask.
    unit: token
    identity: {quantity: length, of: responses, extent: sequence, statistic: max}
    population: sequences
    inputs: [mask]
    formula: max(seq_sum(where(mask, 1.0, 0.0)))
    atom: sequence
    empty: nan
""",
        "",
    ),
}
"""What is edited one after the other: file, old and new text; nothing old in a file that is new."""

KEPT = ("a note of one key", "a brief", "a trait's wording", "what a fact changes")
"""What concerns only some answers."""

UNUSED = "a named guard"
"""What nothing names yet, so that nothing else is generated."""


def rendered(root: Path, cache: Path | None) -> dict[str, str]:
    """Return all outputs by path."""
    found = render(root, (), cache)
    assert not [finding for finding in found.findings if finding.level == "error"]
    return {output.path: output.text for output in found.outputs}


def edit(path: Path, old: str, new: str) -> None:
    """Edit a file, or write one that is not there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text() if path.exists() else ""
    assert text.count(old) == 1, old
    path.write_text(text.replace(old, new))


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
        edit(root / "spec" / name, old, new)
        asked.clear()
        found = rendered(root, cache)
        anew = len(asked)

        assert rendered(root, None) == found, what
        assert linted(root) == linted(root, cached=False), what
        assert (found == before) == (what == UNUSED), what
        if what in KEPT:
            assert 0 < anew < len(asked) - anew, what
        before = found
    asked.clear()

    assert rendered(root, cache) == before
    assert asked == []
