"""From numbers to ranges, and how these are kept, checked and looked up."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from rlmetrics.codegen.sizes import sizes_lock
from rlmetrics.codegen.sizes.measure import measure, size_of
from rlmetrics.codegen.sizes.sizes_lock import Kept, Size
from rlmetrics.names import load_tables

SPEC = Path(__file__).parents[2] / "spec"


def test_a_range_leaves_out_the_smallest_and_the_largest_tenth():
    """Of eleven sizes of 0 to 10 %, the range is 1 to 9 %, as a share of the first number."""
    pairs = [(200.0, 200.0 + 2 * size) for size in range(11)]
    assert Size(1.0, 9.0, "%", "higher") == size_of(pairs, "%")


def test_a_size_in_the_metrics_own_unit_is_no_share():
    """A number that can be negative is not divided by."""
    pairs = [(-1.0, -1.5)] * 5 + [(1.0, 0.5)] * 5
    assert Size(0.5, 0.5, "nat", "lower") == size_of(pairs, "nat")


def test_a_side_is_named_where_nine_of_ten_batches_agree():
    """Eight of ten are not enough."""
    nine = size_of([(1.0, 2.0)] * 9 + [(1.0, 0.5)], "%")
    eight = size_of([(1.0, 2.0)] * 8 + [(1.0, 0.5)] * 2, "%")
    assert nine is not None
    assert eight is not None
    assert (nine.direction, eight.direction) == ("higher", None)


def test_rounding_is_no_difference():
    """The last digit of a float64 is nothing that a curve shows."""
    assert Size(0.0, 0.0, "%", None) == size_of([(1.0, 1.0 + 1e-13)] * 8, "%")


@pytest.mark.parametrize("pairs", [[(1.0, 2.0)] * 5, [(0.0, 0.0)] * 20, [(math.nan, 1.0)] * 20, [(0.0, 1.0)] * 20])
def test_too_little_gives_no_size(pairs):
    """Few batches, nothing but zeros, not a number, or a share of 0."""
    assert None is size_of(pairs, "%")


def test_many_times_a_number_is_no_size():
    """A share of next to nothing says how small that is."""
    assert None is size_of([(1e-6, 1.0)] * 20, "%")
    assert Size(1.0, 1.0, "1", "higher") == size_of([(1e-6, 1.0)] * 20, "1")


def test_only_what_differs_in_one_facet_is_compared():
    """Estimators of one divergence, and lengths with those of finished responses; no two losses, no two policies."""
    sizes = load_tables().sizes
    between = {function: {about for about in row if about.startswith("metric:")} for function, row in sizes.items()}
    assert {"metric:kl/reference/k1", "metric:kl/reference/k2"} <= between["kl/reference/k3"]
    assert between["length/response/mean"] == {"metric:length/terminated/mean"}
    assert not any(found for name, found in between.items() if name.startswith(("preference/", "reward/", "entropy/")))


def test_what_is_kept_is_read_back(tmp_path):
    """The file holds everything that was measured."""
    sizes = {
        "kl/old/k2": {"level:rank mean/pool": Size(0.1, 2.5, "%", None), "trait:x": Size(0, 4e-06, "nat", "lower")}
    }
    whole = Kept("0123", {"kl/old/k2": "abcd"}, sizes)
    (tmp_path / sizes_lock.FILE).write_text(sizes_lock.text_of(whole), encoding="utf-8")
    assert whole == sizes_lock.read(tmp_path)


def test_another_formula_has_no_size():
    """What was measured of one formula is not told of another."""
    tables = load_tables()
    texts = {metric: tables.texts[metric] for metric in ("kl/old/k2", "kl/old/k1")}
    digests = {metric: sizes_lock.formula_digest(row, "") for metric, row in texts.items()}
    sizes = {metric: {"level:rank mean/pool": Size(1, 2, "%", None)} for metric in texts}
    changed = {**texts, "kl/old/k1": {**texts["kl/old/k1"], "formula": "mean(logprobs)"}}
    assert sizes_lock.stale(Kept("", digests, sizes), changed) == ["kl/old/k1"]
    assert list(sizes_lock.valid(Kept("", digests, sizes), changed)) == ["kl/old/k2"]


def test_a_variant_has_a_digest_of_its_own():
    """Padding changes what is computed, so it changes what was measured."""
    row = load_tables().texts["kl/old/k2"]
    assert sizes_lock.formula_digest(row, "") != sizes_lock.formula_digest(row, "padded")


def test_the_sizes_of_the_spec_are_of_its_formulas():
    """Nothing that was measured is left out of the tables, and the code is that which measured."""
    measured = sizes_lock.read(SPEC)
    tables = load_tables()
    assert measured is not None
    assert sizes_lock.code_digest() == measured.code
    assert set(measured.sizes) == set(tables.sizes)


def test_measuring_again_gives_what_is_kept():
    """A metric's sizes, measured anew, are those of the file; only the last of their digits may fall otherwise."""
    measured = sizes_lock.read(SPEC)
    assert measured is not None
    again = measure(load_tables(), ["kl/old/k2"]).sizes
    assert set(again) == {"kl/old/k2", "kl/old/k2@padded"}
    for function, sizes in again.items():
        for about, size in sizes.items():
            known = measured.sizes[function][about]
            assert (known.unit, known.direction) == (size.unit, size.direction)
            assert (known.low, known.high) == (pytest.approx(size.low, rel=0.1), pytest.approx(size.high, rel=0.1))
