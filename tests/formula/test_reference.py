"""The reference evaluator on its own: its parser and its definitions, by hand."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from rlmetrics.oracle import FormulaSyntaxError, evaluate

TOKENS = {"x": [[1.0, 2.0], [4.0, 99.0]], "mask": [[True, True], [True, False]]}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("mean(x)", 7 / 3),
        ("mean(-x ** 2)", -21 / 3),
        ("mean(x - 1 - 1)", 1 / 3),
        ("mean(x / 2 / 2)", 7 / 12),
        ("mean(2 ** -1 * x + 2 * x ** 2)", (3.5 + 42) / 3),
        ("mean(x > 1)", 2 / 3),
        ("mean(~(x > 1) | (x > 3) & mask)", 2 / 3),
        ("mean(x, over=everything)", 26.5),
        ("mean(x, over=everything & (x > 1))", 35.0),
        ("mean(seq_sum(x))", 3.5),
        ("mean(seq_last(x))", 3.0),
        ("var(x)", (16 / 9 + 1 / 9 + 25 / 9) / 2),
        ("where(mean(x) > 2, 10, 20)", 10.0),
        ("count(x == 4)", 1.0),
        ("mean(clamp(x, 1.5, 3))", 6.5 / 3),
        ("quantile(x, level=0.75)", 3.0),
        ("at_max(-x, x)", -4.0),
    ],
)
def test_by_hand(formula: str, value: float) -> None:
    """Precedence, populations and definitions are those of the language."""
    assert value == pytest.approx(evaluate(formula, {}, TOKENS, {}))


def test_histogram() -> None:
    """A histogram is a dict of counts and extremes."""
    result = evaluate("histogram(x, low=1, high=3, bins=2)", {}, TOKENS, {})
    assert result == {"counts": [0, 1, 1, 1], "min": 1, "max": 4}


def test_let_metrics_and_parameters() -> None:
    """``let`` names see those before; inserted metrics bring their own; parameters are numbers."""
    let = {"a": "x + 1", "b": "a * 2"}
    value = evaluate(
        "mean(b) + metric('m') * clip", let, TOKENS, {"clip": 0.5}, metrics=lambda _: ("sum(c)", {"c": "x"})
    )
    assert value == pytest.approx(20 / 3 + 3.5)


@pytest.mark.parametrize(("empty", "value"), [(None, 0.0), ("nan", math.nan), ("omit", math.nan), (0, 0.0)])
def test_value_over_nothing(empty: str | int | None, value: float) -> None:
    """A sum over nothing is the declared value, or zero if none is declared."""
    nothing = {"x": [[1.0]], "mask": [[False]]}
    assert value == pytest.approx(evaluate("sum(x)", {}, nothing, {}, empty), nan_ok=True)  # type: ignore[arg-type]


def test_spread_over_no_rows() -> None:
    """Numbers of responses spread over the tokens of none are no numbers: their sum is zero and their mean NaN."""
    several: list[dict[str, list[float]]] = [{"x": [], "mask": []}, {"x": [], "y": []}]
    for inputs in several:
        assert evaluate("sum(per_token(x), over=everything)", {}, inputs, {}) == 0.0
        mean = evaluate("mean(per_token(x), over=everything)", {}, inputs, {}, "nan")
        assert math.nan == pytest.approx(mean, nan_ok=True)


@pytest.mark.parametrize("text", ["", "mean(", "mean(x))", "1 +", "mean(x] ", "nothing(x)"])
def test_texts_that_are_no_formula(text: str) -> None:
    """The parser refuses what it cannot read."""
    with pytest.raises(FormulaSyntaxError):
        evaluate(text, {}, TOKENS, {})


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("max(x / 0)", math.inf),
        ("max(exp(x * 1000))", math.inf),
        ("min(log(x - x))", -math.inf),
        ("max(sqrt(-x))", math.nan),
        ("max((x - x) ** -1)", math.inf),
        ("max(minimum(x, 0 / (x - x)))", math.nan),
    ],
)
def test_arithmetic_does_not_raise(formula: str, value: float) -> None:
    """Where Python raises, the reference gives what IEEE 754 says."""
    assert value == pytest.approx(evaluate(formula, {}, TOKENS, {}), nan_ok=True)


def test_reference_shares_nothing() -> None:
    """The reference needs neither torch nor the compiler."""
    script = (
        "import sys, rlmetrics.oracle as r; r.evaluate('mean(x)', {}, {'x': [1.0]}, {});"
        "print([m for m in sys.modules if m == 'torch' or m.startswith(('rlmetrics.codegen', 'rlmetrics.state'))])"
    )
    done = subprocess.run([sys.executable, "-c", script], text=True, capture_output=True, check=True)
    assert done.stdout.strip() == "[]"
