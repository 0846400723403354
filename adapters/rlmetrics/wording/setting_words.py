"""What one other setting would change about a key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple
from rlmetrics.names.meanings.component import ComponentView
from rlmetrics.names.settings.configuration import Configuration
from rlmetrics.names.settings.guards import Compare, Expression, GuardLiteral, SettingName, Value, parse
from rlmetrics.names.settings.simplification import truth
from rlmetrics.names.tables.sentence_case import lowered

from .condition_words import GuardWords
from .difference_words import ToldCause, by_weight, differences
from .metric_facts import shortened
from .signature_words import listed, quantity_words
from .terminal import first_fitting, wrapped
from .voice import phrase

if TYPE_CHECKING:
    from rlmetrics.names.tables.key_records import Entry

__all__ = ["Setting", "setting_lines", "settings_that_change"]

_EFFECT_LINES = 2
"""What a setting changes is told in so many lines."""
_EITHER = 2
"""So many choices has a setting that is either one or the other."""
_NEAR = (1, -1, 0.5)
"""How far a tried number is from one that a guard names."""
_PACKAGE = "transformers"
"""Guards name its release as they name settings; a framework that asks for one leaves no choice."""


class Setting(NamedTuple):
    """What another value of one setting would change.

    Attributes:
        labels: The settings that all change the same, as guards in words.
        effects: What they change, what weighs most first.
    """

    labels: tuple[str, ...]
    effects: tuple[ToldCause, ...]


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
    comparisons = list({GuardWords().of(node): node for guard in guards for node in _asked(guard)}.values())
    by_effect: dict[tuple[str, ...], dict[str, list[str]]] = {}
    effects_of: dict[tuple[str, ...], tuple[ToldCause, ...]] = {}
    for name in dict.fromkeys(name for node in comparisons for name in sorted(node.names())):
        for value in dict.fromkeys(_tried(name, comparisons, config)):
            label = _label(name, value, comparisons, config)
            if label is None:
                continue
            changed = view.trying(name, value)
            other = changed.entry_alone(key, mode)
            effects = () if other is None or other.never else tuple(_effects(base, other, view, changed))
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
    if name not in config.values or name == _PACKAGE:
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
                if part.value == now and len(choices) == _EITHER:
                    # A guard may name the value that holds alone; of two, the other one is no value of another release.
                    yield from (value for value in choices if value != now)
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
    words = GuardWords(config)
    if isinstance(value, str) and value != "set":
        return name, json.dumps(value), words.value(name)
    others = {**config.values, name: value}
    for node in comparisons:
        if name in node.names() and truth(node, config.values) != (turned := truth(node, others)) is not None:
            return words.of(node, negated=not turned), "", ""
    return None


def _effects(base: Entry, other: Entry, view: ComponentView, changed: ComponentView) -> Iterator[ToldCause]:
    if base.logged != other.logged:
        yield ToldCause(_LOGGED[other.logged], "incomparable")
        if other.logged is False:
            return
    if base.metric != other.metric and other.metric is not None:
        words = quantity_words(other.metric, view.tables)
        yield ToldCause(lowered(words), "incomparable")
        return
    causes = differences(base, other, view.tables, (view.circumstances, changed.circumstances))
    yield from sorted((cause for cause in causes if cause.applies is not False), key=by_weight)
    told = dict.fromkeys(text for text in other.constant_when if text not in base.constant_when)
    yield from (ToldCause(f"reads {text}" if text[:1].isdigit() else text, "minor") for text in told)


_LOGGED = {True: "logged", False: "not logged", None: "logged under some circumstances"}
