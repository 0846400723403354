"""Every check finds what it is for, at the exact place, and leaves alone what merely looks like it."""

from __future__ import annotations

import pytest
from lint import (
    cases_formulas,
    cases_frameworks,
    cases_guards,
    cases_health,
    cases_mentions,
    cases_metrics,
    cases_names,
    cases_reading,
    cases_records,
    cases_references,
    cases_releases,
    cases_repeated,
    cases_sources,
    cases_templates,
    cases_texts,
)
from lint.lint_case import Case
from lint.spec_text import SpecText
from rlmetrics.codegen.lint import CHECKS

CASES = [
    *cases_references.CASES,
    *cases_mentions.CASES,
    *cases_metrics.CASES,
    *cases_formulas.CASES,
    *cases_names.CASES,
    *cases_health.CASES,
    *cases_frameworks.CASES,
    *cases_records.CASES,
    *cases_releases.CASES,
    *cases_guards.CASES,
    *cases_repeated.CASES,
    *cases_sources.CASES,
    *cases_templates.CASES,
    *cases_reading.CASES,
    *cases_texts.CASES,
]


def ids(case: Case) -> str:
    """A readable test id."""
    return f"{case.check}-{case.says}"


def test_the_base_spec_is_clean(spec: SpecText) -> None:
    """Nothing is found in a spec that is right, so every finding below comes from the edit."""
    assert spec.findings() == []


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_check_finds_the_fault_at_its_place(spec: SpecText, case: Case) -> None:
    """The edit gives one finding of the check, exactly at the mark, that says what is wrong and how to fix it."""
    spec.edits(case.bad)

    found = spec.findings(case.check)

    assert spec.marks == [finding.location for finding in found]
    assert case.says in found[0].message
    assert {check.level for check in CHECKS if check.id == case.check} == {found[0].level}
    assert found[0].fix


@pytest.mark.parametrize("case", [case for case in CASES if case.good], ids=ids)
def test_check_leaves_alone_what_is_right(spec: SpecText, case: Case) -> None:
    """A similar edit that is right gives no finding of the check."""
    spec.edits(case.good)

    assert spec.findings(case.check) == []


def test_every_check_is_tested() -> None:
    """Each check of the table has a case that triggers it, except those that tests of their own trigger."""
    elsewhere = {
        "hand-computed",
        "similar-metric",
        "missing-file",
        "unreadable-file",
        "yaml-encoding",
        "overlay-conflict",
        "unproven",
        "default-differs",
        "default-repeated",
        "anchor-repeated",
        "undated-package",
        "unproven-framework",
        "missing-lock",
        "stale-size",
        "refuted-sentence",
        "unjudged-sentence",
        "missing-text",
        "missing-must",
        "stale-guide",
    }

    assert {check.id for check in CHECKS} - elsewhere == {case.check for case in CASES}


def test_check_ids_are_unique() -> None:
    """An id names one check, so that `allow:` and the documentation are unambiguous."""
    assert len({check.id for check in CHECKS}) == len(CHECKS)


def test_formulas_that_insert_each_other(spec: SpecText) -> None:
    """A circle of metrics is a finding at the formula, not an endless loop."""
    spec.edit("metrics/policy", "formula: mean(rewards)", "formula: metric('policy/reward/mean')")

    (finding,) = spec.findings("formula")

    assert (finding.location.file, finding.location.line) == ("spec/metrics/policy.yaml", 39)


def test_an_allow_reaches_everything_below_it(spec: SpecText) -> None:
    """An `allow` of a whole file silences the check in it, and only that check and that file."""
    spec.edit("metrics/policy", "title: Policy", "title: Policy\nallow: [{check: default-source, reason: Known.}]")
    spec.edit("metrics/policy", ", source: {title: A paper}}", "}")
    spec.edit("metrics/policy", "range: [0, 1]", "range: [1, 0]")

    assert [finding.id for finding in spec.findings()] == ["value-range"]
