"""Regular expressions that choose metrics: what the names that they choose become."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .translator import Translator

__all__ = ["Widening", "escaped", "widening"]


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
    found = Widening()
    for name, stand_ins in translator.examples(surface):
        if not chooses(name):
            continue
        move = translator.key(name)
        found.renames = found.renames or move.output != name
        if not move.translated and move.output != name:
            found.homonyms.append(name)
        if not move.translated or chooses(move.output):
            continue
        if stand_ins and not chooses(_otherwise(name, stand_ins)):
            found.partly.append(move.output)
            continue
        found.added[_pattern(move.output, stand_ins)] = None
        if not stand_ins:
            found.names.append(name)
    return found


def escaped(name: str) -> str:
    """Return a regular expression for a name that Python, JavaScript and RE2 read alike."""
    return re.sub(r"[\\^$.|?*+()\[\]{}]", r"\\\g<0>", name)


def _otherwise(name: str, stand_ins: dict[str, str]) -> str:
    """Return the name with other stand-ins."""
    for value in stand_ins:
        name = name.replace(value, "7" if value[0].isdigit() else "Other")
    return name


def _pattern(name: str, stand_ins: dict[str, str]) -> str:
    """Return a regular expression for a name with stand-ins."""
    pattern = escaped(name)
    for value, allowed in stand_ins.items():
        wide = ".+" if re.fullmatch(allowed, "a/b") else "[^/]+"
        pattern = pattern.replace(escaped(value), wide)
    return pattern
