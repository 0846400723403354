"""Formulas as mathematics: valid MathML, balanced LaTeX, and what they show."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize("formula", FORMULAS)
def test_latex_is_balanced(formula: str) -> None:
    r"""Every brace, ``\left`` and ``\begin`` of the LaTeX is closed, and nothing is outside ASCII."""
    latex = compiled(formula, LET).latex
    assert latex.isascii()
    plain = latex.replace(r"\{", "").replace(r"\}", "")
    depth = 0
    for character in plain:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    assert len(re.findall(r"\\left\b", latex)) == len(re.findall(r"\\right\b", latex))
    assert sorted(re.findall(r"\\begin\{(\w+)\}", latex)) == sorted(re.findall(r"\\end\{(\w+)\}", latex))


@pytest.mark.parametrize(
    ("formula", "latex"),
    [
        (
            "mean(0.5 * (logprobs - old_logprobs) ** 2)",
            r"\frac{1}{\left| M \right|} \sum_{t \in M} 0.5"
            r" {\left( \log \pi_{\theta} - \log \pi_{\mathrm{old}} \right)}^{2}",
        ),
        ("mean(seq_sum(logprobs))", r"\frac{1}{B} \sum_{i} \sum_{t \in M_{i}} \log \pi_{\theta}"),
        ("mean(seq_mean(advantages))", r"\frac{1}{B} \sum_{i} \frac{1}{\left| M_{i} \right|} \sum_{t \in M_{i}} A"),
        ("mean(advantages > 0)", r"\frac{\left| \left\{ t \in M : A > 0 \right\} \right|}{\left| M \right|}"),
        ("sum(advantages, over=mask & (advantages > 0))", r"\sum_{t \in M : A > 0} A"),
        ("mean(advantages, over=everything)", r"\frac{1}{B T} \sum_{t} A"),
        ("var(scores, ddof=0)", r"\operatorname*{Var\ pop}_{i} \left( s \right)"),
        ("max(scores)", r"\max_{i} s"),
        ("mean(group_std(scores))", r"\frac{1}{G} \sum_{g} \operatorname*{Std}_{i \in g} \left( s \right)"),
        (
            "mean(logprobs + advantages) / 3",
            r"\frac{\frac{1}{\left| M \right|} \sum_{t \in M} \left( \log \pi_{\theta} + A \right)}{3}",
        ),
        (
            "mean(-advantages * exp(logprobs))",
            r"\frac{1}{\left| M \right|} \sum_{t \in M} \left( - A \exp \left( \log \pi_{\theta} \right) \right)",
        ),
        ("mean(1e-8 * advantages)", r"\frac{1}{\left| M \right|} \sum_{t \in M} {10}^{- 8} A"),
    ],
)
def test_latex(formula: str, latex: str) -> None:
    """Sums have ranges, means their sizes, policies their index; brackets stand only where needed."""
    assert latex == compiled(formula).latex


def test_let_names_are_explained_below() -> None:
    """Each ``let`` name that is used is one line, those it uses after it; others do not appear."""
    let = {"ratio": "exp(logprobs)", "unused": "abs(logprobs)", "loss": "-advantages * ratio"}
    latex = compiled("mean(loss)", let).latex
    assert latex.index(r"\sum_{t \in M} \mathrm{loss}") < latex.index(r"\text{where } \mathrm{loss} =")
    assert latex.index(r"\text{where } \mathrm{loss} =") < latex.index(r"\text{and } \mathrm{ratio} =")
    assert "unused" not in latex
