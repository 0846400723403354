"""Sentences that were once wrong are planted again in a copy of the spec, and lint refuses each, with the step."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.codegen.findings import SpecFinding
from rlmetrics.codegen.judge.spec_judge import judge_spec, refuted
from rlmetrics.codegen.lint.context import Context
from rlmetrics.codegen.loader import load

IDENTITY = (
    "    identity: {quantity: kl_divergence, distributions: [rollout, old], estimator: k1, extent: token, "
    "statistic: mean}\n"
)
DIVERGENCE = "    metric: kl/reference/k3\n    profile: update_per_rank\n"
TURNED = "    scale: -1.0\n    offset: 1.0\n"
PLANTED: dict[str, tuple[str, str, str, str]] = {
    "a GRPO loss of 0 is expected where tokens are averaged": (
        "frameworks/trl/grpo_trainer",
        '    - {releases: ..0.15.2, when: "true"}\n    - {releases: 0.17.0, when: num_iterations == 1 and loss_type ==',
        '    - {releases: ..0.16.1, when: "true"}\n    - {releases: 0.17.0, when: num_iterations == 1 and loss_type ==',
        "trl[GRPOTrainer]==0.16.1 loss",
    ),
    "1 means that every response was cut off, of the share of those that ended": (
        "frameworks/trl/online_dpo_trainer",
        f"{TURNED}    at: [val.contain_eos_token.append",
        f"{TURNED}    reads:\n      - {{value: 1, level: warning, shown_by: [all_truncated], "
        "says: '{value} means that every response was cut off.'}\n    at: [val.contain_eos_token.append",
        "val/contain_eos_token is 0 in the step (all_truncated",
    ),
    "a count that stands for no number is never negative": (
        "signatures/defects",
        "    reads:\n      - value: '< 0'\n        level: info\n        shown_by: [not_reported]\n        says: >-\n"
        "          {value} means that the number is not available: -1 stands where the engine does not report it.\n",
        "",
        "below 0",
    ),
    "a mean log-ratio is never negative": (
        "metrics/kl",
        IDENTITY,
        f"    range: [0, null]\n{IDENTITY}",
        "below 0",
    ),
    "a divergence is constant with one update": (
        "frameworks/trl/grpo_trainer",
        f"{DIVERGENCE}    at: [per_token_kl",
        f"{DIVERGENCE}    constant_when: [0 when num_iterations == 1]\n    at: [per_token_kl",
        "not 0",
    ),
    "0 is the ideal of a correlation": (
        "metrics/rollout",
        "      - value: 1\n        level: expected\n        shown_by: [engines_agree]\n",
        "      - value: 0\n        level: expected\n        shown_by: [engines_agree]\n",
        "training/rollout_act",
    ),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[SpecFinding]:
    """What is refused in a copy of the spec with all of them; only what they touch is judged anew."""
    root = tmp_path_factory.mktemp("planted") / "spec"
    shutil.copytree(ROOT / "spec", root)
    for file, old, new, _ in PLANTED.values():
        path = root / f"{file}.yaml"
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{file} has no {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
    context = Context(load(root))
    judge_spec(context)
    return refuted(context)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_sentence_is_refused(name: str, found: list[SpecFinding]) -> None:
    """In its file, with the number that refutes it."""
    file, _, _, says = PLANTED[name]
    places = {finding.location.file: finding for finding in found if says in finding.message}

    assert places, [finding.message for finding in found]
    if not file.startswith("signatures"):  # what is refused there is the range of the metric
        assert any(place.startswith(f"spec/{file}") for place in places)  # or in a part of it, where a record names it


def test_nothing_else_is_refused(found: list[SpecFinding]) -> None:
    """The spec itself has none, and a sentence that nobody planted is not touched."""
    assert refuted(Context(load(Path(ROOT) / "spec"))) == []
    unplanted = [item.message for item in found if not any(says in item.message for *_, says in PLANTED.values())]
    assert unplanted == []
