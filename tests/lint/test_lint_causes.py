"""One mistake is shown once, and what follows from it is counted."""

from __future__ import annotations

from lint.spec_text import SpecText
from rlmetrics.codegen.excerpts import summary
from rlmetrics.codegen.findings import SpecFinding


def shown(findings: list[SpecFinding]) -> list[str]:
    """Return the checks of the findings that do not follow from others."""
    return [finding.id for finding in findings if not finding.follows]


def test_a_misspelt_definition_is_one_finding(spec: SpecText) -> None:
    """Every place that uses a metric misses it when its definition is misspelt: one is shown and names the others."""
    spec.edit("metrics/policy", "  policy/reward/mean:\n", "  policy/rewards/mean:\n")

    findings = spec.findings("broken-reference")

    assert 3 == len(findings)
    assert ["broken-reference"] == shown(findings)
    assert 2 == len(findings[0].related)
    assert "did you mean `policy/rewards/mean`? Or is that one misspelt?" == findings[0].fix
    assert "2 findings that follow from them are hidden" in summary(findings)


def test_a_misspelt_setting_hides_what_comes_of_it(spec: SpecText) -> None:
    """A guard over a setting that does not exist brings faults of its entry with it, and leaves the real one unused."""
    spec.edit("frameworks/acme/trainer", "scale: 1 / width", "scale: 1 / widht")

    findings = spec.findings()

    assert ["broken-reference"] == shown(findings)
    assert {"unused-name"} == {finding.id for finding in findings if finding.follows}


def test_independent_faults_are_all_shown(spec: SpecText) -> None:
    """Two mistakes in one entry are two findings where neither comes of the other."""
    spec.edit("metrics/policy", "formula: mean(rewards)", "formula: mean(rewardz)")
    spec.edit("metrics/policy", "range: [0, 1]", "range: [1, 0]")

    assert {"formula", "value-range"} == set(shown(spec.findings()))
