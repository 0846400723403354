"""The generated tests: for each family the facts that its functions must live up to."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from ..formula import Compiled
from ..output.store import Output
from .functions import ComputeFunction
from .templating import template

_NO_GRADIENT = frozenset(["histogram", "count", "group_count", "seq_count"])
"""Operations that return numbers but let no gradient through; truth values never do."""


def emit(functions: Mapping[str, Sequence[ComputeFunction]]) -> Iterator[Output]:
    """Yield one test module for each family that has functions."""
    for family, members in functions.items():
        if members:
            source = f"spec/metrics/{family}.yaml"
            text = template("tests_family.py.j2").render(source=source, rows=map(_row, members))
            yield Output(f"tests/generated/test_{family}.py", text, source)


def _row(function: ComputeFunction) -> str:
    padding = "padding" if function.ignores_padding else "-"
    facts = " ".join([function.key, function.atom, str(function.empty), padding, *_differentiable(function)])
    return textwrap.fill(facts, 120, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _differentiable(function: ComputeFunction) -> tuple[str, ...]:
    """Return the inputs that a gradient flows back to, in the order of the function's arguments."""
    if function.compiled is None:
        return ()
    reached = _reached(function.compiled)
    return tuple(name for name in function.inputs if name in reached)


def _reached(compiled: Compiled) -> set[str]:
    stack, seen, reached = [compiled.root], set[int](), set[str]()
    while stack:
        node = stack.pop()
        if id(node) in seen or node.dtype != "float" or node.op in _NO_GRADIENT:
            continue
        seen.add(id(node))
        if node.op == "input":
            reached.add(str(node.value))
        stack.extend(node.args)
    return reached
