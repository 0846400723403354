"""One mistake is shown once, and what follows from it is counted."""

from __future__ import annotations

import pytest
from lint.spec_text import BASE, SpecText
from rlmetrics.codegen.excerpts import summary
from rlmetrics.codegen.findings import SpecFinding

NO_YAML = "\n: : [\n"


def shown(findings: list[SpecFinding]) -> list[str]:
    """Return the checks of the findings that do not follow from others."""
    return [finding.id for finding in findings if not finding.follows]


def test_a_misspelt_definition_is_one_finding(spec: SpecText) -> None:
    """Every place that uses a metric misses it when its definition is misspelt: one is shown and names the others."""
    spec.edit("metrics/policy", "  policy/reward/mean:\n", "  policy/rewards/mean:\n")

    findings = spec.findings("broken-reference")

    assert len(findings) == 3
    assert shown(findings) == ["broken-reference"]
    assert len(findings[0].related) == 2
    assert findings[0].fix == (
        "did you mean `policy/rewards/mean`? Or is that one misspelt? If the metric has a new name, give it the old "
        "one back and run `rlmetrics rename policy/reward/mean policy/rewards/mean`, which writes every place."
    )
    assert "2 findings that follow from them are hidden" in summary(findings)


def test_a_misspelt_setting_hides_what_comes_of_it(spec: SpecText) -> None:
    """A guard over a setting that does not exist brings faults of its entry with it, and leaves the real one unused."""
    spec.edit("frameworks/acme/trainer", "scale: 1 / width", "scale: 1 / widht")

    findings = spec.findings()

    assert shown(findings) == ["broken-reference"]
    assert {finding.id for finding in findings if finding.follows} == {"unused-name"}


def test_independent_faults_are_all_shown(spec: SpecText) -> None:
    """Two mistakes in one entry are two findings where neither comes of the other."""
    spec.edit("metrics/policy", "formula: mean(rewards)", "formula: mean(rewardz)")
    spec.edit("metrics/policy", "range: [0, 1]", "range: [1, 0]")

    assert set(shown(spec.findings())) == {"formula", "value-range"}


@pytest.mark.parametrize(
    "file", sorted(path.relative_to(BASE).with_suffix("").as_posix() for path in BASE.rglob("*.yaml"))
)
def test_a_file_that_is_no_yaml_is_one_finding(spec: SpecText, file: str) -> None:
    """What other files say of what it defines is not judged before it can be read."""
    spec.edit(file, "", NO_YAML)

    assert [check for check in shown(spec.findings()) if check != "missing-text"] == ["yaml-syntax"]
