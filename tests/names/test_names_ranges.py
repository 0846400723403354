"""Ranges of releases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.names.tables.versions import RangeError, Releases

ORDER = Releases(dict.fromkeys(("0.9", "1.0", "1.1rc1", "1.1", "2.0"), ""))


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ("1.0", ["1.0"]),
        ("1.0..1.1", ["1.0", "1.1rc1", "1.1"]),
        ("1.1..", ["1.1", "2.0"]),
        ("..1.0", ["0.9", "1.0"]),
        ("1.0 .. 1.1rc1", ["1.0", "1.1rc1"]),
        (["0.9", "1.1.."], ["0.9", "1.1", "2.0"]),
        ([], []),
    ],
)
def test_expand(ranges: str | list[str], expected: list[str]) -> None:
    """A range covers what lies between its ends in the list, both included."""
    assert ORDER.sort(ORDER.checked(ranges)) == expected


@pytest.mark.parametrize(
    ("ranges", "message", "index", "release"),
    [
        ("1.2", "the release `1.2` is not among", 0, "1.2"),
        (["0.9", "1.0..1.2"], "the release `1.2` is not among", 1, "1.2"),
        ("1.1..1.0", "the range `1.1..1.0` ends before it starts", 0, None),
    ],
)
def test_wrong_ranges(ranges: str | list[str], message: str, index: int, release: str | None) -> None:
    """An unknown release and a reversed range are errors that say which part is wrong."""
    with pytest.raises(RangeError, match=message) as caught:
        ORDER.checked(ranges)

    assert (index, release) == (caught.value.index, caught.value.release)


def test_membership_and_order() -> None:
    """Releases are ordered as the list is, not by their spelling."""
    assert "1.1rc1" in ORDER
    assert "1.2" not in ORDER
    assert ORDER.index("1.1rc1") < ORDER.index("1.1")


def test_releases_are_shown_as_ranges() -> None:
    """As the spec writes them, in short, and in words; all three join neighbours."""
    some = {"2.0", "0.9", "1.0", "1.1"}
    bits = ORDER.bits(some)

    assert some == ORDER.of_bits(bits)
    assert ORDER.ranges(bits) == ["0.9..1.0", "1.1.."]
    assert ORDER.spans(some) == "0.9..1.0, 1.1..2.0"
    assert ORDER.text(some) == "0.9, 1.0, 1.1, 2.0"
    assert ORDER.text(ORDER.covered("..1.1")) == "0.9 to 1.1"
    assert ORDER.ranges(ORDER.bits(["2.0"])) == ["2.0"]


@given(st.sets(st.sampled_from(ORDER.names)))
def test_ranges_cover_what_they_were_made_of(some: set[str]) -> None:
    """Whichever releases they are."""
    assert some == ORDER.covered(ORDER.ranges(ORDER.bits(some)))
