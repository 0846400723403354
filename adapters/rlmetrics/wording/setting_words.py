"""Settings as an answer names them: guards in words, and what one other setting would change about a key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rlmetrics.names.meanings.component import ComponentView
from rlmetrics.names.settings.configuration import Configuration, holds
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
    Value,
    parse,
)
from rlmetrics.names.sources.source import Component

from .difference_words import ToldCause, by_weight, differences
from .metric_facts import shortened
from .signature_words import listed, quantity_words
from .terminal import first_fitting, wrapped
from .voice import phrase

if TYPE_CHECKING:
    from rlmetrics.names.tables.key_records import Entry

__all__ = ["Setting", "condition_words", "guard_words", "setting_lines", "settings_that_change"]

_EFFECT_LINES = 2
"""What a setting changes is told in so many lines."""
_LONG = 100
"""A guard of more characters is cut down to what decides."""
_NEAR = (1, -1, 0.5)
"""How far a tried number is from one that a guard names."""


class Setting(NamedTuple):
    """What another value of one setting would change.

    Attributes:
        labels: The settings that all change the same, as guards in words.
        effects: What they change, what weighs most first.
    """

    labels: tuple[str, ...]
    effects: tuple[ToldCause, ...]


def condition_words(condition: str, config: Configuration) -> tuple[list[str], list[str]]:
    """Return what a condition asks of settings, as guards in words, and what it says in words of its own."""
    guards: list[str] = []
    texts: list[str] = []
    for part in condition.split("; "):
        try:
            guards.append(guard_words(part, config))
        except GuardError:
            texts.append(part)
    return guards, texts


def guard_words(guard: str, config: Configuration) -> str:
    """Return a guard as people write settings, with the default of each in brackets: ``beta != 0 (0.0)``.

    Of a long guard only what decides under this configuration is told.

    Raises:
        GuardError: The text is no guard.
    """
    node = parse(guard)
    decided = _deciding(node, config.values, wanted=holds(guard, config.values) is True)
    told = _Words(config.defaults)
    text = told.of(decided)
    return text if len(text) <= _LONG or not isinstance(decided, Or) else _shortest(decided, config)


def _shortest(node: Or, config: Configuration) -> str:
    texts = sorted((_Words(config.defaults).of(operand) for operand in node.operands), key=len)
    return f"{texts[0]}, or another way (--full)"


def _deciding(node: Expression, values: Mapping[str, Value], *, wanted: bool) -> Expression:
    """Return what of a guard decides: of parts that are all needed those that fail.

    Of alternatives all are told, also where one of them holds: it is not needed.
    """
    if isinstance(node, And):
        kept = node.operands if wanted else [part for part in node.operands if _truth(part, values) is not True]
        return _joined(node, [_deciding(part, values, wanted=wanted) for part in kept])
    if isinstance(node, Or):
        return _joined(node, [_deciding(part, values, wanted=wanted) for part in node.operands])
    return node


def _joined(node: And | Or, parts: Sequence[Expression]) -> Expression:
    if len(parts) == 1:
        return parts[0]
    return type(node)(node.column, tuple(parts) or node.operands)


def _truth(node: Expression, values: Mapping[str, Value]) -> bool | None:
    try:
        return bool(node.holds(values))
    except GuardError:
        return None


class _Words:
    """Writes expressions, each setting's default behind it once."""

    def __init__(self, defaults: Mapping[str, Value]) -> None:
        self._defaults = defaults
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
            return shown + self.default(node.name)
        if isinstance(node, Compare):
            return self._compared(node, OPPOSITE[node.operator] if negated else node.operator)
        return self._plain(node)

    def _bracketed(self, node: Expression, joint: str, *, negated: bool) -> str:
        text = self.of(node, negated=negated)
        inner = node.operand if isinstance(node, Not) else node
        return f"({text})" if isinstance(inner, And | Or) and joint == "and" and " or " in text else text

    def _compared(self, node: Compare, operator: str) -> str:
        if isinstance(node.left, GuardLiteral) and operator in ("in", "not in"):
            verb = "contains" if operator == "in" else "without"
            return f"{self._plain(node.right)} {verb} {self._plain(node.left)}{self._defaults_of(node)}"
        if isinstance(node.right, ListOf):
            values = [self._plain(item) for item in node.right.items]
            sign = "=" if operator == "in" else "!="
            right = listed(values, "or" if operator == "in" else "and")
            return f"{self._plain(node.left)} {sign} {right}{self._defaults_of(node)}"
        if isinstance(node.right, GuardLiteral) and node.right.value is None and operator == "!=":
            return f"{self._plain(node.left)} set{self._defaults_of(node)}"
        sign = "=" if operator == "==" else operator
        return f"{self._plain(node.left)} {sign} {self._plain(node.right)}{self._defaults_of(node)}"

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

    def _defaults_of(self, node: Expression) -> str:
        return "".join(self.default(name) for name in sorted(node.names()))

    def default(self, name: str) -> str:
        """Return a setting's default in brackets, the first time that it is asked for."""
        if name in self._told or name not in self._defaults:
            return ""
        self._told.add(name)
        value = self._defaults[name]
        if isinstance(value, bool):
            return f" ({'on' if value else 'off'} by default)"
        return f" ({json.dumps(value, ensure_ascii=False)})"


def _ever_shorter(setting: Setting, *, full: bool) -> list[list[str]]:
    """Return what a setting does, at length and ever shorter."""
    told = []
    for count in range(len(setting.effects), 0, -1):
        more = len(setting.effects) - count
        texts = [cause.whole or cause.text if full else shortened(cause.text) for cause in setting.effects[:count]]
        told.append(wrapped("; ".join(texts) + (f"; {more} more" if more else ""), indent=6))
    return told[:1] if full else told


def setting_lines(settings: Sequence[Setting], most: int, *, full: bool = False) -> list[str]:
    """Return which settings would change a key, and how.

    Args:
        settings: What `settings_that_change` returned.
        most: So many are told, the heaviest.
        full: Whether all of them are told, at length.
    """
    shown = settings if full else settings[:most]
    if not shown:
        return []
    prefix = _prefix([label for setting in shown for label in setting.labels])
    title = "Settings that change it (under {path})" if prefix else "Settings that change it"
    lines = ["", phrase(title, path=prefix.rstrip("."))]
    for setting in shown:
        lines += wrapped(
            "; ".join(label.replace(prefix, "") if prefix else label for label in setting.labels), indent=2, hanging=4
        )
        lines += first_fitting(_ever_shorter(setting, full=full), _EFFECT_LINES)
    if len(settings) > len(shown):
        lines.append(f"  {phrase('{count} more, and combinations: --full', count=len(settings) - len(shown))}")
    return lines


def _prefix(labels: Sequence[str]) -> str:
    """Return the path that most settings share, with its dot; none if they are short."""
    paths = [label.split(" ", 1)[0] for label in labels]
    prefixes = [".".join(path.split(".")[:2]) + "." for path in paths if path.count(".") >= 2]
    best = max(dict.fromkeys(prefixes), key=prefixes.count, default="")
    return best if prefixes.count(best) > 1 else ""


def settings_that_change(view: ComponentView, key: str, mode: str) -> list[Setting]:
    """Return what other values of single settings would change about a key, what weighs most first.

    Each setting that a guard of the key names is tried on the values that the guards tell apart, and what the key is
    then is compared with what it is now; settings that change the same are one answer.
    """
    base = view.entry_alone(key, mode)
    if base is None:
        return []
    config = view.config
    traits = [view.circumstances.trait(view.tables.traits[name], mode) for name in base.signature.traits]
    guards = [parse(guard) for guard in dict.fromkeys([*view.guards(key, mode), *filter(None, traits)])]
    comparisons = list({_Words({}).of(node): node for guard in guards for node in _asked(guard)}.values())
    given = {
        name: value
        for name, value in config.values.items()
        if name not in config.defaults or value != config.defaults[name]
    }
    by_effect: dict[tuple[str, ...], dict[str, list[str]]] = {}
    effects_of: dict[tuple[str, ...], tuple[ToldCause, ...]] = {}
    for name in dict.fromkeys(name for node in comparisons for name in sorted(node.names())):
        for value in dict.fromkeys(_tried(name, comparisons, config)):
            label = _label(name, value, comparisons, config)
            if label is None:
                continue
            changed = _with(view, {**given, name: value})
            other = changed.entry_alone(key, mode)
            effects = () if other is None else tuple(_effects(base, other, view, changed))
            if effects:
                start, value_shown, default = label
                told = tuple(cause.text for cause in effects)
                effects_of.setdefault(told, effects)
                values = by_effect.setdefault(told, {}).setdefault(f"{start}\n{default}", [])
                values += [] if value_shown in values else [value_shown]
    settings = [Setting(tuple(map(_merged, labels.items())), effects_of[told]) for told, labels in by_effect.items()]
    return sorted(settings, key=lambda item: by_weight(item.effects[0]))


def _merged(label: tuple[str, list[str]]) -> str:
    """Return a setting with all of its values that do the same."""
    start, _, default = label[0].partition("\n")
    values = listed([value for value in label[1] if value], "or")
    return f"{start} = {values}{default}" if values else f"{start}{default}"


def _asked(node: Expression) -> Iterator[Expression]:
    """Yield the comparisons of a guard, and the settings that it takes as they are."""
    if isinstance(node, SettingName | Compare):
        yield node
    else:
        for part in node.parts():
            yield from _asked(part)


def _tried(name: str, comparisons: Sequence[Expression], config: Configuration) -> Iterator[Value]:
    """Yield values that guards tell apart."""
    row = config.keys.get(name, {})
    now = config.values.get(name)
    if name not in config.values:
        return
    if row.get("type") == "bool":
        yield not now
        return
    for node in comparisons:
        if not isinstance(node, Compare) or name not in node.names():
            continue
        for part in node.walk():
            if isinstance(part, GuardLiteral) and not isinstance(part.value, bool):
                choices = row.get("choices") or (part.value,)
                yield from (
                    value
                    for value in _around(part.value, row.get("type"), now)
                    if row.get("type") != "choice" or value in (None, *choices)
                )


def _around(value: Value, kind: str | None, now: Value) -> Iterator[Value]:
    """Yield a named value and, of a number, those on both sides of it."""
    if value is None:
        yield from (None,) if now is not None else (("set",) if kind == "str" else (1,))
    elif isinstance(value, int | float) and kind in ("int", "float"):
        yield value
        yield from (value + step for step in _NEAR if kind == "float" or isinstance(step, int))
    elif isinstance(value, str):
        yield value


def _label(
    name: str, value: Value, comparisons: Sequence[Expression], config: Configuration
) -> tuple[str, str, str] | None:
    """Return what of the guards another value of a setting turns, in words; None if it turns nothing.

    What stands before a value, the value, and what stands behind it; for what is no plain value all before it.
    """
    now = config.values.get(name)
    if value == now and isinstance(value, bool) == isinstance(now, bool):
        return None
    words = _Words(config.defaults)
    if isinstance(value, str) and value != "set":
        return name, json.dumps(value), words.default(name)
    others = {**config.values, name: value}
    for node in comparisons:
        if name in node.names() and _truth(node, config.values) != (turned := _truth(node, others)) is not None:
            return words.of(node, negated=not turned), "", ""
    return None


def _with(view: ComponentView, config: Mapping[str, Value]) -> ComponentView:
    component = Component(view.label, view.stem, "")
    return ComponentView(view.tables, view.table, component, view.release, config, view.label)


def _effects(base: Entry, other: Entry, view: ComponentView, changed: ComponentView) -> Iterator[ToldCause]:
    if base.logged != other.logged:
        yield ToldCause(_LOGGED[other.logged], "incomparable")
        if other.logged is False:
            return
    if base.metric != other.metric and other.metric is not None:
        words = quantity_words(other.metric, view.tables)
        yield ToldCause(f"{words[:1].lower()}{words[1:]}" if words[1:2].islower() else words, "incomparable")
        return
    causes = differences(base, other, view.tables, (view.circumstances, changed.circumstances))
    yield from sorted((cause for cause in causes if cause.applies is not False), key=by_weight)
    told = dict.fromkeys(text for text in other.constant_when if text not in base.constant_when)
    yield from (ToldCause(f"reads {text}" if text[:1].isdigit() else text, "minor") for text in told)


_LOGGED = {True: "logged", False: "not logged", None: "logged under some circumstances"}
