"""Formulas drawn at random: what they are made of, and how they grow."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NUMBERS = st.sampled_from(["0", "1", "2", "0.5", "1.25", "-1", "clip", "limit"])
LEAVES = {
    "token": ["logprobs", "old_logprobs", "advantages", "tokens", "per_token(scores)", "entropy(logits)"],
    "sequence": ["scores", "lengths", "seq_sum(logprobs)", "seq_max(advantages, over=everything)"],
    "group": ["group_mean(scores)", "group_sum(lengths)", "group_count()", "difficulty"],
}


def numeric(domain: str) -> st.SearchStrategy[str]:
    """Return formulas with a number per element, kept within bounds so that rounding stays small."""

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pair = st.tuples(inner, st.one_of(inner, NUMBERS))
        return st.one_of(
            st.tuples(pair, st.sampled_from("+-*")).map(lambda t: f"({t[0][0]} {t[1]} {t[0][1]})"),
            pair.map(lambda t: f"{t[0]} / (1 + square({t[1]}))"),
            st.tuples(
                inner, st.sampled_from(["sigmoid", "abs", "sign", "square", "log_sigmoid", "-", "is_finite"])
            ).map(
                lambda t: (
                    f"(-{t[0]})"
                    if t[1] == "-"
                    else f"where({t[1]}({t[0]}), 1, 0)"
                    if t[1] == "is_finite"
                    else f"{t[1]}({t[0]})"
                )
            ),
            inner.map(lambda x: f"exp(clamp({x}, -2, 2))"),
            inner.map(lambda x: f"log1p(abs({x}))"),
            st.tuples(pair, st.sampled_from(["minimum", "maximum"])).map(lambda t: f"{t[1]}({t[0][0]}, {t[0][1]})"),
            st.tuples(condition(inner), pair).map(lambda t: f"where({t[0]}, {t[1][0]}, {t[1][1]})"),
            inner.map(lambda x: f"clamp({x}, -2, 2) ** 2"),
        )

    return st.recursive(st.sampled_from(LEAVES[domain]), grow, max_leaves=4)


def condition(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return comparisons and what joins them."""
    simple = st.tuples(inner, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), st.one_of(inner, NUMBERS)).map(
        lambda t: f"({t[0]} {t[1]} {t[2]})"
    )
    return st.one_of(
        simple,
        simple.map(lambda x: f"~{x}"),
        st.tuples(simple, st.sampled_from("&|"), simple).map(lambda t: f"({' '.join(t)})"),
    )


SEEDS = st.integers(0, 10_000)
