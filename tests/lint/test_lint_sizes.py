"""Sizes of differences are held against the formulas that they were measured with."""

from __future__ import annotations

import pytest
from lint.spec_text import SpecText
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.sizes import sizes_lock
from rlmetrics.codegen.sizes.sizes_lock import Kept, Size
from rlmetrics.codegen.tables import build

SIZES = {"level:rank mean/pool": Size(0.5, 3.0, "%", None)}


@pytest.fixture
def measured(spec: SpecText) -> SpecText:
    """Return the base spec with sizes of two functions, as if they had just been measured."""
    _keep(spec, sizes_lock.code_digest(), "policy/loss", "policy/loss@padded")
    return spec


def _keep(spec: SpecText, code: str, *functions: str) -> None:
    texts = build(load(spec.root))["texts/policy"].data["TEXTS"]
    parts = {name: name.partition("@") for name in functions}
    digests = {
        name: sizes_lock.formula_digest(texts.get(metric, {}), variant) for name, (metric, _, variant) in parts.items()
    }
    text = sizes_lock.text_of(Kept(code, digests, dict.fromkeys(functions, SIZES)))
    (spec.root / sizes_lock.FILE).write_text(text, encoding="utf-8")


def test_sizes_of_the_present_formulas_are_fine(measured: SpecText) -> None:
    """Nothing to say, and all of them are in the tables."""
    assert measured.findings("stale-size") == []
    assert set(build(load(measured.root))["sizes"].data["SIZES"]) == {"policy/loss", "policy/loss@padded"}


def test_a_changed_formula_loses_its_sizes(measured: SpecText) -> None:
    """The finding stands at the metric; what was measured of the variant alone stays."""
    measured.edit("metrics/policy", "formula: mean(clamp(plain, -bound, bound))\n", "formula: mean(plain)\n")

    (finding,) = measured.findings("stale-size")

    assert (finding.level, finding.location.line) == ("warning", 5)
    assert "`policy/loss`" in finding.message
    assert "generate --sizes" in finding.fix
    assert set(build(load(measured.root))["sizes"].data["SIZES"]) == {"policy/loss@padded"}


def test_a_changed_word_of_a_formula_counts_for_the_variants_too(measured: SpecText) -> None:
    """Variants use the named parts of their metric."""
    measured.edit("metrics/policy", "plain: -advantages * logprobs", "plain: advantages * logprobs")

    messages = " ".join(finding.message for finding in measured.findings("stale-size"))
    assert "`policy/loss`" in messages
    assert "`policy/loss@padded`" in messages


def test_other_texts_of_a_metric_change_no_size(measured: SpecText) -> None:
    """A brief, a reference or an alias says nothing about the number."""
    measured.edit("metrics/policy", "[pg_loss, actor_loss]", "[pg_loss]")
    measured.edit("metrics/policy", "brief: Padding counts too.", "brief: Padding counts as well.")

    assert measured.findings("stale-size") == []


def test_other_code_that_measures_is_told(spec: SpecText) -> None:
    """Sizes from other batches stay in the tables until they are measured again."""
    _keep(spec, "other", "policy/loss")

    (finding,) = spec.findings("stale-size")

    assert "measured by other code" in finding.message
    assert set(build(load(spec.root))["sizes"].data["SIZES"]) == {"policy/loss"}


def test_a_metric_that_is_gone_is_told(spec: SpecText) -> None:
    """Its sizes are no longer in the tables."""
    _keep(spec, sizes_lock.code_digest(), "policy/gone")

    (finding,) = spec.findings("stale-size")

    assert "`policy/gone`" in finding.message
    assert build(load(spec.root))["sizes"].data["SIZES"] == {}
