"""The rule for relations, case by case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from names.small_spec import small_tables
from rlmetrics.names import Entry, Signature, Transform, relate
from rlmetrics.names.differences.relations import RELATIONS

PLAIN = Entry(
    component="x",
    key="key",
    mode="train",
    metric="kl/old/k2",
    kind="scalar",
    signature=Signature(population="response_tokens"),
    condition=None,
    logged_by_default=True,
    logged=True,
    constant_when=(),
    variant=None,
    alternatives=(),
    bind={},
    at=(),
    note=None,
)


def entry(metric="kl/old/k2", key="key", kind="scalar", **signature):
    """Return an entry that is plain but for what is said."""
    return PLAIN._replace(metric=metric, key=key, kind=kind, signature=replace(PLAIN.signature, **signature))


def test_equal_signatures_are_exact(tables):
    """Nothing differs, nothing is converted."""
    relation = relate(entry(), entry(key="other"), tables)
    assert (relation.kind, relation.differs_by, relation.transform) == ("exact", (), None)


def test_a_known_scale_and_offset_make_it_affine(tables):
    """Target = scale * source + offset, by both sides' own scales."""
    relation: Any = relate(entry(scale=2.0, offset=1.0), entry(scale=-1.0, offset=3.0), tables)
    assert (relation.kind, relation.transform) == ("affine", Transform(-0.5, 3.5))
    assert relation.transform(3.0) == 2.0


def test_equal_scales_need_no_conversion(tables):
    """Both are logged in the same units."""
    assert relate(entry(scale=1e4), entry(scale=1e4), tables).kind == "exact"


def test_an_unknown_scale_is_incomparable_and_says_how_to_know_it(tables):
    """Guessing a factor would be worse than keeping the name."""
    relation: Any = relate(entry(scale="1 / parts"), entry(), tables)
    assert (relation.kind, relation.transform) == ("related", None)
    assert [item.grade for item in relation.differs_by] == ["incomparable"]
    assert "--config" in relation.differs_by[0].correction


def test_the_same_unknown_scale_on_both_sides_cancels(tables):
    """Whatever it is, it is the same number."""
    assert relate(entry(scale="1 / parts"), entry(scale="1 / parts"), tables).kind == "exact"


def test_a_population_differs_by_its_traits(tables):
    """With their grade and with what makes them vanish."""
    relation = relate(entry(), entry(population="response_positions", traits=("padding_counted",)), tables)
    assert relation.kind == "approximate"
    assert [(item.what, item.grade, item.vanishes_when) for item in relation.differs_by] == [
        ("only in the target: padding is counted", "biased", "nothing is padded")
    ]


def test_populations_that_no_trait_tells_apart_differ_all_the_same(tables):
    """Two names are two sets."""
    relation = relate(entry(population="sequences"), entry(population="other_sequences"), tables)
    assert [(item.what, item.grade) for item in relation.differs_by] == [
        ("over sequences in the source, over other_sequences in the target", "biased")
    ]


def test_a_snapshot_differs_only_if_both_are_known(tables):
    """Silence is no difference."""
    assert [item.grade for item in relate(entry(snapshot="current"), entry(snapshot="old"), tables).differs_by] == [
        "biased"
    ]
    assert relate(entry(snapshot="current"), entry(), tables).kind == "exact"


@pytest.mark.parametrize(
    ("first", "second", "grade"),
    [("mean", "pool", "minor"), ("first", "pool", "minor"), ("first", "mean", "biased"), ("sum", "pool", "biased")],
)
def test_reductions_are_compared_level_by_level(tables, first, second, grade):
    """With the grade of the pair of operations, in whatever order; levels that are not named are pooled."""
    for left, right in ((first, second), (second, first)):
        relation = relate(entry(reduction={"rank": left}), entry(reduction={"rank": right}), tables)
        assert [(item.grade, item.vanishes_when) for item in relation.differs_by] == [(grade, "one rank")]
    unnamed = relate(entry(reduction={"rank": first}), entry(), tables)
    assert len(unnamed.differs_by) == 1
    assert unnamed.differs_by[0].what.startswith("processes: ")


def test_the_largest_of_largest_parts_is_the_largest_of_all(tables):
    """For a maximum, reducing parts by max is the same as pooling them; for a mean it is not."""
    by_parts = {"micro_batch": "max", "rank": "max"}
    assert relate(entry("policy/ratio/max"), entry("policy/ratio/max", reduction=by_parts), tables).kind == "exact"
    assert relate(entry(), entry(reduction=by_parts), tables).kind == "approximate"


def test_levels_of_what_is_not_computed_count_only_where_they_are_named(tables):
    """A timer has no pool: a level that nobody names does not occur."""
    timer = entry("timing/step", population=None)
    assert relate(timer, timer, tables).kind == "exact"
    first = relate(timer, entry("timing/step", population=None, reduction={"rank": "mean"}), tables)
    assert [(item.grade, item.what) for item in first.differs_by] == [
        ("minor", "processes: does not occur in the source, plain mean in the target")
    ]


def test_spans_and_lags_are_differences(tables):
    """A different span is biased, a different step minor."""
    timer = entry("timing/step", population=None, span="Everything.")
    relation = relate(timer, timer._replace(signature=replace(timer.signature, span=None, lag=-1)), tables)
    assert [item.grade for item in relation.differs_by] == ["biased", "minor"]
    assert "“Everything” in the source, as the metric is defined in the target" in relation.differs_by[0].what
    assert (
        relation.differs_by[1].what
    ) == "the step of the value: the one it is logged with in the source, 1 earlier in the target"


def test_an_incomparable_trait_forbids_translation(tables):
    """The same metric, and no number to compare it with; the known transform is given all the same."""
    relation = relate(entry(traits=("wrong_sum",), scale=2.0), entry(), tables)
    assert (relation.kind, relation.transform) == ("related", Transform(0.5, 0.0))
    assert not relation.translates
    assert relation.differs_by[0].correction == "divide by the parts"


def test_numbers_reproduced_by_different_variants_are_never_exact(tables):
    """Even if the spec forgets to say which trait tells them apart."""
    relation = relate(entry(reproduced_by="padded"), entry(), tables)
    assert [(item.what, item.grade) for item in relation.differs_by] == [
        ("computed by a variant (With padding) in the source, the plain formula in the target", "biased")
    ]


def test_a_distribution_is_no_scalar(tables):
    """Of the same metric or not."""
    assert relate(entry(kind="distribution"), entry(), tables).kind == "related"


def test_metrics_of_one_quantity_are_related_and_the_facets_say_why(tables):
    """Estimator, distributions, statistic."""
    relation: Any = relate(entry("kl/old/k2"), entry("kl/reference/k3"), tables)
    assert relation.kind == "related"
    assert (
        "another metric (kl/reference/k3): estimator is k3 there, k2 here; distributions is current ‖ reference there"
        in (relation.why)
    )


def test_declared_false_friends_are_related_both_ways(tables):
    """With the declared reason, whatever their quantities, and with the side from which it is told."""
    forth = relate(entry("reward/score/mean"), entry("reward/total/mean"), tables)
    back = relate(entry("reward/total/mean"), entry("reward/score/mean"), tables)
    assert (forth.kind, forth.why) == ("related", "Penalties are part of that.")
    assert (back.kind, back.why) == ("related", "seen from reward/score/mean: Penalties are part of that.")


@pytest.mark.parametrize(("kind", "expected"), [("counter", "exact"), ("scalar", "approximate")])
def test_what_parts_have_counted_is_added_up_either_way(tables, kind, expected):
    """The counts of all processes added up are the count over all of them; other numbers must not be added."""
    source, target = (entry(kind=kind, reduction={"rank": operation}) for operation in ("sum", "pool"))
    assert relate(source, target, tables).kind == expected


def test_one_name_for_two_quantities_is_a_trap_worth_naming(tables):
    """Otherwise unrelated metrics under the same key are related."""
    assert relate(entry("kl/old/k2"), entry("policy/loss", key="other"), tables).kind == "none"
    assert relate(entry("kl/old/k2"), entry("policy/loss"), tables).kind == "related"


def test_what_has_no_metric_relates_to_nothing(tables):
    """Only a configuration could say what it measures."""
    assert relate(PLAIN._replace(metric=None), PLAIN, tables).kind == "none"


_SIGNATURES = st.builds(
    Signature,
    population=st.sampled_from([None, "response_tokens", "response_positions"]),
    snapshot=st.sampled_from([None, "current", "old"]),
    reduction=st.dictionaries(st.sampled_from(["rank", "micro_batch"]), st.sampled_from(["mean", "pool", "first"])),
    span=st.sampled_from([None, "a"]),
    lag=st.integers(-1, 1),
    scale=st.sampled_from([1.0, -1.0, 2.0, "1 / parts"]),
    offset=st.sampled_from([0.0, 1.0]),
    traits=st.lists(st.sampled_from(["padding_counted", "clamped", "wrong_sum"]), unique=True).map(tuple),
    reproduced_by=st.sampled_from([None, "padded"]),
)


@given(_SIGNATURES, _SIGNATURES)
def test_backward_is_the_same_computation(first, second):
    """Kind, grades and number of differences agree in both directions, and the transforms undo each other."""
    tables = small_tables()
    left, right = PLAIN._replace(signature=first), PLAIN._replace(signature=second)
    forth, back = relate(left, right, tables), relate(right, left, tables)
    assert forth.kind == back.kind
    assert forth.kind in RELATIONS
    assert sorted(item.grade for item in forth.differs_by) == sorted(item.grade for item in back.differs_by)
    if forth.transform is not None:
        assert back.transform is not None
        assert pytest.approx(back.transform(forth.transform(7.0))) == 7.0


@given(_SIGNATURES)
def test_everything_is_exact_to_itself(signature):
    """Also with a defect or an unknown scale: the same code gives the same number."""
    one = PLAIN._replace(signature=signature)
    assert relate(one, one, small_tables()).kind == "exact"
