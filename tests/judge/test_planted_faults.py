"""Faults that the spec once had are planted again in a copy of it: the judge refuses each, with the step as proof."""

from __future__ import annotations

import re
import shutil
from typing import NamedTuple

import pytest
from folders import ROOT
from rlmetrics.codegen.judge.spec_judge import SentenceJudge
from rlmetrics.codegen.lint.carried import Carried
from rlmetrics.codegen.lint.context import Context
from rlmetrics.codegen.lint.sentences import Sentence, sentences
from rlmetrics.codegen.loader import load

GRPO = "frameworks/trl/grpo_trainer"


class Fault(NamedTuple):
    """What is planted, and which sentence is refused then.

    Attributes:
        file: The file.
        found: What stands there.
        planted: What takes its place.
        kind: Of the sentence.
        place: Where it stands, or what it is about, as a part of its place.
    """

    file: str
    found: str
    planted: str
    kind: str
    place: str


PLANTED = {
    "a mean over tokens is said to be 0": Fault(
        f"{GRPO}/loss",
        r"(    when: )policy_part_cancels and beta == 0 and not entropy_bonus\n",
        r"\g<1>beta == 0 and not entropy_bonus\n",
        "reading",
        "grpo_trainer:shared.",
    ),
    "a share of clipped tokens that cannot change, and nothing says so": Fault(
        GRPO,
        r"  - \{keys: \[clip_ratio/\*\], name: ratio_is_one, releases: 0\.25\.0\.\.[^}]*\}\n",
        "",
        "varies",
        "policy/clip_fraction_low",
    ),
    "the ratio of CISPO is said to be within its cap": Fault(
        GRPO,
        r"(name: ratio_is_one, releases: 0\.26\.0\.\.), when: loss_type != 'cispo'(, constant_when: &ratio)",
        r"\1\2",
        "constant",
        "grpo_trainer:shared",
    ),
    "the share that ended is read as the share that did not": Fault(
        "frameworks/trl/online_dpo_trainer",
        r"(\n  val/contain_eos_token:\n)",
        r"\1    reads: [{value: 1, level: warning, shown_by: [all_truncated], says: '{value} means cut off.'}]\n",
        "reading",
        "online_dpo_trainer:keys.val/contain_eos_token",
    ),
    "a number that is not available is said to be never negative": Fault(
        "frameworks/verl/timing",
        r"    traits: \[minus_one_if_not_reported\]\n",
        "",
        "range",
        "interaction/preemptions/",
    ),
    "where groups are tied, rewards are said to differ": Fault(
        "metrics/reward",
        r"(        level: expected\n        shown_by: \[)usual(\]\n        says: >-\n          \{value\} is good)",
        r"\1groups_tied\2",
        "reading",
        "reward/zero_std_fraction",
    ),
}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[SentenceJudge, list[Sentence]]:
    """A copy of the spec with all faults, its judge, and its sentences."""
    root = tmp_path_factory.mktemp("planted") / "spec"
    shutil.copytree(ROOT / "spec", root, ignore=shutil.ignore_patterns("locks", "*.lock"))
    (root / "locks").symlink_to(ROOT / "spec" / "locks")
    for fault in PLANTED.values():
        path = root / f"{fault.file}.yaml"
        text, count = re.subn(fault.found, fault.planted, path.read_text(encoding="utf-8"), count=1)
        assert count == 1, f"{fault.file} does not say {fault.found}"
        path.write_text(text, encoding="utf-8")
    context = Context(load(root))
    carried = Carried(context)
    return SentenceJudge(context, carried), sentences(context, carried)


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_that_is_planted_again_is_refused(name: str, planted: tuple[SentenceJudge, list[Sentence]]) -> None:
    """With the step and the number that contradict."""
    judge, told = planted
    fault = PLANTED[name]
    asked = [one for one in told if one.kind == fault.kind and fault.place in one.place]

    verdicts = [verdict for one in asked if (verdict := judge.verdict(one)).answer == "refused"]

    assert verdicts
    assert all(" in the step (" in verdict.why for verdict in verdicts)
