"""Patterns are compared exactly, as regular languages, not by trying examples."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.lint.automata import PatternError, common_text, literal, sequence
from rlmetrics.codegen.lint.patterns import build

ATOMS = st.sampled_from(["a", "b", "ab", "[ab]", "[^a]", ".", r"\d", r"\w", "(?:a|bb)", "(a|)", "x"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "*?"])).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=5,
)


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ("[a-z]+", "[0-9]+", None),
        ("[a-z]+", "[a-f0-9]+", "a"),
        ("a*", "a+b?", "a"),
        ("(?:ab)+", "(?:aba)+", None),
        ("(?:ab)+a", "(?:aba)+", "aba"),
        ("(?:aa)+", "(?:aaa)+", "aaaaaa"),
        ("[^/]+", ".*/.*", None),
        (r"\d{4}", r"\d{1,3}", None),
        (r"\S+", r"\s+", None),
        (r"mean@\d+", "mean@.+", "mean@0"),
        (r"[\w.-]+", "é", "é"),
        (r"\x41|\n", "[^\\n]", "A"),
        ("a{b}", "[a-z{}]+", "a{b}"),
        (r"[^\W\d]", "[^a-z_]+", "A"),
    ],
)
def test_common_text(first: str, second: str, text: str | None) -> None:
    """Two patterns overlap exactly if some text matches both; a shortest one is named."""
    assert text == common_text(build(first), build(second))


def test_sequence_joins_literals_and_patterns() -> None:
    """A template is its literal parts and patterns one after another."""
    template = sequence([literal("val/"), build("[^/]+"), literal("/mean@"), build("[0-9]+")])

    assert common_text(template, build(".*")) == "val/a/mean@0"
    assert common_text(template, literal("val/a/b/mean@1")) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)b",
        r"(a)\1",
        "a++",
        "(",
        ")",
        "[a",
        "(?i)a",
        "(?i:a)b",
        "(?>a)b",
        "a{2,1}",
        "*a",
        "^a$",
        r"\b",
        "a\\",
        r"\xzz",
        "[z-a]",
        "(?P<n>a)",
    ],
)
def test_what_is_not_regular_is_refused(pattern: str) -> None:
    """Lookaround, backreferences, anchors and broken syntax are errors, never misread."""
    with pytest.raises(PatternError, match="the pattern `"):
        build(pattern)


def test_patterns_that_explode_are_refused() -> None:
    """Nested repetition cannot make the analysis run away."""
    with pytest.raises(PatternError, match="to be analysed"):
        build("(?:(?:(?:a{99}){99}){99}){99}")
    with pytest.raises(PatternError, match="to be analysed"):
        common_text(build("[ab]*a[ab]{30}"), build("[ab]*b[ab]{30}c"))


@given(PATTERNS, PATTERNS)
def test_the_common_text_matches_both(first: str, second: str) -> None:
    """A text that is named is matched by both patterns, as Python's own engine reads them."""
    text = common_text(build(first), build(second))
    if text is not None:
        assert re.fullmatch(first, text)
        assert re.fullmatch(second, text)


@given(PATTERNS, st.text(alphabet="abx1\n", max_size=6))
def test_an_automaton_matches_what_the_pattern_matches(pattern: str, text: str) -> None:
    """The automaton of a pattern accepts exactly the texts that Python's engine accepts."""
    assert (re.fullmatch(pattern, text) is not None) == (common_text(build(pattern), literal(text)) is not None)
