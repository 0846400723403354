"""What an anchor stores of a statement, and how that statement is found again in a release."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .fingerprint import digest
from .packages import Package
from .symbols import Symbol

__all__ = ["Found", "Mark", "find", "mark_of", "places_of"]


class Mark(NamedTuple):
    """A statement of a symbol, whichever release it stands in.

    Attributes:
        symbol: Qualified name of its symbol.
        fingerprint: What it says.
        around: What the headers around it say, innermost first, where the symbol says it more than once; else nothing.
    """

    symbol: str
    fingerprint: str
    around: str = ""

    def __str__(self) -> str:
        return f"{self.symbol} {self.fingerprint}" + (f"/{self.around}" if self.around else "")


class Found(NamedTuple):
    """A mark in one release.

    Attributes:
        mark: The statement.
        path: Path of its module.
        offsets: Lines after the symbol's first one; several where equal statements have equal headers around them.
    """

    mark: Mark
    path: str
    offsets: tuple[int, ...]


def around(symbol: Symbol, place: int) -> str:
    """Return what the headers around a statement say, as 12 hexadecimal digits."""
    return digest(symbol.statements[other].fingerprint for other in symbol.enclosing(place))


def mark_of(symbol: Symbol, place: int) -> Mark:
    """Return the mark of a statement."""
    said = symbol.statements[place].fingerprint
    return Mark(symbol.name, said, around(symbol, place) if len(symbol.places[said]) > 1 else "")


def places_of(symbol: Symbol, mark: Mark) -> tuple[int, ...]:
    """Return where a mark's statement stands in a symbol.

    A mark without headers stood alone in its symbol: where the symbol says the same more than once now, nothing tells
    which one is meant, and it is not found.
    """
    places = symbol.places.get(mark.fingerprint, ())
    if not mark.around:
        return places if len(places) == 1 else ()
    fitting = tuple(place for place in places if around(symbol, place) == mark.around)
    return fitting or (places if len(places) == 1 else ())


def find(package: Package, marks: Iterable[Mark], near: Iterable[str] = (), *, anywhere: bool = True) -> list[Found]:
    """Find the alternatives of an anchor in a release.

    Args:
        package: The release.
        marks: What the anchor stands for: any of these.
        near: Paths, the nearest first: of several symbols with one name the one in such a file is meant.
        anywhere: Look at other files, too, which takes long in a large package.

    Returns:
        Those found, each as the release's own mark, ordered by symbol and line.
    """
    by_place: dict[tuple[str, str, int], Found] = {}
    for mark in marks:
        symbol = symbol_for(package, mark.symbol, near, anywhere=anywhere)
        places = places_of(symbol, mark) if symbol else ()
        if symbol is not None and places:
            first = symbol.statements[0].first
            offsets = tuple(symbol.statements[place].first - first for place in places)
            by_place[symbol.path, symbol.name, offsets[0]] = Found(mark_of(symbol, places[0]), symbol.path, offsets)
    return [by_place[key] for key in sorted(by_place)]


def symbol_for(package: Package, name: str, near: Iterable[str] = (), *, anywhere: bool = True) -> Symbol | None:
    """Return the symbol with a qualified name: in a near file, else the only one of the package, else none."""
    for path in near:
        module = package.module(path)
        if module is not None and name in module.symbols:
            return module.symbols[name]
    others = package.named(name) if anywhere else ()
    return others[0] if len(others) == 1 else None
