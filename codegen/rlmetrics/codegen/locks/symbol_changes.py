"""What changed in a symbol between two releases, and which of its statements depend on that."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from .symbols import Symbol

__all__ = ["changed_places", "depends", "diff_of", "parsed", "successors"]

Lines = Sequence[str]


def diff_of(old: Symbol | None, new: Symbol | None, old_lines: Lines, new_lines: Lines) -> tuple[str, ...]:
    """Return the lines of the statements that changed, each with ``- `` or ``+ `` before it; hunks are parted by ``@``.

    Layout, comments and docstrings do not count. A symbol that appears or vanishes is shown whole.
    """
    a = [statement.fingerprint for statement in old.statements] if old else []
    b = [statement.fingerprint for statement in new.statements] if new else []
    lines: list[str] = []
    for tag, low, high, first, last in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        before = _code(old, range(low, high), old_lines) if old else []
        after = _code(new, range(first, last), new_lines) if new else []
        hunk = [
            *(
                line
                for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
                if kind != "equal"
                for line in (*(f"- {text}" for text in before[i:j]), *(f"+ {text}" for text in after[k:m]))
            )
        ]
        if hunk:
            lines.extend(["@", *hunk] if lines else hunk)
    return tuple(lines)


def _code(symbol: Symbol, places: Iterable[int], lines: Lines) -> list[str]:
    """Return the source code of statements without blank and comment lines and without common indentation."""
    statements = [symbol.statements[place] for place in places]
    numbers = sorted({number for statement in statements for number in range(statement.first, statement.last + 1)})
    text = [lines[number - 1].rstrip() for number in numbers if number <= len(lines)]
    code = [line for line in text if line.strip() and not line.lstrip().startswith("#")]
    return textwrap.dedent("\n".join(code)).split("\n") if code else []


def changed_places(symbol: Symbol, other: Symbol | None) -> set[int]:
    """Return the places of the statements of a symbol that its other version lacks, or has in another order."""
    a = [statement.fingerprint for statement in symbol.statements]
    b = [statement.fingerprint for statement in other.statements] if other else []
    same = {
        low + offset
        for low, _, size in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
        for offset in range(size)
    }
    return set(range(len(a))) - same


def successors(old: Symbol, new: Symbol, place: int) -> range:
    """Return the places of the statements that stand in the place of one that the other version lacks."""
    a = [statement.fingerprint for statement in old.statements]
    b = [statement.fingerprint for statement in new.statements]
    for tag, low, high, first, last in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "replace" and low <= place < high:
            return range(first, last)
    return range(0)


def depends(symbol: Symbol, other: Symbol | None, lines: Lines, anchored: Iterable[int]) -> bool:
    """Tell whether statements of a symbol depend, through names, on one that its other version lacks.

    Args:
        symbol: One version.
        other: The other one.
        lines: Lines of the first one's file.
        anchored: Places of the statements in question.
    """
    changed = changed_places(symbol, other)
    names = [_names(symbol, place, lines) for place in range(len(symbol.statements))]
    writers: dict[str, set[int]] = {}
    for place, (_, written) in enumerate(names):
        for name in written:
            writers.setdefault(name, set()).add(place)
    todo, seen = set(anchored), set[int]()
    while todo:
        place = todo.pop()
        seen.add(place)
        if place in changed:
            return True
        before = {other for name in names[place][0] for other in writers.get(name, ())}
        todo |= (before | set(symbol.enclosing(place))) - seen
    return False


def _names(symbol: Symbol, place: int, lines: Lines) -> tuple[set[str], set[str]]:
    """Return the names and attributes of ``self`` that a statement reads and writes."""
    read, written = set[str](), set[str]()
    for node in ast.walk(parsed(symbol, place, lines)):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else written).add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            (read if isinstance(node.ctx, ast.Load) else written).add(f"self.{node.attr}")
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            written |= {inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name)} - {"self"}
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            # A method may change its object, such as `append`.
            written |= {node.func.value.id} - {"self", "torch", "np", "nn", "F"}
    return read, written


def parsed(symbol: Symbol, place: int, lines: Lines) -> ast.AST:
    """Return the syntax tree of a statement, of a compound one that of its header; nothing if that is no code."""
    statement = symbol.statements[place]
    for last in range(statement.last, min(statement.end, statement.last + 8) + 1):
        text = textwrap.dedent("\n".join(lines[statement.first - 1 : last]))
        text = text.removeprefix("el") if text.startswith("elif") else text
        for tail in ("", "\n    pass", "\nexcept Exception: pass"):
            before = "try: pass\n" if text.startswith("except") else ""
            try:
                return ast.parse(before + text + tail)
            except SyntaxError:
                continue
    return ast.Module([], [])
