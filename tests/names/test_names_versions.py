"""Order and ranges of releases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version
from rlmetrics.names.tables.versions import Releases, is_development, version_key

ORDERED = [
    "0.1rc0",
    "0.1",
    "0.2.dev1",
    "0.2a1",
    "0.2b1",
    "0.2rc1",
    "0.2.0",
    "0.2.0.post1",
    "0.2.0.post2",
    "0.10",
    "1.0.0",
]
RELEASES = Releases([(name, "2024-01-01") for name in ("0.1", "0.2.0", "0.2.0.post1", "0.10", "1.0.0")])


def test_versions_sort_as_on_pypi():
    """Numbers count as numbers; development and pre-releases come before a release, post-releases after it."""
    keys = [version_key(name) for name in ORDERED]
    assert [name for _, name in sorted(zip(keys, ORDERED, strict=True))] == ORDERED


@pytest.mark.parametrize("pair", [("0.2", "0.2.0"), ("v1.0", "1.0.0"), ("1.0+git.abc", "1.0"), ("1.0-rc1", "1.0rc1")])
def test_spellings_of_one_version_are_equal(pair):
    """Trailing zeros, a v, separators and a local part make no difference."""
    assert version_key(pair[0]) == version_key(pair[1])


@pytest.mark.parametrize("text", ["", "main", "1..2", "a.b", "1.0 beta two", "１"])
def test_what_is_no_version_has_no_key(text):
    """So that it can be reported."""
    assert version_key(text) is None


def test_states_of_a_repository_are_recognised():
    """Branches, git sources and commits are no releases."""
    assert all(map(is_development, ["git", "main", "master", "dev", "git+https://example.org/x", "0a1b2c3"]))
    assert not any(map(is_development, ["1.0.0", "0.2", "beta", "gitter"]))


@pytest.mark.parametrize(
    ("ranges", "covered"),
    [
        (("0.2.0",), ["0.2.0"]),
        (("0.2.0..0.10",), ["0.2.0", "0.2.0.post1", "0.10"]),
        (("0.10..",), ["0.10", "1.0.0"]),
        (("..0.2.0",), ["0.1", "0.2.0"]),
        (("0.1", "1.0.0"), ["0.1", "1.0.0"]),
        (("9.9..",), []),
        (("..9.9",), []),
        ((), []),
    ],
)
def test_a_range_covers_the_releases_between_its_ends(ranges, covered):
    """Both ends are included; an open end reaches as far as releases are known."""
    assert covered == RELEASES.expand(ranges)


@pytest.mark.parametrize(
    ("asked", "answering"),
    [("0.2.5", "0.2.0.post1"), ("2.0", "1.0.0"), ("0.2", "0.2.0"), ("0.2.0.post7", "0.2.0.post1"), ("0.0.9", None)],
)
def test_an_unknown_release_is_answered_by_the_nearest_older_one(asked, answering):
    """Never by a newer one."""
    assert answering == RELEASES.answering(asked)


@pytest.mark.parametrize(
    ("asked", "answering"),
    [
        ("1.0.0.dev3", "1.0.0"),
        ("1.0rc2", "1.0.0"),
        ("0.1rc2", "0.1"),
        ("0.1a1.dev4", "0.1"),
        ("0.2.0.post1.dev0", "0.2.0.post1"),
        ("0.2.0.post2.dev0", "0.2.0.post1"),
        ("0.2.0.dev1", "0.2.0"),
        ("0.11.dev0", "0.10"),
        ("1.1rc1", "1.0.0"),
        ("0.0.9rc1", "0.1"),
    ],
)
def test_a_preview_is_answered_by_the_release_that_it_led_to(asked, answering):
    """By the nearest older one if that is not known, and by the oldest if there is none."""
    assert answering == RELEASES.answering(asked)


def test_a_preview_leads_to_a_post_release_where_nothing_else_has_its_numbers():
    """As with a project whose first release of a number is 0.3.0.post0."""
    releases = Releases([(name, "2024-01-01") for name in ("0.2", "0.3.0.post0", "0.3.0.post1")])
    assert releases.answering("0.3.0.dev0") == "0.3.0.post0"


@given(
    st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1),
    st.sampled_from(["a0", "b3", "rc1", ".dev0", "rc2.dev7"]),
)
def test_every_preview_of_a_known_release_is_answered_by_it(numbers, suffix):
    """Whatever else is known."""
    names = [f"{major}.{minor}" for major, minor in sorted(numbers)]
    releases = Releases([(name, "2024-01-01") for name in names])
    assert names == [releases.answering(name + suffix) for name in names]


NUMBERS = st.lists(st.integers(0, 12), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
PARTS = [
    st.sampled_from(["", "a", "b2", "rc1", "-alpha1", ".beta", "c3", "_pre1", "preview"]),
    st.sampled_from(["", ".post1", "post", "-rev2", "r3"]),
    st.sampled_from(["", ".dev0", "dev3", "-dev"]),
]
VERSIONS = st.tuples(NUMBERS, *PARTS).map("".join)


@given(VERSIONS, VERSIONS)
def test_versions_sort_as_the_packaging_library_sorts_them(first, second):
    """The library is what pip goes by; the runtime has no dependencies, so it can't use it."""
    key, other = version_key(first), version_key(second)

    assert key is not None
    assert other is not None
    assert (Version(first) < Version(second), Version(first) == Version(second)) == (key < other, key == other)
