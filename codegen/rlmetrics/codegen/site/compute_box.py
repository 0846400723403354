"""How a metric is computed, for its page: an example, its inputs and parameters, its variants."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from rlmetrics.wording.metric_facts import sentence

from ..generate.functions import ComputeFunction
from ..model import Parameter
from .answer_boxes import Box
from .example import example_of
from .texts import Texts

__all__ = ["compute_box", "plain_function", "written_formula"]

_MOST_MATH = 2500
"""So much MathML shows variants; longer ones stand as the spec writes them."""


def plain_function(functions: Sequence[ComputeFunction]) -> ComputeFunction | None:
    """Return the function that is no variant; None if there is none."""
    return next((function for function in functions if function.variant is None), None)


def compute_box(functions: Sequence[ComputeFunction], texts: Texts) -> Box | None:
    """Return how the functions of a metric are called; None without any."""
    function = plain_function(functions) or next(iter(functions), None)
    if function is None:
        return None
    variants = [one for one in functions if one is not function]
    long = sum(len(written_formula(one)) for one in variants if one.compiled) > _MOST_MATH
    return {
        "code": example_of(function),
        "inputs": [(name, texts.say(word.brief)) for name, word in function.inputs.items()],
        "parameters": [(_parameter(*one), texts.say(one[1].brief)) for one in function.parameters.items()],
        "variants": [_variant(one, texts, in_words=long) for one in variants],
    }


def _variant(function: ComputeFunction, texts: Texts, *, in_words: bool) -> Box:
    parameters = [_parameter(*one) for one in function.parameters.items()]
    formula = Markup("")
    if function.compiled is not None:
        text = Markup("<code>{}</code>").format(function.formula)
        formula = text if in_words else written_formula(function)
    return {
        "call": f"{function.name}({', '.join([*function.inputs, *(['*', *parameters] if parameters else [])])})",
        "brief": texts.say(sentence(function.brief)),
        "formula": formula,
    }


def _parameter(name: str, parameter: Parameter) -> str:
    return name if parameter.default is None else f"{name}={parameter.default!r}"


def written_formula(function: ComputeFunction) -> Markup:
    """Return the formula of a function that has one, as mathematics."""
    assert function.compiled is not None
    return Markup(function.compiled.mathml.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', ""))
