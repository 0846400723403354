"""Guards without what they say twice: the same answers, in as few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .guard_expressions import And, Compare, Expression, GuardError, GuardLiteral, ListOf, Not, Or, SettingName, Value
from .guards import OPPOSITE
from .negation import written

__all__ = ["decisive", "simplified", "truth"]

_MOST_ROUNDS = 8
"""Each round shortens the guard or is the last; guards of the spec need three."""


def simplified(node: Expression) -> Expression:
    """Return a guard that holds where another one does, without repetitions.

    What a guard asks for anyway is not asked for again in a part of it, parts that stand in each alternative are told
    once, and alternatives that compare one setting with several values are one comparison.
    """
    for _ in range(_MOST_ROUNDS):
        before = written(node)
        node = _joined_comparisons(_shared(_settled(_flat(node, turned=False), {})))
        if written(node) == before:
            break
    return node


def decisive(node: Expression, values: Mapping[str, Value]) -> Expression:
    """Return what of a guard decides under some settings: of parts that are all needed those that fail.

    Wherever the guard holds, this does. Of alternatives all are told, also where one of them holds: it is not needed.

    Args:
        node: The guard.
        values: The settings.
    """
    return _decisive(node, values, wanted=truth(node, values) is True)


def _decisive(node: Expression, values: Mapping[str, Value], *, wanted: bool) -> Expression:
    if not isinstance(node, And | Or):
        return node
    kept = node.operands
    if isinstance(node, And) and not wanted:
        kept = tuple(part for part in kept if truth(part, values) is not True) or kept
    return _of(type(node), node.column, [_decisive(part, values, wanted=wanted) for part in kept])


def truth(node: Expression, values: Mapping[str, Value]) -> bool | None:
    """Return whether an expression holds; None if that depends on a value that is not known."""
    try:
        return bool(node.holds(values))
    except GuardError:
        return None


def _flat(node: Expression, *, turned: bool) -> Expression:
    """Return a guard in which only settings are negated, and nothing stands within another of its own kind."""
    if isinstance(node, Not):
        return _flat(node.operand, turned=not turned)
    if isinstance(node, And | Or):
        kind = And if isinstance(node, And) != turned else Or
        return _of(kind, node.column, [_flat(part, turned=turned) for part in node.operands])
    if not turned:
        return node
    if isinstance(node, Compare):
        return Compare(node.column, OPPOSITE[node.operator], node.left, node.right)
    return Not(node.column, node)


def _of(kind: type[And | Or], column: int, parts: Iterable[Expression]) -> Expression:
    """Return parts as one conjunction or alternative, each once; constants decide or fall away."""
    found: dict[str, Expression] = {}
    decides = kind is Or
    for part in parts:
        for one in part.operands if isinstance(part, kind) else (part,):
            if isinstance(one, GuardLiteral) and isinstance(one.value, bool):
                if one.value == decides:
                    return one
                continue
            found[written(one)] = one
    if not found:
        return GuardLiteral(column, not decides)
    kept = _unabsorbed([*found.values()], Or if kind is And else And)
    return kept[0] if len(kept) == 1 else kind(column, tuple(kept))


def _unabsorbed(parts: Sequence[Expression], inner: type[And | Or]) -> list[Expression]:
    """Return parts without those that another one settles: of ``(a or b) and (a or b or c)`` the first says it all."""
    texts = [{written(one) for one in (part.operands if isinstance(part, inner) else (part,))} for part in parts]
    return [part for part, own in zip(parts, texts, strict=True) if not any(other < own for other in texts)]


def _settled(node: Expression, known: Mapping[str, bool]) -> Expression:
    """Return a guard with what is known of its parts filled in: of a part, what its neighbours say."""
    answer = known.get(written(node))
    if answer is not None:
        return GuardLiteral(node.column, answer)
    if not isinstance(node, And | Or):
        return node
    kind = And if isinstance(node, And) else Or
    parts = [_settled(part, known) for part in node.operands]
    for index, part in enumerate(parts):
        others = dict(known)
        for other in (*parts[:index], *parts[index + 1 :]):
            # Where one of several needed parts fails, or one alternative holds, the others make no difference.
            others[written(other)] = kind is And
            others[written(_flat(other, turned=True))] = kind is Or
            if kind is And and (name := _given_value(other)):
                others[f"{name} != null"], others[f"{name} == null"] = True, False
        parts[index] = _settled(part, others)
    return _of(kind, node.column, parts)


def _given_value(node: Expression) -> str | None:
    """Return the setting that is not null where a guard holds, as it is on or equals something."""
    if isinstance(node, SettingName):
        return node.name
    if isinstance(node, Compare) and isinstance(node.left, SettingName) and node.operator in ("==", "in"):
        items = node.right.items if isinstance(node.right, ListOf) else (node.right,)
        if all(isinstance(item, GuardLiteral) and item.value is not None for item in items):
            return node.left.name
    return None


def _shared(node: Expression) -> Expression:
    """Return a guard in which what all alternatives ask for, or what each needed part allows, stands once."""
    if not isinstance(node, And | Or):
        return node
    outer, inner = (And, Or) if isinstance(node, And) else (Or, And)
    parts = [_shared(part) for part in node.operands]
    every = [{written(one): one for one in (part.operands if isinstance(part, inner) else (part,))} for part in parts]
    common = {text: one for text, one in every[0].items() if all(text in texts for texts in every[1:])}
    if not common:
        return _of(outer, node.column, parts)
    rests = [_of(inner, node.column, [one for text, one in texts.items() if text not in common]) for texts in every]
    return _of(inner, node.column, [*common.values(), _of(outer, node.column, rests)])


def _joined_comparisons(node: Expression) -> Expression:
    """Return a guard in which a setting that is compared with several values is compared once."""
    if not isinstance(node, And | Or):
        return node
    kind = And if isinstance(node, And) else Or
    one, several = ("!=", "not in") if kind is And else ("==", "in")
    parts = [_joined_comparisons(part) for part in node.operands]
    values: dict[str, list[Expression]] = {}
    for part in parts:
        if isinstance(part, Compare) and isinstance(part.left, SettingName):
            values.setdefault(part.left.name, []).extend(_values(part, one, several))
    joined: list[Expression] = []
    for part in parts:
        if not isinstance(part, Compare) or not isinstance(part.left, SettingName) or not _values(part, one, several):
            joined.append(part)
        elif found := values.pop(part.left.name, []):
            items = tuple({written(item): item for item in found}.values())
            right = ListOf(part.column, items)
            joined.append(Compare(part.column, several, part.left, right) if len(items) > 1 else part)
    return _of(kind, node.column, joined)


def _values(node: Compare, one: str, several: str) -> Sequence[Expression]:
    """Return the texts with which a comparison of either kind compares; other values keep words of their own."""
    if node.operator == several and isinstance(node.right, ListOf):
        return node.right.items
    is_text = isinstance(node.right, GuardLiteral) and isinstance(node.right.value, str)
    return (node.right,) if node.operator == one and is_text else ()
