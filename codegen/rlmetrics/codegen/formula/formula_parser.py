"""From text to syntax nodes: Python's ``ast``, of which only a small part is let through."""

from __future__ import annotations

import ast
import warnings
from typing import Final

from .formula_errors import ExpressionSource, FormulaError
from .scan import MAX_DEPTH, scan
from .syntax import Binary, Call, Expression, FormulaLiteral, FormulaName, Keyword, MetricCall, Span, Unary

__all__ = ["parse"]

_BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_COMPARE: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def parse(source: ExpressionSource) -> Expression:
    """Parse one expression.

    Raises:
        FormulaError: The text is not an expression of the language.
    """
    scan(source)
    # The brackets let the expression span lines; the blank keeps every offset the same but for the bracket itself.
    flat = "(" + source.text.translate(str.maketrans("\r\n\t", "   ")) + ")"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(flat, mode="eval")
    except SyntaxError as error:
        offset = min(max((error.offset or 2) - 2, 0), max(len(source.text) - 1, 0))
        raise source.error(offset, "this is not an expression", "write one Python-like expression") from None
    except (ValueError, RecursionError, MemoryError, OverflowError):
        raise source.error(0, "the expression is too complex", "name parts of it under `let`") from None
    return _Reader(source).read(tree.body, 1)


class _Reader:
    """Converts nodes of ``ast`` and refuses those that the language lacks."""

    def __init__(self, source: ExpressionSource):
        self.source = source

    def read(self, node: ast.expr, depth: int) -> Expression:
        span = _span(node)
        if depth > MAX_DEPTH:
            raise self.error(span, f"nested deeper than {MAX_DEPTH} levels", "name parts of it under `let`")
        if isinstance(node, ast.Constant):
            return self.constant(node, span)
        if isinstance(node, ast.Name):
            return FormulaName(span, node.id)
        if isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.USub | ast.Invert):
                return Unary(span, "-" if isinstance(node.op, ast.USub) else "~", self.read(node.operand, depth + 1))
            raise self.error(span, "a leading + means nothing", "delete the +")
        if isinstance(node, ast.BinOp):
            operator = _BINARY.get(type(node.op))
            if operator is None:
                raise self.error(span, "this operator is not part of the language", "use + - * / ** & | ~")
            return Binary(span, operator, self.read(node.left, depth + 1), self.read(node.right, depth + 1))
        if isinstance(node, ast.Compare):
            if len(node.ops) > 1:
                message = "chained comparisons do not work element by element"
                raise self.error(span, message, "write (a < b) & (b < c)")
            left, right = self.read(node.left, depth + 1), self.read(node.comparators[0], depth + 1)
            return Binary(span, _COMPARE[type(node.ops[0])], left, right)
        if isinstance(node, ast.Call):
            return self.call(node, span, depth)
        if isinstance(node, ast.Tuple):
            raise self.error(span, "a list of expressions is not an expression", "write one expression")
        raise self.error(span, "this construct is not part of the language", "use the functions of the table")

    def constant(self, node: ast.Constant, span: Span) -> FormulaLiteral:
        if isinstance(node.value, bool | int | float):
            return FormulaLiteral(span, node.value)
        raise self.error(span, "a string stands only in metric('id')", "delete the quotes or write metric('id')")

    def call(self, node: ast.Call, span: Span, depth: int) -> Call | MetricCall:
        if not isinstance(node.func, ast.Name):
            raise self.error(span, "only functions of the table can be called", "write the name of a function")
        function = node.func.id
        if function == "metric":
            return self.metric(node, span)
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self.error(_span(argument), "`*` arguments are not part of the language", "write them out")
        keywords: dict[str, Keyword] = {}
        for keyword in node.keywords:
            at = _span(keyword.value)
            if keyword.arg is None:
                raise self.error(at, "`**` arguments are not part of the language", "write them out")
            if keyword.arg in keywords:
                raise self.error(at, f"`{keyword.arg}=` is given twice", "keep one of the two")
            keywords[keyword.arg] = Keyword(keyword.arg, self.read(keyword.value, depth + 1))
        arguments = tuple(self.read(argument, depth + 1) for argument in node.args)
        return Call(span, function, arguments, tuple(keywords.values()))

    def metric(self, node: ast.Call, span: Span) -> MetricCall:
        if len(node.args) == 1 and not node.keywords:
            argument = node.args[0]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                return MetricCall(span, argument.value)
        raise self.error(span, "metric takes one quoted id", "write it like metric('policy/loss')")

    def error(self, span: Span, message: str, fix: str) -> FormulaError:
        return self.source.error(span.start, message, fix)


def _span(node: ast.expr) -> Span:
    # The text is ASCII on one line, so columns are offsets, one less for the bracket in front; a tuple includes it.
    end = node.end_col_offset if node.end_col_offset is not None else node.col_offset + 1
    return Span(max(node.col_offset - 1, 0), end - 1)
