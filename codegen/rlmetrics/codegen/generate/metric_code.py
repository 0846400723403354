"""The code of a metric's function: the state of one batch, and how the result comes from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from ..formula import Compiled, width
from ..output import layout
from ..output.layout import WIDTH

__all__ = ["private_result", "shared_result", "state_body"]

_KEPT: Final = {
    ("ops.total", "ops.count"): "keep.mean",
    ("ops.total", "ops.number_of"): "keep.mean",
    ("ops.count", "ops.count"): "keep.share",
    ("ops.count", "ops.number_of"): "keep.share",
    ("ops.largest", "ops.count"): "keep.largest",
    ("ops.largest", "ops.number_of"): "keep.largest",
    ("ops.smallest", "ops.count"): "keep.smallest",
    ("ops.smallest", "ops.number_of"): "keep.smallest",
}
"""What fills both slots of a state at once: that of a value, and that of the size of its population."""

_BEFORE: Final = re.compile(r"ops\.same_(?:shape|rows)\(.*|(\w+) = (?:\1\.bool\(\)|ops\.as_float\(\1\))")
"""Lines that check and convert inputs, which is done before a metric's own code."""

_RESULTS: Final = (
    (r"return \{0\} / \{1\}", "results.ratio"),
    (r"return ops\.or_nan\(\{0\}, \{1\}\)", "results.counted"),
    (r"return \{0\}", "results.only"),
    (r"return ops\.last_value\(\{0\}\)", "results.last"),
    (r"return ops\.value_at_max\(\{0\}\)", "results.value_at_max"),
    (r"return ops\.variance\(\{0\}, ddof=(\d+)\)", r"results.variance(\1)"),
    (r"return ops\.standard_deviation\(\{0\}, ddof=(\d+)\)", r"results.deviation(\1)"),
    (r"return ops\.quantile\(\{1\}, \{0\}, level=([\d.]+)\)", r"results.quantile(\1)"),
)
"""What ``rlmetrics.state.results`` has, by code over the slots ``{0}`` and ``{1}``."""


def shared_result(compiled: Compiled) -> str | None:
    """Return the expression that names the common way from the state to the result, if it is one of these."""
    slots = compiled.slots
    if len(slots) == 1 and slots[0].kind == "bins":
        return "results.histogram"
    places = {slot.name: f"{{{index}}}" for index, slot in enumerate(slots)}
    text = re.sub(r"[A-Za-z_]\w*", lambda word: places.get(word[0], word[0]), "\n".join(compiled.finalize_source))
    used = len(slots)
    for pattern, expression in _RESULTS:
        found = re.fullmatch(pattern, text)
        if found and used == len(set(re.findall(r"\\\{\d", pattern))):
            return found.expand(expression)
    return None


def private_result(compiled: Compiled) -> str:
    """Return the body of a metric's own way: each slot's name is bound to its part of the state, then the result."""
    return "\n".join(_result_lines(compiled))


def _result_lines(compiled: Compiled) -> Iterator[str]:
    slots = compiled.slots
    if len(slots) > 1 and all(width(slot) == 1 for slot in slots):
        yield from layout.lines(f"{', '.join(slot.name for slot in slots)} = state.unbind()", 4)
    else:
        start = 0
        for slot in slots:
            stop = start + width(slot)
            # What has no fixed width takes the rest.
            place = f"state[{start}]" if stop == start + 1 else f"state[{start}:{'' if stop == start else stop}]"
            yield f"    {slot.name} = {place}"
            start = stop
    *lines, last = compiled.finalize_source
    result = last.removeprefix("return ")
    if lines and lines[-1].startswith(f"{result} = "):
        lines[-1] = f"return {lines[-1].removeprefix(f'{result} = ')}"
    else:
        lines.append(last)
    yield from (f"    {line}" if line else "" for line in lines)


def state_body(compiled: Compiled, let: Collection[str] = ()) -> str:
    """Return the lines that make the packed state of the inputs; what a formula names in its ``let`` stays named."""
    lines = [line for line in compiled.update_source if not _BEFORE.fullmatch(line)]
    names = {slot.name for slot in compiled.slots}
    filled = dict(line.split(" = ", 1) for line in lines if line.partition(" = ")[0] in names)
    steps = [line for line in lines if line.partition(" = ")[0] not in names]
    returned = _returned(compiled, [filled[slot.name] for slot in compiled.slots])
    if returned is None:
        steps = lines
        returned = layout.call("return pack", [layout.list_of(slot.name for slot in compiled.slots)]).flat or ""
    else:
        steps, returned = _inlined(steps, returned, let)
    return "\n".join(f"    {line}" if line else "" for line in [*steps, *_laid_out(returned)])


def _returned(compiled: Compiled, calls: Sequence[str]) -> str | None:
    """Return the statement that fills all slots with one call, if there is such a call."""
    parsed = [_call(text) for text in calls]
    if len(parsed) == 1:
        if width(compiled.slots[0]) != 1:
            return f"return {calls[0]}"
        return f"return keep.total({', '.join(parsed[0][1])})" if parsed[0][0] == "ops.total" else None
    if len(parsed) > 2 or (parsed[0][0], parsed[1][0]) not in _KEPT:
        return None
    (filling, first), (sizing, second) = parsed
    if sizing == "ops.number_of":
        fits = first == second
    elif filling == "ops.count":
        # A condition on a population is written as both at once.
        condition = first[0].removesuffix(f" & {second[0]}")
        fits, first = condition != first[0] and _is_one_term(condition), [condition, *second]
    else:
        fits = first[1:] == second
    return f"return {_KEPT[filling, sizing]}({', '.join(first)})" if fits else None


def _is_one_term(condition: str) -> bool:
    """Return whether a condition means alone what it means before ``&``."""
    node = ast.parse(condition, mode="eval").body
    return not isinstance(node, ast.Compare | ast.BoolOp | ast.IfExp) and not (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitXor)
    )


def _call(text: str) -> tuple[str, list[str]]:
    """Return the function of a call, and the texts of its arguments."""
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    places = [*node.args, *(word.value for word in node.keywords)]
    starts = [text.rindex(f"{word.arg}=", 0, word.value.col_offset) for word in node.keywords]
    begins = [*(one.col_offset for one in node.args), *starts]
    # Of what stands in brackets, the tree knows only the inside.
    texts = [text[begin : one.end_col_offset] for begin, one in zip(begins, places, strict=True)]
    return text[: node.func.end_col_offset], texts


def _inlined(steps: list[str], returned: str, let: Collection[str]) -> tuple[list[str], str]:
    """Put the last step into the statement that follows if nothing else needs its name and the line is not too long."""
    while steps:
        name, _, value = steps[-1].partition(" = ")
        if not name.isidentifier() or f"({name}" not in returned or len(re.findall(rf"\b{name}\b", returned)) != 1:
            break
        if name in let or re.search(rf"\b{name}\b", value):
            break  # the second is an input in the form to compute in
        before, after = re.split(rf"\b{name}\b", returned)
        longer = before + value + after
        if not re.search(rf"\({name}[,)]", returned) or len(longer) > WIDTH - 4:
            break
        steps, returned = steps[:-1], longer
    return steps, returned


def _laid_out(statement: str) -> list[str]:
    if len(statement) <= WIDTH - 4:
        return [statement]
    function, arguments = _call(statement.removeprefix("return "))
    return layout.lines(layout.call(f"return {function}", arguments))
