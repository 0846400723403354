"""Guards: what they accept, what they mean, and how they fail."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.names.settings.guards import MAX_DEPTH, MAX_LENGTH, GuardError, SettingName, UnknownValueError, parse

CONFIG = {"beta": 0.1, "kind": "grpo", "on": True, "off": False, "a.b_c": 3, "unset": None, "zero": 0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("beta != 0", True),
        ("beta == 0.1 and not off", True),
        ("off or on and off", False),
        ("(off or on) and on", True),
        ("not off and on", True),
        ("not (off or on)", False),
        ("kind in ['grpo', 'bnpo']", True),
        ('kind not in ["grpo"]', False),
        ("kind in []", False),
        ("a.b_c >= 3 and a.b_c < 4 and a.b_c > 2 and a.b_c <= 3", True),
        ("unset == null", True),
        ("unset != null", False),
        ("on == true", True),
        ("zero == false", False),
        ("on == 1", False),
        ("kind == 'grpo' or missing == 1", True),
        ("kind == 'x' and missing == 1", False),
        ("missing == 1 or kind == 'grpo'", True),
        ("'a\\'b' == \"a'b\"", True),
        ("1/4", 0.25),
        ("1 - 2 - 3", -4),
        ("2 * 3 / 4 - -1", 2.5),
        ("-(1 + 2) * 2", -6),
        ("1e3 + .5", 1000.5),
        ("a.b_c", 3),
        ("beta", 0.1),
    ],
)
def test_an_expression_has_the_value_that_its_operators_say(text, value):
    """Operators bind as in Python; equality keeps flags and numbers apart; and/or decide without unknown keys."""
    assert value == parse(text).evaluate(CONFIG)


@pytest.mark.parametrize(
    ("text", "column", "part"),
    [
        ("", 1, "a value is missing"),
        ("beta ==", 8, "the end"),
        ("beta == 1 2", 11, "'2' cannot stand here"),
        ("(on", 1, "'(' was never closed"),
        ("[1 2]", 2, "forgot a comma"),
        ("1 < 2 < 3", 9, "chained"),
        ("on not off", 8, "'off' cannot stand here"),
        ("kind == 'x", 9, "no end"),
        ("on & off", 4, "'&' means nothing"),
        ("and", 1, "a value is missing before"),
        ("f(1)", 1, "cannot stand here"),
        ("a.", 2, "'.' means nothing"),
        ("a == 1  # why", 9, "'#' means nothing"),
        ("a == 1_000", 6, "'1' means nothing"),
        ("a is null", 3, "'is' cannot stand here"),
        ("x.lambda > 0", 3, "'lambda' cannot stand here"),
        ("'a' 'b' in x", 1, "before another"),
        (r"a == '\d'", 6, "a backslash"),
        ("𝒂 == 1", 1, "means nothing"),
        ("'é' in a and (b, c)", 14, "cannot stand here"),
        ("  a ** 2", 3, "cannot stand here"),
    ],
)
def test_a_wrong_expression_says_where_and_why(text, column, part):
    """The column is counted from 1 and points to the place."""
    with pytest.raises(GuardError) as error:
        parse(text)
    assert column == error.value.column
    assert part in error.value.message


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("kind < 1", "a number is needed"),
        ("on + 1", "a number is needed"),
        ("kind in kind", "needs a list"),
        ("1 / zero", "divides by zero"),
        ("-kind", "a number is needed"),
    ],
)
def test_operations_that_do_not_fit_their_values_are_errors(text, part):
    """Nothing is coerced."""
    with pytest.raises(GuardError, match=part):
        parse(text).evaluate(CONFIG)


@pytest.mark.parametrize(
    "text", ["missing", "missing == 1", "unset > 1", "1 / unset", "on and missing", "off or missing"]
)
def test_what_depends_on_an_unknown_value_is_unknown(text):
    """A key without a value, or null where a number is needed, is told apart from other errors."""
    with pytest.raises(UnknownValueError) as error:
        parse(text).evaluate(CONFIG)
    assert error.value.name in ("missing", "unset")


@pytest.mark.parametrize(("value", "holds"), [("0.5_2.0", True), ("2.0", False), (2.0, False), (None, False)])
def test_a_quoted_text_is_looked_for_in_a_setting(value, holds):
    """A number or null holds no text, and `not in` is the opposite."""
    assert parse("'_' in bounds").evaluate({"bounds": value}) is holds
    assert parse("'_' not in bounds").evaluate({"bounds": value}) is not holds


def test_names_are_all_keys_that_occur():
    """Also those inside lists, arithmetic and negations."""
    assert frozenset({"a", "b.c", "d", "e"}) == parse("a == 1 or not b.c and (d + 1) in [e, 2]").names()
    name = parse("a.b")
    assert isinstance(name, SettingName)
    assert (name.column, name.name) == (1, "a.b")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 500 + "1" + ")" * 500,
        "[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2),
        "not " * (MAX_DEPTH + 1) + "a",
        "-" * (MAX_DEPTH + 1) + "1",
        "+".join(["1"] * 200),
        "a" * (MAX_LENGTH + 1),
        "9" * 100,
    ],
)
def test_expressions_have_a_size_limit(text):
    """Nothing that a file can say exhausts the stack or the machine."""
    with pytest.raises(GuardError):
        parse(text)


@given(st.text(alphabet="ab.'\"\\()[],<>=!+-*/ 0123456789noticrue", max_size=60))
def test_any_text_is_an_expression_or_a_guard_error(text):
    """Parsing and evaluating never fails in another way."""
    column = 1
    try:
        parse(text).evaluate({"a": 1, "b": "x", "a.b": [1]})
    except GuardError as error:
        column = error.column
    assert 1 <= column <= len(text) + 1


@st.composite
def _expressions(draw, depth=3):
    if depth == 0:
        return draw(
            st.sampled_from(
                [("a", 1), ("b", 2), ("3", 3), ("0.5", 0.5), ("true", True), ("false", False), ("'x'", "x")]
            )
        )
    kind = draw(st.sampled_from(["leaf", "and", "or", "not", "==", "!="]))
    if kind == "leaf":
        return draw(_expressions(depth=0))
    left, first = draw(_expressions(depth=depth - 1))
    if kind == "not":
        return f"not ({left})", not first
    right, second = draw(_expressions(depth=depth - 1))
    text = f"({left}) {kind} ({right})"
    if kind == "and":
        return text, bool(first) and bool(second)
    if kind == "or":
        return text, bool(first) or bool(second)
    equal = isinstance(first, bool) == isinstance(second, bool) and first == second
    return text, equal == (kind == "==")


@given(_expressions())
def test_logic_agrees_with_python(pair):
    """Random nested expressions have the value that Python gives them."""
    text, value = pair
    assert bool(value) == parse(text).holds({"a": 1, "b": 2})
