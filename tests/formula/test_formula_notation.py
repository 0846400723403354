"""Formulas as mathematics: valid MathML, and what it shows."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from formula.formula_support import compiled
from formula.test_formula_values import FORMULAS, LET

ARITY = {"mfrac": 2, "msup": 2, "msub": 2, "munder": 2, "msqrt": 1}
"""How many children the elements take that take a fixed number."""

CONTAINERS = {"math", "mrow", "mtable", "mtr", "mtd", *ARITY}
TOKENS = {"mi", "mn", "mo", "mtext"}
SPACE = "{http://www.w3.org/1998/Math/MathML}"


@pytest.mark.parametrize("formula", FORMULAS)
def test_mathml_is_valid(formula: str) -> None:
    """The MathML parses, knows every element, and gives each as many children as it takes."""
    root = ElementTree.fromstring(compiled(formula, LET).mathml)
    assert root.tag == f"{SPACE}math"
    for element in root.iter():
        name = element.tag.removeprefix(SPACE)
        assert name in CONTAINERS | TOKENS
        if name in TOKENS:
            assert element.text
            assert len(element) == 0
        else:
            assert not (element.text or "").strip()
            assert ARITY.get(name, len(element)) == len(element)
            if name in ("mtable", "mtr"):
                assert {child.tag for child in element} == {f"{SPACE}{'mtr' if name == 'mtable' else 'mtd'}"}


def read_out(element: ElementTree.Element) -> str:
    """The formula in one line: what stands below after ``_``, above after ``^``, and what is divided in brackets."""
    parts = [read_out(child) for child in element]
    name = element.tag.removeprefix(SPACE)
    if name in TOKENS:
        return (element.text or "").replace("\u2061", "").replace("\u2062", "").replace("\u00a0", " ")
    if name in ("msub", "munder", "msup"):
        return f"{parts[0]}{'^' if name == 'msup' else '_'}{{{parts[1]}}}"
    if name == "mfrac":
        return f"[{parts[0]} / {parts[1]}]"
    return ("; " if name == "mtable" else " ").join(filter(None, parts))


def shown(formula: str, let: dict[str, str] | None = None) -> str:
    """What the MathML of a formula shows."""
    return read_out(ElementTree.fromstring(compiled(formula, let).mathml))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (
            "mean(0.5 * (logprobs - old_logprobs) ** 2)",
            "[1 / | M |] ∑_{t ∈ M} 0.5 ( log π_{θ} − log π_{old} )^{2}",
        ),
        ("mean(seq_sum(logprobs))", "[1 / B] ∑_{i} ∑_{t ∈ M_{i}} log π_{θ}"),
        ("mean(seq_mean(advantages))", "[1 / B] ∑_{i} [1 / | M_{i} |] ∑_{t ∈ M_{i}} A"),
        ("mean(advantages > 0)", "[| { t ∈ M : A > 0 } | / | M |]"),
        ("sum(advantages, over=mask & (advantages > 0))", "∑_{t ∈ M : A > 0} A"),
        ("mean(advantages, over=everything)", "[1 / B T] ∑_{t} A"),
        ("var(scores, ddof=0)", "Var pop_{i} ( s )"),
        ("max(scores)", "max_{i} s"),
        ("mean(group_std(scores))", "[1 / G] ∑_{g} Std_{i ∈ g} ( s )"),
        ("mean(logprobs + advantages) / 3", "[[1 / | M |] ∑_{t ∈ M} ( log π_{θ} + A ) / 3]"),
        ("mean(-advantages * exp(logprobs))", "[1 / | M |] ∑_{t ∈ M} ( − A exp ( log π_{θ} ) )"),
        ("mean(1e-8 * advantages)", "[1 / | M |] ∑_{t ∈ M} 10^{− 8} A"),
    ],
)
def test_formula_in_mathematics(formula: str, text: str) -> None:
    """Sums have ranges, means their sizes, policies their index; brackets stand only where needed."""
    assert shown(formula) == text


def test_let_names_are_explained_below() -> None:
    """Each ``let`` name that is used is one line, those it uses after it; others do not appear."""
    let = {"ratio": "exp(logprobs)", "unused": "abs(logprobs)", "loss": "-advantages * ratio"}
    lines = shown("mean(loss)", let).split("; ")
    assert [line.partition("=")[0].strip() for line in lines[1:]] == ["where  loss", "and  ratio"]
    assert lines[0] == "[1 / | M |] ∑_{t ∈ M} loss"
