"""Checks that look at a checkout beside its spec: examples by hand, and what was generated last."""

from __future__ import annotations

import json

import pytest
import yaml
from lint.lint_case import P, metric
from lint.spec_text import SpecText
from rlmetrics.codegen.lint.checks.examples import FOLDER
from rlmetrics.codegen.lint.checks.similarity_checks import FOLDER as GENERATED
from rlmetrics.codegen.linted import linted

NEW = """
  policy/advantage/mean:
    brief: Advantage, averaged over response tokens.
    description: Says how the batch was whitened. Far from 0, the baseline is off.
    unit: "1"
    identity: {quantity: advantage, statistic: mean}
    population: response_tokens
    inputs: [advantages, mask]
    formula: mean(advantages)
    atom: token
    empty: nan
"""


@pytest.fixture
def checkout(spec: SpecText) -> SpecText:
    """The base spec with an example by hand for each of its metrics, and with tables that were generated."""
    folder = spec.root.parent / FOLDER
    folder.mkdir(parents=True)
    (folder / "tokens.yaml").write_text(
        "tensors:\n  advantages: [[1, 2, -9]]\ncases:\n"
        "  policy/loss:\n    with: {logprobs: [[0, 0, -9]]}\n    is: 0\n  policy/reward/mean: {is: 2}\n"
    )
    tables = spec.root.parent / GENERATED
    tables.mkdir(parents=True)
    (tables / "all.json").write_text(json.dumps({"policy/loss": 1, "policy/reward/mean": 1, "timing/step": 1}))
    return spec


def test_a_metric_without_an_example_gets_a_stub(checkout: SpecText) -> None:
    """The stub is YAML for the file that gives most of the inputs, with samples of those that it lacks."""
    assert checkout.findings("hand-computed") == []
    checkout.edit(P, "", NEW)

    (finding,) = checkout.findings("hand-computed")

    assert (finding.level, finding.location.file) == ("warning", "spec/metrics/policy.yaml")
    (note,) = finding.notes
    first, stub = note.split("\n")
    assert first == f"{FOLDER}/tokens.yaml has advantages already:"
    assert yaml.safe_load(stub) == {"policy/advantage/mean": {"with": {"mask": [[1, 1, 0], [1, 0, 0]]}, "is": "?"}}


def test_an_example_takes_the_finding_away(checkout: SpecText) -> None:
    """What the stub becomes is accepted; a kept result does not outlive it."""
    root = checkout.root.parent
    checkout.edit(P, "", NEW)
    file = checkout.root.parent / FOLDER / "tokens.yaml"

    found = [finding.id for finding in linted(root)]
    file.write_text(file.read_text() + "  policy/advantage/mean: {is: 3 / 2}\n")

    assert "hand-computed" in found
    assert "hand-computed" not in [finding.id for finding in linted(root)]


def test_a_new_metric_with_an_existing_formula_is_pointed_out(checkout: SpecText) -> None:
    """Names of steps and of parameters make no difference; the finding shows the existing metric."""
    same = NEW.replace("advantage/mean", "surrogate").replace("quantity: advantage", "quantity: surrogate")
    checkout.edit(
        P,
        "",
        same.replace("[advantages, mask]", "[logprobs, advantages, mask]").replace(
            "    formula: mean(advantages)",
            "    parameters:\n      limit: {default: 0.3, brief: X., source: {title: A paper}}\n"
            "    let:\n      product: -advantages * logprobs\n    formula: mean(clamp(product, -limit, limit))",
        ),
    )

    (finding,) = checkout.findings("similar-metric")

    assert finding.message == "`policy/surrogate` has the same formula as `policy/loss`"
    assert finding.level == "info"
    assert [place.location.file for place in finding.related] == ["spec/metrics/policy.yaml"]


def test_what_is_told_apart_is_not_pointed_out(checkout: SpecText) -> None:
    """A metric that names the other as a false friend has been thought about; so has one that was generated."""
    checkout.edit(
        P, "", NEW.replace("advantage/mean", "rewarded").replace("advantages", "rewards").replace(", mask", "")
    )
    checkout.edit(
        P, "    population: response_tokens\n    inputs: [rewards]", "    population: sequences\n    inputs: [rewards]"
    )
    assert len(checkout.findings("similar-metric")) == 1
    before = (checkout.root / f"{P}.yaml").read_text()

    checkout.edit(P, "", "    false_friends: [{metric: policy/reward/mean, why: That one is older.}]\n")
    assert checkout.findings("similar-metric") == []

    (checkout.root / f"{P}.yaml").write_text(before)
    tables = checkout.root.parent / GENERATED / "all.json"
    tables.write_text(tables.read_text().replace("timing/step", "policy/rewarded"))
    assert "`policy/rewarded`" not in " ".join(finding.message for finding in checkout.findings("similar-metric"))


def test_metrics_with_similar_names_are_pointed_out(checkout: SpecText) -> None:
    """A new metric that is called almost like one of another family is shown with it."""
    checkout.edit(
        "metrics/policy2", "", "family: policy2\ntitle: X\ndescription: Y.\nmetrics:\n" + metric("policy2/loss")
    )

    (finding,) = checkout.findings("similar-metric")

    assert finding.message == "`policy2/loss` is named almost like `policy/loss`"
