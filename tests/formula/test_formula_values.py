"""Every function of the language computes what it says, and what the reference says."""

from __future__ import annotations

import math

import pytest
import torch
from formula.formula_support import assert_same, compiled, expected, make, run
from rlmetrics.codegen.formula import OPERATIONS

OF_ONE = [row for row in OPERATIONS.values() if row.arguments == ("x",) and not row.required and row.of != "condition"]
"""What takes one number and nothing else: whoever adds such a row has it computed here."""

FORMULAS = [
    *(f"mean({row.name}(x))" for row in OF_ONE if row.family == "elementwise"),
    *(f"{row.name}(x)" for row in OF_ONE if row.family == "reduction" and row.name != "last"),
    "mean(x + 2 * logprobs - old_logprobs / 4)",
    "mean(-x)",
    "mean(x ** 2) + mean(x ** 3) + mean(abs(x) ** 0.5) + mean((x + 10) ** -2)",
    "mean(x ** -1)",
    "mean(x / old_logprobs)",
    "mean(minimum(x, old_logprobs)) + mean(maximum(x, 0.3)) + mean(minimum(0.1, x))",
    "mean(clamp(x, -clip, clip))",
    "mean(clamp(x, old_logprobs, 1))",
    "mean(clamp(x, 1, -1))",
    "mean(where(x > 0, x, old_logprobs))",
    "mean(where(x > 0, 1, 0)) + mean(where(x > 0.1, 0.3, 0.7))",
    "mean(where(flag, x, old_logprobs)) + mean(where(flag, x, 1)) + mean(where(flag, 1, x))",
    "mean(where(special, x > 0, x < 1))",
    "mean(where(log(clip) < 0, x, 2))",
    "mean(where(flag & (clip > 0.1), x, 2) * where(flag, 2, 3))",
    "mean(where(~flag, x, log(clip)))",
    "mean(x * log(clip) + sqrt(2) + clip / limit + exp(1) + min_of)",
    "mean((x > 0) & ~(old_logprobs > 0) | special)",
    "mean(x == 0) + mean(x != 0) + mean(x <= 0.5) + mean(x >= 0.5) + mean(special == (x > 0))",
    "mean(tokens == 1) + mean(tokens > 0.5) + mean(tokens)",
    "sum(x) + count(x > 0) + min(x) + max(x) + min(tokens)",
    "var(x) + var(x, ddof=0) + std(x) + std(x, ddof=0) + mean(x)",
    "1 - var(logprobs - old_logprobs) / var(logprobs)",
    "cov(x, old_logprobs) + cov(x, tokens, ddof=0) + corr(x, old_logprobs)",
    "at_max(x, old_logprobs) + at_max(tokens, x, over=special & mask) + max(x)",
    *(f"quantile(x, level={level}) + mean(x)" for level in (0, 0.25, 0.5, 0.99, 1)),
    "quantile(tokens, level=0.5, over=everything) + at_max(lengths, scores)",
    "quantile(group_mean(scores), level=0.7) + at_max(group_count(), group_mean(scores))",
    "mean(x, over=everything) + var(x, over=everything)",
    "mean(x, over=mask & (old_logprobs > 0))",
    "count(special, over=everything & (x > 0)) / count(special, over=everything)",
    "mean(scores) + sum(scores) + min(lengths) + max(scores) + var(scores) + mean(terminated) + count(terminated)",
    "mean(lengths / 3) + mean(lengths - scores) + mean(lengths >= limit) + mean(lengths == 3)",
    "mean(scores, over=terminated) + mean(scores, over=everything)",
    "std(scores) + corr(scores, lengths)",
    *(f"mean(seq_{name}(x))" for name in ["sum", "mean", "min", "max", "first", "last"]),
    *(f"mean(seq_{name}(x > 0))" for name in ["count", "any", "all", "mean", "first", "last"]),
    *(f"mean(seq_{name}(x, over=everything))" for name in ["sum", "mean", "min", "max", "first", "last"]),
    *(
        f"mean(seq_{name}(x, over=mask & special), over=seq_any(mask & special))"
        for name in ["sum", "mean", "min", "max", "first", "last"]
    ),
    "max(seq_sum(x)) - min(seq_max(tokens))",
    "mean(seq_last(tokens == 1))",
    "mean(per_token(scores)) + mean(per_token(scores) * x) + mean(per_token(terminated))",
    "mean(per_token(scores), over=everything) + mean(per_token(lengths))",
    "mean(per_token(per_sequence(difficulty)) + x)",
    "mean((x - per_token(seq_mean(x))) ** 2)",
    *(f"mean(group_{name}(scores))" for name in ["mean", "sum", "min", "max"]),
    "mean(group_count())",
    "mean(group_count(over=terminated))",
    "mean(group_std(scores, ddof=0)) + mean(group_var(scores, ddof=0))",
    "mean(group_std(scores), over=group_count() > 1)",
    "mean(group_var(scores) == 0)",
    "mean(group_mean(scores, over=terminated) > 0)",
    "mean(group_min(scores, over=terminated), over=group_count(over=terminated) > 0)",
    "mean(group_max(seq_sum(x)))",
    "mean(group_mean(terminated))",
    "mean(difficulty) + max(difficulty * group_mean(scores))",
    "mean(scores - per_sequence(group_mean(scores))) + std(scores / (per_sequence(group_std(scores, ddof=0)) + 1e-4))",
    "mean(entropy(logits)) + mean(logsumexp(logits)) + mean(log_prob(logits, tokens))",
    "mean(argmax_equals(logits, tokens))",
    "mean(entropy(logits / 2)) + mean(logsumexp(logits * 2)) + mean(log_prob(logits - 1, tokens))",
    "mean(argmax_equals(-logits, tokens))",
    "mean(sum_vocab(logits))",
    "mean(sum_vocab(softmax(logits) * (log_softmax(logits) - log_softmax(ref_logits))))",
    "mean(sum_vocab(softmax(logits) * (logits - softmax(ref_logits)))) + mean(sum_vocab(softmax(logits) ** 2))",
    "mean(sum_vocab(where(per_vocab(special), softmax(logits), 2 * softmax(ref_logits))))",
    "mean(sum_vocab(per_vocab(x)))",
    "mean(sum_vocab(exp(logits - per_vocab(logsumexp(logits)))) * x)",
    "mean(sum_vocab(logits), over=everything) + mean(entropy(logits), over=everything)",
    "mean(seq_sum(entropy(logits)))",
    "histogram(x, low=-1, high=1, bins=4)",
    "histogram(seq_sum(x), low=-3.5, high=2.5, bins=5)",
    "histogram(tokens, low=0, high=2, bins=2, over=everything)",
    "mean(times) + sum(times) + min(times) + max(times) + std(times) + var(times * 2)",
    "last(coefficient) + mean(coefficient) + sum(coefficient) + min(coefficient) + max(coefficient * 2)",
    "mean(per_token(coefficient) * x) + mean(per_sequence(coefficient) + scores)",
    "where(mean(x) > 0, mean(x), sum(x)) + minimum(mean(x), 0) + clamp(mean(x), -clip, clip)",
    "where(mean(x) > clip, 0.3, 0.1) + exp(mean(x)) + mean(x) ** 2 - sqrt(abs(mean(x)))",
    "mean(x) * clip / limit + log1p(count(x > 0))",
]

LET = {"x": "logprobs - advantages", "min_of": "minimum(clip, limit)", "chosen": "mask & special"}


@pytest.mark.parametrize("formula", FORMULAS)
def test_compiled_value_is_the_reference_value(formula: str) -> None:
    """The generated source agrees with the reference on ragged data with ties, an empty row and a lonely group."""
    source = compiled(formula, LET)
    for seed in range(4):
        tensors = make(seed, batch=6)
        tensors["mask"][1] = seed % 2 == 0
        assert_same(expected(formula, tensors, LET), run(source, tensors), formula)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("mean(logprobs)", 2.0),
        ("sum(logprobs)", 6.0),
        ("var(logprobs)", 1.0),
        ("var(logprobs, ddof=0)", 2 / 3),
        ("std(logprobs)", 1.0),
        ("min(logprobs)", 1.0),
        ("max(logprobs)", 3.0),
        ("count(logprobs > 1)", 2.0),
        ("mean(logprobs > 1)", 2 / 3),
        ("mean(logprobs, over=everything)", (1 + 2 + 3 + 99) / 4),
        ("mean(seq_sum(logprobs))", 3.0),
        ("mean(seq_mean(logprobs))", (1.5 + 3) / 2),
        ("mean(seq_last(logprobs))", 2.5),
        ("mean(seq_first(logprobs))", 2.0),
        ("mean(logprobs * per_token(scores))", (1 * 10 + 2 * 10 + 3 * 20) / 3),
        ("mean(group_mean(scores))", 15.0),
        ("mean(group_count())", 2.0),
    ],
)
def test_value_by_hand(formula: str, value: float) -> None:
    """Values worked out by hand, so that compiler and reference are not wrong together."""
    tensors = {
        **make(0, batch=2, width=2),
        "logprobs": torch.tensor([[1.0, 2.0], [3.0, 99.0]], dtype=torch.float64),
        "mask": torch.tensor([[True, True], [True, False]]),
        "scores": torch.tensor([10.0, 20.0], dtype=torch.float64),
        "group_ids": torch.tensor([4, 4]),
    }
    assert value == pytest.approx(run(compiled(formula), tensors).item())
    assert value == pytest.approx(expected(formula, tensors))


def test_histogram_edges() -> None:
    """Bins include their lower edge, the last also its upper; NaN is in no bin, but shows in the extremes."""
    source = compiled("histogram(logprobs, low=0, high=3, bins=3)")
    tensors = make(0, batch=1, width=7)
    tensors["logprobs"] = torch.tensor([[0.0, 1.0, 3.0, -0.1, 3.1, 2.9, 9.0]])
    tensors["mask"] = torch.tensor([[True] * 6 + [False]])
    below, first, second, third, above, low, high = run(source, tensors).tolist()
    assert (below, first, second, third, above) == (1, 1, 1, 2, 1)
    assert (low, high) == (pytest.approx(-0.1), pytest.approx(3.1))
    tensors["logprobs"][0, 0] = math.nan
    result = run(source, tensors).tolist()
    assert sum(result[:5]) == 5
    assert math.isnan(result[5])
    assert math.isnan(result[6])


@pytest.mark.parametrize(
    "formula", ["mean(logprobs)", "var(logprobs)", "min(logprobs)", "histogram(logprobs, low=-1, high=1, bins=2)"]
)
def test_nan_can_be_skipped(formula: str) -> None:
    """With ``nan: skip`` NaN counts like padding; without, it shows."""
    tensors = make(3)
    tensors["mask"][0, :2] = True
    tensors["logprobs"][0, 0] = math.nan
    actual = run(compiled(formula, nan="skip"), tensors)
    assert bool(actual.isfinite().all())
    assert_same(expected(formula, tensors, nan="skip"), actual)
    assert not bool(run(compiled(formula), tensors).isfinite().all())


@pytest.mark.parametrize("formula", ["mean(per_token(scores))", "mean(group_mean(scores))", "mean(seq_max(logprobs))"])
def test_no_sequence_at_all(formula: str) -> None:
    """A batch of no sequences is an empty population, not a crash."""
    tensors = make(0, batch=0)
    assert math.isnan(run(compiled(formula), tensors).item())


@pytest.mark.parametrize(
    "formula",
    ["min(logprobs)", "mean(seq_max(logprobs))", "mean(seq_last(logprobs))", "mean(entropy(logits))"],
)
def test_no_token_at_all(formula: str) -> None:
    """Responses of width zero are an empty population, not a crash."""
    assert math.isnan(run(compiled(formula), make(0, width=0)).item())


def test_division_of_parameters_by_zero() -> None:
    """Parameters divide like tensors: by zero to infinity, not to an exception."""
    source = compiled("where(mean(logprobs > 9) == 0, clip / limit, log(limit - limit))")
    tensors = make(0)
    assert math.inf == run(source, tensors, limit=0).item()
