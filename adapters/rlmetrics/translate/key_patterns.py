"""Regular expressions that choose metrics: what the names that they choose become."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from rlmetrics.lazy_dataclasses import dataclass, field
from rlmetrics.logs.dashboard_names import escaped
from rlmetrics.names.sources.surfaces import LOGGED

from .translator import Translator

__all__ = ["Widening", "literal", "names_before", "parts_of", "widened", "widening"]

_SOME, _ANY = "[^/]+", ".+"
"""What stands for the value of a placeholder."""
_PLAIN = r"\\[\\^$.|?*+()\[\]{}]|[^\\^$.|?*+()\[\]{}]"
_LITERAL = re.compile(rf"(?:{_PLAIN})+", re.S)
_ALTERNATIVE = rf"(?:{_PLAIN}|{re.escape(_SOME)}|{re.escape(_ANY)})+"
_WIDENED = re.compile(rf"(.+)\|\^\(\?:({_ALTERNATIVE}(?:\|{_ALTERNATIVE})*)\)\$", re.S)


@dataclass
class Widening:
    """What a regular expression lacks after a translation.

    Attributes:
        added: Regular expressions for whole new names that it does not choose, in what all dialects share.
        names: The old names of those that are no templates.
        homonyms: Names that it chooses and that mean something else in the target.
        partly: New names of templates of which it chooses only some.
        renames: Whether it chooses any name that changes.
    """

    added: dict[str, None] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    homonyms: list[str] = field(default_factory=list)
    partly: list[str] = field(default_factory=list)
    renames: bool = False


def widening(chooses: Callable[[str], object], translator: Translator, surface: str) -> Widening:
    """Return what a regular expression lacks, by all that the source logs; names that users invent can't be known.

    Args:
        chooses: Tells whether the expression chooses a name.
        translator: What knows the names.
        surface: The tracker that shows them.
    """
    wider = Widening()
    for name, stand_ins in translator.examples(surface):
        if not chooses(name):
            continue
        move = translator.key(name)
        wider.renames = wider.renames or move.output != name
        if not move.translated and move.output != name:
            wider.homonyms.append(name)
        if not move.translated or chooses(move.output):
            continue
        if stand_ins and not chooses(_otherwise(name, stand_ins)):
            wider.partly.append(move.output)
            continue
        wider.added[_pattern(move.output, stand_ins)] = None
        if not stand_ins:
            wider.names.append(name)
    return wider


def widened(pattern: str, added: Iterable[str]) -> str:
    """Return a regular expression that also chooses some whole names."""
    return f"{pattern}|^(?:{'|'.join(added)})$"


def parts_of(pattern: str) -> tuple[str, list[str]]:
    """Return what `widened` made a regular expression of, if it did: the one from before, and what was added."""
    wider = _WIDENED.fullmatch(pattern)
    return (wider[1], re.findall(_ALTERNATIVE, wider[2], re.S)) if wider else (pattern, [])


def names_before(added: str, translator: Translator, surface: str) -> Iterator[str]:
    """Yield the names for which a translation in the other direction may have added a regular expression.

    Args:
        added: The expression, as `Widening.added` has them.
        translator: What knows the names.
        surface: The tracker that shows them.
    """
    name = literal(added)
    candidates = [] if name is None else [name]
    if name is None and re.fullmatch(_ALTERNATIVE, added, re.S):
        wide = added.replace(_SOME, _ANY)
        for shown in dict.fromkeys((surface, LOGGED)):
            examples = translator.examples(shown)
            candidates += [name for name, values in examples if _pattern(name, values).replace(_SOME, _ANY) == wide]
    for candidate in candidates:
        yield from translator.counterparts(candidate, surface)


def literal(pattern: str) -> str | None:
    """Return the only name that a regular expression chooses as a whole; None if there are several."""
    return re.sub(r"\\(.)", r"\1", pattern, flags=re.S) if _LITERAL.fullmatch(pattern) else None


def _otherwise(name: str, stand_ins: dict[str, str]) -> str:
    """Return the name with other stand-ins."""
    for value in stand_ins:
        name = name.replace(value, "7" if value[0].isdigit() else "Other")
    return name


def _pattern(name: str, stand_ins: dict[str, str]) -> str:
    """Return a regular expression for a name with stand-ins."""
    pattern = escaped(name)
    for value, allowed in stand_ins.items():
        wide = _ANY if re.fullmatch(allowed, "a/b") else _SOME
        pattern = pattern.replace(escaped(value), wide)
    return pattern
