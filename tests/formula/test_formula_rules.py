"""What the language refuses, where the error points, and that nothing else ever comes out of the compiler."""

from __future__ import annotations

import pytest
from formula.formula_support import INPUTS, compiled
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.codegen.formula import FUNCTIONS, Compiled, FormulaError, compile_formula

REFUSED = [
    # text, where it goes wrong, what the message says
    ("", 0, "empty"),
    ("  \n ", 0, "empty"),
    ("__import__('os').system('x')", 0, "underscore"),
    ("mean(logprobs.__class__)", 13, "attributes"),
    ("mean(logprobs[0])", 13, "subscripts"),
    ("mean([1])", 5, "subscripts"),
    ("mean({1})", 5, "dictionaries"),
    ("(lambda: 1)()", 1, "define functions"),
    ("mean(logprobs if mask else 1)", 14, "conditional"),
    ("mean(x for x in logprobs)", 7, "not part"),
    ("mean(f'{logprobs}')", 5, "prefix"),
    ("mean('logprobs')", 5, "string"),
    ('mean("logprobs")', 5, "string"),
    ("mean('logprobs)", 5, "string"),
    ("mean(not mask)", 5, "`not`"),
    ("mean(mask and mask)", 10, "`and`"),
    ("mean(mask or mask)", 10, "`or`"),
    ("mean(0 < logprobs < 1)", 5, "chained"),
    ("mean(logprobs // 2)", 5, "operator"),
    ("mean(logprobs % 2)", 14, "`%`"),
    ("mean(logprobs @ logprobs)", 14, "`@`"),
    ("mean(logprobs ^ 2)", 14, "`^`"),
    ("mean(+logprobs)", 5, "leading +"),
    ("mean(logprobs, *mask)", 15, "`*` arguments"),
    ("mean(logprobs, **mask)", 17, "`**` arguments"),
    ("mean(logprobs, over=mask, over=mask)", 31, "given twice"),
    ("mean(logprobs := 1)", 14, "`:`"),
    ("mean(logprobs), 1", 0, "list"),
    ("mean(logprobs # all\n)", 14, "comments"),
    ("mean(logprobs", 4, "never closed"),
    ("mean(logprobs))", 14, "never opened"),
    ("mean(None)", 5, "None"),
    ("mean(...)", 5, "attributes"),
    ("mean(1j)", 5, "number"),
    ("mean(0x10)", 5, "number"),
    ("mean(1_000)", 5, "number"),
    ("mean(1e999)", 5, "number"),
    (f"mean({'9' * 500})", 5, "number"),
    ("mean(logprobs ** 9)", 17, "exponent"),
    ("mean(logprobs ** -8.5)", 17, "exponent"),
    ("mean(logprobs ** clip)", 17, "exponent"),
    ("mean(logprobs ** 10 ** 10 ** 10)", 17, "exponent"),
    ("mean(logprobs * (1 / 0))", 17, "finite"),
    ("mean(logprobs * 1e30 ** 8 ** 8)", 24, "exponent"),
    ("mean(logprobs * (1e30 * 1e30) ** 8)", 16, "finite"),
    ("mean(" + "(" * 100 + "1" + ")" * 100 + ")", 64, "nested"),
    ("mean(" + "-" * 100 + "logprobs)", 64, "nested"),
    ("+".join(["mean(logprobs)"] * 100), 0, "nested"),
    ("mean(logprobs)" + " " * 4000, 4000, "characters"),
    ("mean(lógprobs)", 6, "character"),
    ("mean(\x00)", 5, "character"),
    # names
    ("mean(logprob)", 5, "not declared"),
    ("mean(undeclared)", 5, "not declared"),
    ("mean(everything)", 5, "population"),
    ("mean(exp)", 5, "is a function"),
    ("average(logprobs)", 0, "not a function"),
    ("logprobs(1)", 0, "not a function"),
    ("mean()", 0, "takes 1 argument, not 0"),
    ("mean(logprobs, mask)", 0, "takes 1 argument, not 2"),
    ("mean(clamp(logprobs))", 5, "takes 3 arguments, not 1"),
    ("mean(logprobs, where=mask)", 21, "no keyword"),
    ("histogram(logprobs, low=0, high=1)", 0, "needs `bins=`"),
    ("metric(1)", 0, "quoted id"),
    ("metric('a', 'b')", 0, "quoted id"),
    ("metric('missing')", 0, "no metric"),
    # domains
    ("mean(logprobs + scores)", 5, "joins"),
    ("mean(scores + difficulty)", 5, "joins"),
    ("mean(logits * logprobs)", 5, "joins"),
    ("mean(times + logprobs)", 5, "joins"),
    ("mean(coefficient * logprobs)", 5, "joins"),
    ("mean(logprobs - mean(logprobs))", 5, "joins"),
    ("mean(logprobs) - logprobs", 0, "joins"),
    ("mean(where(terminated, logprobs, 1))", 5, "joins"),
    ("cov(logprobs, scores)", 0, "joins"),
    ("logprobs", 0, "not reduced"),
    ("scores * 2", 0, "not reduced"),
    ("logits", 0, "not reduced"),
    ("1 + clip", 0, "constant"),
    ("mean(1)", 5, "constant"),
    ("cov(logprobs, clip)", 14, "constant"),
    ("mean(mean(logprobs))", 5, "reduced already"),
    ("mean(logits)", 5, "no vocabulary"),
    ("last(logprobs)", 5, "scalar"),
    ("mean(seq_sum(scores))", 13, "per token"),
    ("mean(seq_sum(logits))", 13, "per token"),
    ("mean(group_mean(logprobs))", 16, "per sequence"),
    ("mean(per_token(logprobs))", 15, "per sequence or scalar"),
    ("mean(per_sequence(scores))", 18, "per group or scalar"),
    ("mean(sum_vocab(per_vocab(scores)))", 25, "per token"),
    ("mean(entropy(logprobs))", 13, "vocabulary"),
    ("mean(log_prob(logits, logprobs))", 22, "token ids"),
    ("mean(log_prob(logits, 1))", 22, "token ids"),
    ("mean(log_prob(logits, tokens + 1))", 22, "token ids"),
    # types
    ("mean(mask & advantages > 0)", 12, "booleans"),
    ("mean(~logprobs)", 6, "booleans"),
    ("mean(mask + 1)", 5, "boolean"),
    ("mean(-mask)", 6, "boolean"),
    ("mean(exp(mask))", 9, "boolean"),
    ("mean(mask > special)", 5, "boolean"),
    ("mean(mask == 1)", 5, "boolean"),
    ("mean(where(logprobs, 1, 0))", 11, "booleans"),
    ("mean(where(mask, special, 0))", 17, "boolean"),
    ("sum(mask)", 4, "boolean"),
    ("max(mask)", 4, "boolean"),
    ("var(special)", 4, "boolean"),
    ("count(logprobs)", 6, "takes a boolean"),
    ("mean(seq_any(logprobs))", 13, "takes a boolean"),
    ("mean(logprobs) > 0", 0, "boolean"),
    # populations and keywords
    ("mean(logprobs, over=advantages > 0)", 20, "padding"),
    ("mean(logprobs, over=terminated)", 20, "boolean per token"),
    ("mean(logprobs, over=logprobs)", 20, "boolean per token"),
    ("mean(scores, over=mask)", 18, "boolean per sequence"),
    ("mean(logprobs, over=True)", 20, "boolean per token"),
    ("var(logprobs, ddof=2)", 19, "`ddof`"),
    ("var(logprobs, ddof=clip)", 19, "`ddof`"),
    ("var(logprobs, ddof=True)", 19, "`ddof`"),
    ("histogram(logprobs, low=0, high=1, bins=0)", 40, "`bins`"),
    ("histogram(logprobs, low=0, high=1, bins=1.5)", 40, "`bins`"),
    ("histogram(logprobs, low=0, high=1, bins=1000000)", 40, "`bins`"),
    ("histogram(logprobs, low=clip, high=1, bins=2)", 24, "`low`"),
    ("histogram(logprobs, low=1, high=-1, bins=2)", 32, "not above"),
    ("histogram(logprobs, low=1, high=1, bins=2)", 32, "not above"),
    ("histogram(logprobs, low=0, high=1, bins=2) + 1", 0, "histogram"),
    ("-histogram(logprobs, low=0, high=1, bins=2)", 1, "histogram"),
]


@pytest.mark.parametrize(("text", "offset", "says"), REFUSED)
def test_refusal(text: str, offset: int, says: str) -> None:
    """Each rule gives one error at the right place, on one line, with a fix."""
    with pytest.raises(FormulaError) as caught:
        compiled(text)
    error = caught.value
    assert says in error.message
    before = text[:offset]
    assert (before.count("\n"), offset - before.rfind("\n") - 1) == (error.offset_line, error.offset_col)
    assert error.source_name == "formula"
    assert error.fix
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("mean(logprobs + scores)", "per_token(scores)"),
        ("mean(scores * per_token(scores))", "per_token(scores)"),
        ("mean(difficulty - scores)", "per_sequence(difficulty)"),
        ("mean(logits - logprobs)", "per_vocab(logprobs)"),
        ("mean(logprobs - coefficient)", "per_token(coefficient)"),
        ("mean(logprobs * difficulty)", "per_token(per_sequence(difficulty))"),
        ("mean(logprobs - mean(logprobs))", "impl"),
        ("mean(logprbs)", "`logprobs`"),
        ("maen(logprobs)", "`mean`"),
        ("sum(mask)", "count(…)"),
        ("mean(mask and special)", "&"),
        ("var(logprobs, 0)", "var(x, over=…, ddof=…)"),
    ],
)
def test_the_fix_says_what_to_write(text: str, fix: str) -> None:
    """Errors name the expression that would work."""
    with pytest.raises(FormulaError) as caught:
        compiled(text)
    assert fix in caught.value.fix


def test_a_token_reduction_needs_a_mask() -> None:
    """Without a declared mask, a token reduction must say that it counts padding."""
    inputs = {"logprobs": INPUTS["logprobs"]}
    with pytest.raises(FormulaError, match="padding"):
        compile_formula("mean(logprobs)", inputs=inputs)
    assert compile_formula("mean(logprobs, over=everything)", inputs=inputs).inputs == ("logprobs",)


def test_groups_need_their_ids() -> None:
    """A group reduction without declared ``group_ids`` is refused."""
    with pytest.raises(FormulaError, match="group_ids"):
        compile_formula("mean(group_mean(scores))", inputs={"scores": INPUTS["scores"]})


@pytest.mark.parametrize(
    ("let", "says"),
    [
        ({"Ratio": "logprobs"}, "name"),
        ({"_x": "logprobs"}, "name"),
        ({"x" * 33: "logprobs"}, "name"),
        ({"mean": "logprobs"}, "word of the language"),
        ({"everything": "logprobs"}, "word of the language"),
        ({"logprobs": "old_logprobs"}, "also an input"),
        ({"clip": "old_logprobs"}, "also a parameter"),
        ({"a": "b", "b": "logprobs"}, "not declared"),
        ({"a": "a + 1"}, "not declared"),
        ({"unused": "logprobs + scores"}, "joins"),
    ],
)
def test_bad_let(let: dict[str, str], says: str) -> None:
    """Names of ``let`` are checked, and each sees only those before it; the error says in which entry it is."""
    with pytest.raises(FormulaError, match=says) as caught:
        compiled("mean(logprobs)", let)
    assert next(iter(let)) == caught.value.source_name


def test_position_in_a_formula_of_several_lines() -> None:
    """Line and column are those of the YAML text, whatever the indentation."""
    with pytest.raises(FormulaError) as caught:
        compiled("mean(\n  logprobs\n  + scors\n)")
    assert (caught.value.offset_line, caught.value.offset_col) == (2, 4)


METRICS = {
    "a/one": ("mean(x)", {"x": "logprobs - old_logprobs"}),
    "a/two": ("metric('a/one') * 2", {}),
    "a/loop": ("metric('a/pool')", {}),
    "a/pool": ("metric('a/loop')", {}),
    "a/impl": (None, {}),
    "a/broken": ("mean(nothing)", {}),
    **{f"a/deep{n}": (f"metric('a/deep{n + 1}')", {}) for n in range(50)},
}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("metric('a/loop')", "a/loop → a/pool → a/loop"),
        ("metric('a/self')", "cannot insert itself: a/self → a/self"),
        ("metric('a/impl')", "no formula"),
        ("metric('a/broken')", "in the inserted 'a/broken' \\(formula\\): `nothing` is not declared"),
        ("metric('a/deep0')", "deep"),
    ],
)
def test_bad_insertion(text: str, says: str) -> None:
    """Cycles, missing formulas and errors inside an inserted metric are errors where it is inserted."""
    with pytest.raises(FormulaError, match=says) as caught:
        compiled("mean(logprobs) + " + text, metrics=METRICS.__getitem__, metric="a/self")
    assert caught.value.offset_col == 17


def test_insertion_shares_what_is_equal() -> None:
    """An inserted metric is its formula with its own ``let``; equal parts are kept once."""
    whole = compiled(
        "metric('a/two') + metric('a/one') + mean(y)", {"y": "logprobs - old_logprobs"}, metrics=METRICS.__getitem__
    )
    assert len(whole.slots) == 2
    assert whole.inputs == ("logprobs", "old_logprobs", "mask")


def test_nested_let_is_not_expanded() -> None:
    """A ``let`` that doubles at every step, a billion-fold in the end, costs only its length."""
    let = {"x0": "logprobs"} | {f"x{n}": f"x{n - 1} + x{n - 1}" for n in range(1, 31)}
    constants = {"c0": "2"} | {f"c{n}": f"c{n - 1} - c{n - 1}" for n in range(1, 31)}
    numbers = {"p0": "clip"} | {f"p{n}": f"p{n - 1} + p{n - 1}" for n in range(1, 31)}
    source = compiled("mean(x30) * c30 / p30 + mean(where(p30 > 1, x30, 0))", let | constants | numbers)
    assert len(source.update_source) < 200


def test_long_chains_of_let() -> None:
    """A thousand names, each built on the one before, are no deeper than one expression."""
    let = {"a0": "logprobs", "b0": "mask", "c0": "clip", "d0": "2"}
    for n in range(1, 1001):
        let |= {
            f"a{n}": f"a{n - 1} + 1",
            f"b{n}": f"b{n - 1} & special",
            f"c{n}": f"c{n - 1} + 1",
            f"d{n}": f"d{n - 1} * 1",
        }
    assert len(compiled("sum(a1000 * c1000 * d1000, over=b1000)", let).slots) == 1


WORDS = [
    *FUNCTIONS,
    *INPUTS,
    "metric",
    "everything",
    "over",
    "ddof",
    "low",
    "high",
    "bins",
    "True",
    "False",
    "clip",
    "x",
]


def outcome(text: str) -> Compiled | FormulaError:
    """Compile; anything but a formula error is a bug and goes through."""
    try:
        return compiled(text, {"x": text} if len(text) % 2 else None)
    except FormulaError as error:
        return error


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_any_text_compiles_or_is_refused(text: str) -> None:
    """Whatever the text, nothing but a formula error comes out, and it points into the text."""
    error = outcome(text)
    if isinstance(error, FormulaError):
        assert 0 <= error.offset_line <= text.count("\n")
        assert 0 <= error.offset_col <= len(text)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(WORDS),
            st.sampled_from(list("()()()+-*/<>&|~,=.'\"1 ")),
            st.sampled_from(["**", "==", "0.5", "1e9"]),
        ),
        max_size=40,
    )
)
def test_any_tokens_compile_or_are_refused(tokens: list[str]) -> None:
    """Words of the language in any order give a formula or a formula error."""
    assert outcome(" ".join(tokens)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        "(" * 3_999,
        "-" * 3_999,
        "~" * 3_000 + "mask",
        "not " * 900 + "mask",
        "1" * 3_999,
        "1+" * 1_900 + "1",
        "1**" * 1_200 + "1",
        "mean(" * 700 + "logprobs" + ")" * 700,
        "mask if " * 400,
        "a" * 4_000,
        "'" * 3_999,
        "mean(logprobs)\nmean(mask)",
        "mean(logprobs) mean(mask)",
        "mean(logprobs,, mask)",
        "mean(over=)",
        "mean(over=mask, logprobs)",
        "1 = 2",
        "* logprobs",
        "." * 3_999,
        "mean(logprobs," + "logprobs," * 400 + ")",
        "metric('" + "a" * 3_000 + "')",
    ],
)
def test_hostile_texts_are_refused_at_once(text: str) -> None:
    """Texts made to exhaust a parser are refused like any other mistake."""
    assert isinstance(outcome(text), FormulaError)
