"""Ranges of releases."""

from __future__ import annotations

import pytest
from rlmetrics.codegen.releases import RangeError, Releases

ORDER = Releases(("0.9", "1.0", "1.1rc1", "1.1", "2.0"))


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
    assert expected == ORDER.sort(ORDER.expand(ranges))


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
        ORDER.expand(ranges)

    assert (index, release) == (caught.value.index, caught.value.release)


def test_membership_and_order() -> None:
    """Releases are ordered as the list is, not by their spelling."""
    assert "1.1rc1" in ORDER
    assert "1.2" not in ORDER
    assert ORDER.index("1.1rc1") < ORDER.index("1.1")
