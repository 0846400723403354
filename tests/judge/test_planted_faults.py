"""Faults that the spec once had are planted again in a copy of it: the judge refuses each, with the step as proof."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from planted_spec import planted_spec
from rlmetrics.codegen.findings import SpecFinding
from rlmetrics.codegen.judge.spec_judge import SentenceJudge
from rlmetrics.codegen.lint import CHECKS, runner
from rlmetrics.codegen.lint.carried import Carried
from rlmetrics.codegen.lint.context import Context
from rlmetrics.codegen.lint.sentences import Sentence, sentences
from rlmetrics.codegen.loader import load

GRPO = "frameworks/trl/grpo_trainer"


class Fault(NamedTuple):
    """What is planted, and which sentence is refused then, or which check of lint refuses it.

    Attributes:
        file: The file.
        found: What stands there.
        planted: What takes its place.
        kind: Of the sentence; or the name of the check.
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
    "a loss that is a mean over tokens is said to start at 0": Fault(
        "metrics/loss",
        r"its policy part is about 0 in every\s+step where the loss is a mean per response,",
        "it starts at exactly 0,",
        "stated",
        "loss/total.description",
    ),
    "returns that hardly vary look explained, and nothing says so": Fault(
        "signatures/estimators",
        r"    reads:\n      - value: '0\.5\.\.1'\n(?:        .*\n)+(    does: unseen\n  distillation_term_added)",
        r"\1",
        "best",
        "value/explained_variance",
    ),
    "where groups are tied, rewards are said to differ": Fault(
        "metrics/reward",
        r"(        level: expected\n        shown_by: \[)usual(\]\n        says: >-\n          \{value\} is good)",
        r"\1groups_tied\2",
        "reading",
        "reward/zero_std_fraction",
    ),
}


LINTED = {
    "a pair with an empty response is said to make a share NaN that only compares": Fault(
        "frameworks/trl/orpo_trainer",
        r"log_odds_ratio\], traits: \[empty_rows_not_a_number\]",
        "log_odds_ratio, rewards/accuracies], traits: [empty_rows_not_a_number]",
        "trait-compared-away",
        "orpo_trainer",
    ),
    "a trait that others have, too, speaks of one trainer": Fault(
        "signatures/estimators",
        "over all classes instead of the one of the target",
        "over all classes (in SFT with loss_type chunked_nll only) instead of the one of the target",
        "trait-of-another",
        "trl/",
    ),
    "a trait of the reference stands on a number in which it has no part": Fault(
        "frameworks/trl/online_dpo_trainer",
        r"(\n  val/contain_eos_token:\n)",
        r"\1    traits: [reference_synced]\n",
        "trait-without-input",
        "online_dpo_trainer",
    ),
    "a bound is called documented that no document names": Fault(
        "health/rollout",
        r"    named: \[0\.5, 0\.3\]\n",
        "",
        "health-unnamed",
        "rollout",
    ),
    "a condition is spliced behind words that it does not complete": Fault(
        "frameworks/trl/sft_trainer",
        r"condition: if eval_dataset is",
        "condition: eval_dataset is",
        "condition-wording",
        "sft_trainer",
    ),
    "a number that cannot be negative is said to turn negative": Fault(
        "metrics/entropy",
        r"read it with the\n      mean length\.",
        "read it with the\n      mean length. It can turn negative.",
        "text-range",
        "entropy",
    ),
    "a share that is normally 0 is all of it, and nothing says so": Fault(
        "metrics/rollout",
        r"( Normally 0\.\n(?:.*\n)+?    reads:\n)      - value: '0\.5\.\.1'\n(?:        .*\n)+",
        r"\1",
        "untold-departure",
        "rollout",
    ),
    "numbers of weights before they are cut are said to be of those after it": Fault(
        "metrics/rollout",
        r"(brief: Mean over responses of each response's mean token weight)\.",
        r"\1, after truncation.",
        "text-excluded",
        "rollout",
    ),
    "the page says what 0 means, and the answer on 0 calls it unremarkable": Fault(
        "metrics/length",
        r"(At 0 no response has the end token, (?:.*\n)*?)    reads:\n(?:      .*\n)+",
        r"\1",
        "untold-value",
        "length",
    ),
}


def _planted(folder: Path, faults: Mapping[str, Fault]) -> Context:
    """Return a copy of the spec with faults."""
    changes = [(fault.file, fault.found, fault.planted) for fault in faults.values()]
    return Context(load(planted_spec(folder, changes, most=1)))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[SentenceJudge, list[Sentence]]:
    """The judge of a copy with all faults that steps show, and its sentences."""
    context = _planted(tmp_path_factory.mktemp("planted"), PLANTED)
    carried = Carried(context)
    return SentenceJudge(context, carried), sentences(context, carried)


@pytest.fixture(scope="module")
def linted(tmp_path_factory: pytest.TempPathFactory) -> list[SpecFinding]:
    """What lint says of a copy with the other faults."""
    context = _planted(tmp_path_factory.mktemp("linted"), LINTED)
    wanted = {fault.kind for fault in LINTED.values()}
    return runner.run(context.spec, [check for check in CHECKS if check.id in wanted], context)


@pytest.mark.parametrize("name", LINTED)
def test_a_fault_that_lint_sees_is_refused(name: str, linted: list[SpecFinding]) -> None:
    """As an error, in the file in which it stands."""
    fault = LINTED[name]

    found = [one for one in linted if one.id == fault.kind and fault.place in one.location.file]

    assert found
    assert {one.level for one in found} == {"error"}


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_that_is_planted_again_is_refused(name: str, planted: tuple[SentenceJudge, list[Sentence]]) -> None:
    """With the step and the number that contradict."""
    judge, told = planted
    fault = PLANTED[name]
    asked = [one for one in told if one.kind == fault.kind and fault.place in one.place]

    verdicts = [verdict for one in asked if (verdict := judge.verdict(one)).answer == "refused"]

    assert verdicts
    assert all(" in the step (" in verdict.why for verdict in verdicts)
