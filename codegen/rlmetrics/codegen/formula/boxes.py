"""Mathematics as boxes, and the boxes as MathML and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

__all__ = [
    "Box",
    "Cases",
    "Fence",
    "Fraction",
    "Lines",
    "MarkBox",
    "NumberBox",
    "Power",
    "Root",
    "RowBox",
    "Sub",
    "Under",
    "WordBox",
]

_LATEX_WORDS: Final = {
    "∑": r"\sum",
    "∈": r"\in",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "∧": r"\land",
    "∨": r"\lor",
    "¬": r"\lnot",
    "∃": r"\exists",
    "∀": r"\forall",
    "·": r"\cdot",
    "−": "-",
    "π": r"\pi",
    "θ": r"\theta",
    "σ": r"\sigma",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ε": r"\epsilon",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "μ": r"\mu",
    "ρ": r"\rho",
    "τ": r"\tau",
    "ℓ": r"\ell",
    "ℝ": r"\mathbb{R}",
    "\u2061": "",
    "\u2062": "",
}
_LATEX_OPERATORS: Final = frozenset(["log", "exp", "min", "max", "arg"])


class Box:
    """A piece of mathematics."""

    def mathml(self) -> str:
        """Return presentation MathML: one element."""
        raise TypeError

    def latex(self) -> str:
        """Return LaTeX for math mode."""
        raise TypeError


@dataclass(frozen=True)
class WordBox(Box):
    """An identifier: one letter is set in italics, a word upright."""

    text: str

    def mathml(self) -> str:
        """Return an ``mi`` element."""
        variant = ' mathvariant="normal"' if len(self.text) == 1 and not self.text.isascii() else ""
        return f"<mi{variant}>{escape(self.text)}</mi>"

    def latex(self) -> str:
        """Return a letter, a known operator, or an upright word."""
        if self.text in _LATEX_WORDS:
            return _LATEX_WORDS[self.text]
        if self.text in _LATEX_OPERATORS:
            return rf"\{self.text}"
        if len(self.text) == 1:
            return self.text
        return rf"\mathrm{{{_words(self.text)}}}"


@dataclass(frozen=True)
class NumberBox(Box):
    """A number."""

    text: str

    def mathml(self) -> str:
        """Return an ``mn`` element."""
        return f"<mn>{self.text}</mn>"

    def latex(self) -> str:
        """Return the digits."""
        return self.text


@dataclass(frozen=True)
class MarkBox(Box):
    """An operator, relation or comma."""

    text: str

    def mathml(self) -> str:
        """Return an ``mo`` element."""
        return f"<mo>{escape(self.text)}</mo>"

    def latex(self) -> str:
        """Return the sign."""
        return _LATEX_WORDS.get(self.text, self.text)


@dataclass(frozen=True)
class RowBox(Box):
    """Boxes side by side."""

    parts: Sequence[Box]

    def mathml(self) -> str:
        """Return an ``mrow`` element."""
        return f"<mrow>{''.join(part.mathml() for part in self.parts)}</mrow>"

    def latex(self) -> str:
        """Return the parts with blanks between."""
        return " ".join(text for part in self.parts if (text := part.latex()))


@dataclass(frozen=True)
class Fraction(Box):
    """One over the other."""

    top: Box
    bottom: Box

    def mathml(self) -> str:
        """Return an ``mfrac`` element."""
        return f"<mfrac>{self.top.mathml()}{self.bottom.mathml()}</mfrac>"

    def latex(self) -> str:
        r"""Return a ``\frac``."""
        return rf"\frac{{{self.top.latex()}}}{{{self.bottom.latex()}}}"


@dataclass(frozen=True)
class Power(Box):
    """A base with something above."""

    base: Box
    exponent: Box

    def mathml(self) -> str:
        """Return an ``msup`` element."""
        return f"<msup>{self.base.mathml()}{self.exponent.mathml()}</msup>"

    def latex(self) -> str:
        """Return base and exponent."""
        return f"{{{self.base.latex()}}}^{{{self.exponent.latex()}}}"


@dataclass(frozen=True)
class Sub(Box):
    """A base with something below to the right."""

    base: Box
    index: Box

    def mathml(self) -> str:
        """Return an ``msub`` element."""
        return f"<msub>{self.base.mathml()}{self.index.mathml()}</msub>"

    def latex(self) -> str:
        """Return base and index."""
        return f"{self.base.latex()}_{{{self.index.latex()}}}"


@dataclass(frozen=True)
class Under(Box):
    """A big operator, such as a sum or ``min``, with its range below."""

    operator: str
    below: Box

    def mathml(self) -> str:
        """Return an ``munder`` element."""
        big = MarkBox(self.operator) if len(self.operator) == 1 else WordBox(self.operator)
        return f"<munder>{big.mathml()}{self.below.mathml()}</munder>"

    def latex(self) -> str:
        """Return the operator with its range."""
        if self.operator in _LATEX_WORDS:
            name = _LATEX_WORDS[self.operator]
        else:
            name = (
                rf"\{self.operator}"
                if self.operator in _LATEX_OPERATORS
                else rf"\operatorname*{{{_words(self.operator)}}}"
            )
        return f"{name}_{{{self.below.latex()}}}"


@dataclass(frozen=True)
class Root(Box):
    """A square root."""

    body: Box

    def mathml(self) -> str:
        """Return an ``msqrt`` element."""
        return f"<msqrt>{self.body.mathml()}</msqrt>"

    def latex(self) -> str:
        r"""Return a ``\sqrt``."""
        return rf"\sqrt{{{self.body.latex()}}}"


@dataclass(frozen=True)
class Fence(Box):
    """A box between brackets or bars."""

    opening: str
    body: Box
    closing: str

    def mathml(self) -> str:
        """Return a row with stretching fences."""
        # First and last in their row, they are prefix and postfix by default.
        return f"<mrow><mo>{self.opening}</mo>{self.body.mathml()}<mo>{self.closing}</mo></mrow>"

    def latex(self) -> str:
        r"""Return ``\left … \right``."""
        return rf"\left{_fence(self.opening)} {self.body.latex()} \right{_fence(self.closing)}"


@dataclass(frozen=True)
class Cases(Box):
    """One box if a condition holds, else another."""

    condition: Box
    then: Box
    otherwise: Box

    def mathml(self) -> str:
        """Return a brace with a table."""
        rows = [
            (self.then, f"<mrow><mtext>if&#xA0;</mtext>{self.condition.mathml()}</mrow>"),
            (self.otherwise, "<mtext>otherwise</mtext>"),
        ]
        cells = "".join(f"<mtr><mtd>{box.mathml()}</mtd><mtd>{text}</mtd></mtr>" for box, text in rows)
        return f'<mrow><mo>{{</mo><mtable columnalign="left">{cells}</mtable></mrow>'

    def latex(self) -> str:
        """Return a ``cases`` environment."""
        return (
            rf"\begin{{cases}} {self.then.latex()} & \text{{if }} {self.condition.latex()} \\"
            rf" {self.otherwise.latex()} & \text{{otherwise}} \end{{cases}}"
        )


@dataclass(frozen=True)
class Lines(Box):
    """A formula with the definitions of its names below."""

    first: Box
    definitions: Sequence[tuple[Box, Box]]

    def mathml(self) -> str:
        """Return a table with one row per line."""
        rows = [self.first.mathml()]
        for index, (name, value) in enumerate(self.definitions):
            lead = "where&#xA0;" if index == 0 else "and&#xA0;"
            rows.append(f"<mrow><mtext>{lead}</mtext>{name.mathml()}<mo>=</mo>{value.mathml()}</mrow>")
        cells = "".join(f"<mtr><mtd>{row}</mtd></mtr>" for row in rows)
        return f'<mtable columnalign="left" displaystyle="true">{cells}</mtable>'

    def latex(self) -> str:
        """Return an ``aligned`` environment."""
        rows = [rf"& {self.first.latex()}"]
        for index, (name, value) in enumerate(self.definitions):
            rows.append(rf"& \text{{{'where' if index == 0 else 'and'} }} {name.latex()} = {value.latex()}")
        return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"


def _words(text: str) -> str:
    return text.replace(" ", "\\ ")


def _fence(mark: str) -> str:
    return rf"\{mark}" if mark in "{}" else mark
