"""The table of operations: one row says everything that differs from one operation to the next.

Checking, both renderers, mathematics, plans of slots and the analysis of padding read it. A new function of single
elements is one row here and a definition in the reference evaluator, which shares nothing with this table on purpose.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from math import log
from typing import Any, Final

from rlmetrics.state.kinds import SlotKind

from . import box_shapes
from .box_shapes import APPLY, BIG, PRODUCT, RELATION, SUM, Shape, calling, infix
from .mathml import cases, fence, fraction, root, word
from .nodes import Extent
from .operation import Family, Operation

__all__ = ["FUNCTIONS", "OPERATIONS", "OPERATORS", "REDUCTIONS"]


def _operator(name: str, sign: str, called: str, *, shape: Shape | None = None, **more: Any) -> Operation:
    """Return a row of arithmetic."""
    return Operation(name=name, family="arithmetic", infix=sign, called=called, shape=shape, strict=True, **more)


def _condition(name: str, sign: str, mark: str, python: Callable[[Any, Any], Any], binds: int = RELATION) -> Operation:
    """Return a row of what gives a truth value of two operands."""
    return Operation(
        name=name,
        family="comparison" if binds == RELATION else "logic",
        infix=sign,
        dtype="bool",
        python=python,
        shape=infix(mark, binds),
        called="condition",
        symmetric=sign in ("==", "!=", "&", "|"),
    )


def _function(name: str, brief: str, arguments: str = "x", **more: Any) -> Operation:
    """Return a row of a function of single elements, which torch and ``host`` have by its name if nothing is said."""
    more = {"torch": f"torch.{name}", "host": f"host.{name}", "shape": calling(name), "strict": True, **more}
    return Operation(name=name, family="elementwise", brief=brief, arguments=tuple(arguments.split()), **more)


def _broadcast(extent: Extent, takes: tuple[Extent, ...], called: str, brief: str) -> Operation:
    return Operation(
        name=f"per_{extent}", family="broadcast", brief=brief, takes=takes, extent=extent, hidden=True, called=called
    )


def _vocab(name: str, brief: str, shape: Shape, arguments: str = "logits", **more: Any) -> Operation:
    more = {"takes": ("vocab",), "extent": "token", "shape": shape, **more}
    return Operation(name=name, family="vocab", brief=brief, arguments=tuple(arguments.split()), **more)


def _sequence(statistic: str, brief: str, **more: Any) -> Operation:
    return _level("sequence", f"seq_{statistic}", brief, takes=("token",), **more)


def _group(statistic: str, brief: str, **more: Any) -> Operation:
    return _level("group", f"group_{statistic}", brief, takes=("sequence",), **more)


def _reduction(name: str, brief: str, slot: SlotKind, result: str = "", arguments: str = "x", **more: Any) -> Operation:
    more |= {"slot": slot, "result": result, "arguments": tuple(arguments.split())}
    return _level("reduction", name, brief, extent="reduced", **more)


def _level(
    family: Family, name: str, brief: str, *, keywords: str = "over", required: str = "", **more: Any
) -> Operation:
    """Return a row of what reduces: to sequences, to groups or to a number."""
    more = {"extent": family, **more}
    return Operation(
        name=name,
        family=family,
        brief=brief,
        keywords=tuple(keywords.split()),
        required=tuple(required.split()),
        **more,
    )


_TABLE: Final[Iterable[Operation]] = (
    # Leaves, and what only the compiler makes
    Operation(name="input", family="leaf"),
    Operation(name="parameter", family="leaf"),
    Operation(name="literal", family="leaf"),
    Operation(name="to_float", family="inner", torch="ops.as_float", hidden=True, called="{}_float", zero=0),
    Operation(name="not_nan", family="inner", dtype="bool", shape=box_shapes.suffix("≠", "NaN"), called="valid"),
    Operation(name="repeat", family="inner", hidden=True, called="repeated"),
    Operation(name="pad_groups", family="inner", hidden=True, called="by_group"),
    Operation(name="group_index", family="inner"),
    Operation(name="group_exists", family="inner", dtype="bool", called="exists"),
    Operation(name="written", family="inner"),
    Operation(name="held", family="inner", dtype="bool", torch="means.held"),
    # Operators
    _operator("add", "+", "total", python=operator.add, shape=infix("+", SUM), symmetric=True),
    _operator("sub", "-", "difference", python=operator.sub, shape=infix("−", SUM)),
    _operator("mul", "*", "product", python=operator.mul, symmetric=True),
    _operator("div", "/", "quotient", python=operator.truediv, raises=True, host="host.divide", shape=Shape(fraction)),
    _operator("pow", "**", "power", python=operator.pow, raises=True, host="host.power"),
    _operator("neg", "", "negative_{}", prefix="-", python=operator.neg, shape=box_shapes.prefix("−", SUM, PRODUCT)),
    _condition("lt", "<", "<", operator.lt),
    _condition("le", "<=", "≤", operator.le),
    _condition("gt", ">", ">", operator.gt),
    _condition("ge", ">=", "≥", operator.ge),
    _condition("eq", "==", "=", operator.eq),
    _condition("ne", "!=", "≠", operator.ne),
    _condition("and", "&", "∧", operator.and_, box_shapes.AND),
    _condition("or", "|", "∨", operator.or_, box_shapes.OR),
    Operation(
        name="not",
        family="logic",
        prefix="~",
        dtype="bool",
        python=operator.not_,
        shape=box_shapes.prefix("¬", APPLY, APPLY),
        called="condition",
    ),
    # Functions of single elements
    _function("exp", "e to the power of x", zero=1, called="exponential"),
    _function("log", "natural logarithm", called="logarithm"),
    _function("log1p", "log(1 + x), exact near zero", zero=0),
    _function("expm1", "exp(x) - 1, exact near zero", zero=0),
    _function("sqrt", "square root", zero=0, shape=Shape(root)),
    _function("abs", "absolute value", zero=0, host="abs", shape=Shape(lambda x: fence("|", x, "|"))),
    _function("sign", "-1, 0 or 1", zero=0, strict=False),
    _function("square", "x times x", zero=0, host="host.power", shape=None),
    _function("sigmoid", "1 / (1 + exp(-x))", zero=0.5, finite=True, shape=calling("σ")),
    _function(
        "log_sigmoid",
        "logarithm of the sigmoid, exact for large |x|",
        torch="torch.nn.functional.logsigmoid",
        shape=Shape(lambda x: box_shapes.logarithm(box_shapes.applied(word("σ"), x)), APPLY),
        zero=-log(2),
        finite=True,
    ),
    _function(
        "is_finite",
        "true where x is neither NaN nor infinite",
        torch="torch.isfinite",
        dtype="bool",
        shape=box_shapes.suffix("∈", "ℝ"),
        strict=False,
    ),
    _function(
        "minimum", "the smaller of the two", "x y", python=min, shape=calling("min"), called="smaller", symmetric=True
    ),
    _function(
        "maximum", "the greater of the two", "x y", python=max, shape=calling("max"), called="greater", symmetric=True
    ),
    _function(
        "clamp",
        "x moved into the range from low to high",
        "x low high",
        python=lambda x, low, high: min(max(x, low), high),
        shape=calling("clip"),
        called="clamped",
    ),
    Operation(
        name="where",
        family="choice",
        brief="x where the condition holds, else y",
        arguments=("condition", "x", "y"),
        python=lambda condition, x, y: x if condition else y,
        shape=Shape(cases, BIG),
        called="chosen",
    ),
    # Broadcasts
    _broadcast("token", ("sequence", "scalar"), "by_token", "a sequence value, repeated for each of its tokens"),
    _broadcast("sequence", ("group", "scalar"), "by_sequence", "a group value, repeated for each of its sequences"),
    _broadcast("vocab", ("token",), "by_entry", "a token value, repeated for each entry of the vocabulary"),
    # Over the vocabulary
    _vocab(
        "entropy",
        "entropy of the distribution that the logits stand for, in nats",
        calling("H"),
        rows="ops.row_entropy",
    ),
    _vocab(
        "logsumexp",
        "logarithm of the sum of exponentials over the vocabulary",
        Shape(box_shapes.log_of_sum, BIG),
        rows="torch.logsumexp",
    ),
    _vocab("sum_vocab", "sum over the vocabulary", Shape(box_shapes.over_vocabulary, BIG, (BIG,))),
    _vocab(
        "softmax",
        "probabilities over the vocabulary",
        calling("softmax"),
        extent="vocab",
        rows="torch.softmax",
        called="probs",
    ),
    _vocab(
        "log_softmax",
        "log-probabilities over the vocabulary",
        Shape(box_shapes.log_of_softmax, APPLY),
        extent="vocab",
        rows="torch.log_softmax",
        called="log_probs",
    ),
    _vocab(
        "log_prob",
        "log-probability of each token, in nats",
        Shape(box_shapes.log_of_softmax, APPLY),
        "logits tokens",
        rows="ops.row_log_prob",
    ),
    _vocab(
        "argmax_equals",
        "true where the token is the most likely one",
        Shape(box_shapes.most_likely, RELATION, (APPLY, SUM)),
        "logits tokens",
        dtype="bool",
    ),
    # Within sequences
    _sequence("sum", "sum over the tokens of each sequence"),
    _sequence("mean", "mean over the tokens of each sequence", of="either"),
    _sequence("min", "minimum over the tokens of each sequence", sign="min"),
    _sequence("max", "maximum over the tokens of each sequence", sign="max"),
    _sequence("count", "number of tokens of each sequence for which x holds", of="condition"),
    _sequence("any", "true if x holds for any token of the sequence", of="condition", dtype="bool"),
    _sequence("all", "true if x holds for all tokens of the sequence", of="condition", dtype="bool"),
    _sequence("first", "value at the first token of each sequence", of="either", sign="first"),
    _sequence("last", "value at the last token of each sequence", of="either", sign="last"),
    # Within groups
    _group("mean", "mean over the sequences of each group", of="either"),
    _group("sum", "sum over the sequences of each group"),
    _group("min", "minimum over the sequences of each group", sign="min"),
    _group("max", "maximum over the sequences of each group", sign="max"),
    _group("std", "standard deviation over the sequences of each group", keywords="over ddof", sign="Std"),
    _group("var", "variance over the sequences of each group", keywords="over ddof", sign="Var"),
    _group("count", "number of sequences of each group", arguments=()),
    # To a number
    _reduction("mean", "mean over the population; a fraction for booleans", "sum", of="either"),
    _reduction("sum", "sum over the population", "sum", empty=0),
    _reduction("min", "minimum over the population", "min", "{ops}.or_nan({slot}, {size})", sign="min"),
    _reduction("max", "maximum over the population", "max", "{ops}.or_nan({slot}, {size})", sign="max"),
    _reduction("count", "number of elements of the population for which x holds", "count", of="condition", empty=0),
    _reduction(
        "var",
        "variance over the population",
        "moments",
        "{ops}.variance({slot}, ddof={value})",
        keywords="over ddof",
        sign="Var",
    ),
    _reduction(
        "std",
        "standard deviation over the population",
        "moments",
        "{ops}.standard_deviation({slot}, ddof={value})",
        keywords="over ddof",
        sign="Std",
    ),
    _reduction(
        "last", "the latest value of a scalar", "last", "{ops}.last_value({slot})", keywords="", shape=calling("last")
    ),
    _reduction(
        "quantile",
        "the number that a share of the population lies below, between neighbours on a straight line",
        "values",
        "{ops}.quantile({slot}, {size}, level={value})",
        required="level",
    ),
    _reduction(
        "cov",
        "covariance over the population",
        "comoments",
        "{ops}.covariance({slot}, ddof={value})",
        "x y",
        keywords="over ddof",
        sign="Cov",
    ),
    _reduction(
        "corr",
        "Pearson's correlation over the population",
        "comoments",
        "{ops}.correlation({slot})",
        "x y",
        sign="Corr",
    ),
    _reduction(
        "at_max", "x where the other is largest, the first of several", "at_max", "{ops}.value_at_max({slot})", "x by"
    ),
    _reduction(
        "histogram",
        "counts of the population in equal bins, with minimum and maximum",
        "bins",
        "{ops}.histogram_result({slot})",
        required="low high bins",
    ),
)

OPERATIONS: Final = {row.name: row for row in _TABLE}
"""Every operation by name."""

FUNCTIONS: Final = {name: row for name, row in OPERATIONS.items() if row.brief}
"""The functions of the language."""

OPERATORS: Final = {row.infix: row for row in OPERATIONS.values() if row.infix}
"""The operators between two operands, by their sign."""

REDUCTIONS: Final = frozenset(row.name for row in OPERATIONS.values() if row.family == "reduction")
"""What gives a number of a whole population."""
