"""When a key is logged, in words: what its condition asks of settings, and what no setting tells.

The spec's own words for the latter complete "logged only": ``where the engine's loss returns the overlap``.
"""

from __future__ import annotations

import json
from functools import lru_cache

from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.names.settings.configuration import Configuration
from rlmetrics.names.settings.guards import (
    OPPOSITE,
    And,
    Compare,
    Expression,
    GuardError,
    GuardLiteral,
    ListOf,
    Negative,
    Not,
    Or,
    SettingName,
    parse,
)
from rlmetrics.names.settings.simplification import decisive, simplified, truth

from .signature_words import listed
from .voice import later, phrase, spoken

__all__ = ["ConditionWords", "GuardWords", "condition_texts", "condition_words", "guard_words"]

_LONG = 100
"""A guard of more characters is cut down to what decides."""
_NEVER = "never"
"""What the spec says of a key that no run logs begins with this word."""
_BY_DEFAULT = {
    True: later("by default"),
    False: later("not by default"),
    None: later("depends on what is not known"),
}
_GIVEN = {True: later("yes with these settings, {default}"), False: later("not with these settings, {default}")}
_STATES = {False: later("not logged by default"), True: later("not logged with these settings")}


class ConditionWords(NamedTuple):
    """A condition in words.

    Attributes:
        settings: What it asks of settings, as guards in words; empty if nothing.
        unmet: What of that the settings lack.
        said: What it says in words of its own, each of which completes "only".
        is_given: Whether somebody gave a setting of which it asks something.
    """

    settings: str
    unmet: str
    said: tuple[str, ...]
    is_given: bool = False

    @property
    def only(self) -> list[str]:
        """Under which condition a key is logged, clause by clause, in the language that is spoken."""
        asked = [phrase("only if {setting}", setting=self.settings)] if self.settings else []
        return [*asked, *map(_only, self.said)]

    def logged(self, logged: bool | None, by_default: bool | None) -> str:
        """Return when a key is logged: "by default; only if trainer.use_v1 (on by default)".

        Args:
            logged: Whether it is with the given settings; None if nobody can tell.
            by_default: Whether it is without them.
        """
        default = phrase(_BY_DEFAULT[by_default])
        if logged != by_default and logged is not None and self.is_given:
            default = phrase(_GIVEN[logged], default=default)
        return phrase("; ").join([default, *self.only])

    def missing(self, by_default: bool | None) -> str:
        """Return that a key is not logged and what it would take: "not logged by default: needs kl_coef != 0 (0.0)".

        Args:
            by_default: Whether it is logged without the given settings.
        """
        state = phrase(_STATES[by_default is not False and self.is_given])
        never = [text for text in self.said if text.startswith(_NEVER)]
        if never:
            return phrase("not logged: {what}", what=spoken(never[0]))
        said = phrase("; ").join(map(_only, self.said))
        if self.unmet:
            needs = phrase("{state}: needs {what}", state=state, what=self.unmet)
            return phrase("{state}, and then {what}", state=needs, what=said) if said else needs
        return phrase("{state}, {what}", state=state, what=said) if said else state


def _only(text: str) -> str:
    """Return a text that completes "only" behind it; what is never logged stands for itself."""
    return spoken(text) if text.startswith(_NEVER) else phrase("only {parts}", parts=spoken(text))


def condition_words(condition: str, config: Configuration, *, full: bool = False) -> ConditionWords:
    """Return a condition in words, with the value of each setting in brackets.

    Args:
        condition: Guards and words, separated by semicolons.
        config: The settings.
        full: Whether all alternatives of a long guard are told.
    """
    whole, said = _guard_and_words(condition)
    if whole is None:
        return ConditionWords("", "", said)
    settings = _guard_words(whole, config, full=full)
    unmet = "" if truth(whole, config.values) else settings
    return ConditionWords(settings, unmet, said, not config.given.isdisjoint(whole.names()))


@lru_cache(maxsize=512)
def _guard_and_words(condition: str) -> tuple[Expression | None, tuple[str, ...]]:
    """Return the guards of a condition as one, simplified, and the words beside them; kept, as releases share many."""
    guards: list[Expression] = []
    said: list[str] = []
    for part in condition.split("; "):
        try:
            guards.append(parse(part))
        except GuardError:
            said.append(part)
    whole = guards[0] if len(guards) == 1 else And(1, tuple(guards))
    return simplified(whole) if guards else None, tuple(said)


def condition_texts(condition: str) -> list[str]:
    """Return under which condition a key is logged, clause by clause, where no settings are known: "only if a != 0"."""
    clauses = []
    for part in condition.split("; "):
        guard, _ = _guard_and_words(part)
        clauses.append(_only(part) if guard is None else phrase("only if {setting}", setting=GuardWords().of(guard)))
    return clauses


def guard_words(guard: str, config: Configuration) -> str:
    """Return a guard as people write settings, with the value of each in brackets: ``beta != 0 (0.0)``.

    Of a long guard only what decides under this configuration is told.

    Args:
        guard: The guard.
        config: The settings.

    Raises:
        GuardError: The text is no guard.
    """
    return _guard_words(simplified(parse(guard)), config, full=False)


def _guard_words(node: Expression, config: Configuration, *, full: bool) -> str:
    decided = decisive(node, config.values)
    text = GuardWords(config).of(decided)
    if full or len(text) <= _LONG or not isinstance(decided, Or):
        return text
    shortest = min((GuardWords(config).of(operand) for operand in decided.operands), key=len)
    return phrase("{setting}, or another way (--full)", setting=shortest)


class GuardWords:
    """Writes expressions, each setting's value behind it once.

    Args:
        config: The settings; without them no value is told.
    """

    def __init__(self, config: Configuration | None = None) -> None:
        self._config = config
        self._told: set[str] = set()

    def of(self, node: Expression, *, negated: bool = False) -> str:
        """Return an expression, or its opposite."""
        if isinstance(node, Not):
            return self.of(node.operand, negated=not negated)
        if isinstance(node, And | Or):
            joint = "and" if isinstance(node, And) != negated else "or"
            parts = [self._bracketed(part, joint, negated=negated) for part in node.operands]
            return f" {joint} ".join(parts)
        if isinstance(node, SettingName):
            shown = f"{node.name} = false" if negated else node.name
            return shown + self.value(node.name)
        if isinstance(node, Compare):
            return self._compared(node, OPPOSITE[node.operator] if negated else node.operator)
        return self._plain(node)

    def _bracketed(self, node: Expression, joint: str, *, negated: bool) -> str:
        text = self.of(node, negated=negated)
        inner = node.operand if isinstance(node, Not) else node
        return f"({text})" if isinstance(inner, And | Or) else text

    def _compared(self, node: Compare, operator: str) -> str:
        if isinstance(node.left, GuardLiteral) and operator in ("in", "not in"):
            verb = "contains" if operator == "in" else "without"
            return f"{self._plain(node.right)} {verb} {self._plain(node.left)}{self._values_of(node)}"
        if isinstance(node.right, ListOf):
            values = [self._plain(item) for item in node.right.items]
            sign = "=" if operator == "in" else "!="
            right = listed(values, "or" if operator == "in" else "and")
            return f"{self._plain(node.left)} {sign} {right}{self._values_of(node)}"
        if isinstance(node.right, GuardLiteral) and node.right.value is None and operator == "!=":
            return f"{self._plain(node.left)} set{self._values_of(node)}"
        sign = "=" if operator == "==" else operator
        return f"{self._plain(node.left)} {sign} {self._plain(node.right)}{self._values_of(node)}"

    def _plain(self, node: Expression) -> str:
        if isinstance(node, SettingName):
            return node.name
        if isinstance(node, GuardLiteral):
            return json.dumps(node.value, ensure_ascii=False)
        if isinstance(node, Negative):
            return f"-{self._plain(node.operand)}"
        if isinstance(node, ListOf):
            return ", ".join(map(self._plain, node.items))
        if isinstance(node, And | Or | Not | Compare):
            return f"({self.of(node)})"
        left, right = node.parts()
        return f"{self._plain(left)} {getattr(node, 'operator', '?')} {self._plain(right)}"

    def _values_of(self, node: Expression) -> str:
        return "".join(self.value(name) for name in sorted(node.names()))

    def value(self, name: str) -> str:
        """Return in brackets the value that was given for a setting, else its default; once for each."""
        if self._config is None or name in self._told:
            return ""
        self._told.add(name)
        defaults, values = self._config.defaults, self._config.values
        if name in self._config.given and name in values and values[name] != defaults.get(name, ...):
            return f" ({phrase('given: {value}', value=json.dumps(values[name], ensure_ascii=False))})"
        if name not in defaults:
            return ""
        value = defaults[name]
        if isinstance(value, bool):
            return f" ({phrase(_SWITCHED[value])})"
        return f" ({json.dumps(value, ensure_ascii=False)})"


_SWITCHED = {True: later("on by default"), False: later("off by default")}
