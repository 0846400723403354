"""What other settings would make of a key: each case without what holds anyway, those of one setting together."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.settings.guards import Compare, Expression, GuardLiteral, ListOf, SettingName, parse
from rlmetrics.names.settings.negation import written
from rlmetrics.names.settings.simplification import decisive, simplified

from .condition_words import GuardWords
from .voice import later, phrase

if TYPE_CHECKING:
    from rlmetrics.names.settings.configuration import Configuration
    from rlmetrics.names.tables.key_records import Alternative

__all__ = ["otherwise_texts"]

_AS_NOW = later("with all other settings as they are:")
_ONLY_IF = later("if {setting}")
_IF = later("if {setting}: {what}")
_ELSE = later("in all other cases: {what}")
_BETWEEN = " · "


def otherwise_texts(alternatives: Sequence[Alternative], metric: str | None, config: Configuration) -> list[str]:
    """Return what other settings would make of a key, beside the settings that it has.

    Args:
        alternatives: The cases, none of which holds.
        metric: What the key measures now; a case that changes something else about it does not name it.
        config: The settings.
    """
    of_one: dict[str, dict[str, dict[str, None]]] = {}
    of_several: dict[str, tuple[Expression | None, str]] = {}
    for case in alternatives:
        said = [] if case.metric == metric and case.what else [str(case.metric)]
        what = f"{'; '.join([*said, *filter(None, [case.what])])}{f' [{case.variant}]' if case.variant else ''}"
        guard = None if case.when is None else decisive(simplified(parse(case.when)), config.values)
        name, values = ("", "") if guard is None else _compared(guard)
        if name:
            of_one.setdefault(name, {}).setdefault(values, {}).setdefault(what)
        else:
            of_several.setdefault(f"{'' if guard is None else written(guard)}: {what}", (guard, what))
    words = GuardWords(config)
    texts = []
    for name, cases in of_one.items():
        told = _BETWEEN.join(f"{values}: {'; '.join(found)}" for values, found in cases.items())
        texts.append(phrase(_ONLY_IF, setting=f"{name}{words.value(name)} = {told}"))
    for guard, what in sorted(of_several.values(), key=lambda case: case[0] is None):
        texts.append(phrase(_ELSE, what=what) if guard is None else phrase(_IF, setting=words.of(guard), what=what))
    return [phrase(_AS_NOW), *texts] if texts else []


def _compared(guard: Expression) -> tuple[str, str]:
    """Return the setting that a guard compares with values, and these; nothing where it asks for something else."""
    if not isinstance(guard, Compare) or not isinstance(guard.left, SettingName):
        return "", ""
    kind = {"==": GuardLiteral, "in": ListOf}.get(guard.operator)
    if kind is None or not isinstance(guard.right, kind):
        return "", ""
    return guard.left.name, GuardWords().of(guard).partition(" = ")[2]
