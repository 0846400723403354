"""Tables that note what is read of them, so that what was made of them holds until something of that changes.

What a table says is taken apart into *facts*: a field, an entry of it, which entries there are. Each has a number that
follows from its place and from what is said there; an answer keeps the numbers of the facts that it read.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

from rlmetrics.names.tables.table_text import Rows
from rlmetrics.names.tables.tables import Tables

from ..output.input_digest import digest_of

__all__ = ["AskedTables", "Files", "ReadTables", "Seen", "ranges_in"]

_T = TypeVar("_T")

_RANGE = re.compile(r'"((?:[0-9][\w.]*)?(?:\.\.(?:[0-9][\w.]*)?)?)"')
"""A release or a range of them, as a text of JSON."""

_OF_FIELDS = ("metrics", "texts", "signatures")
"""Tables of which each field of an entry is a fact: few questions are about all that is said of a metric or trait."""

_FEW = 8
"""Shorter lists are one fact."""


class Seen(NamedTuple):
    """What was read of a table.

    Attributes:
        digest: The digest of its file; None if there was none.
        facts: The numbers of what it said.
        absent: The places where it said nothing.
    """

    digest: str | None
    facts: Sequence[int]
    absent: Sequence[str]


def _number(*parts: str) -> int:
    return int.from_bytes(blake2b("\0".join(parts).encode(), digest_size=8).digest(), "little")


class _Fact:
    """What a table says at a place.

    Attributes:
        place: Where that is.
        value: What it says.
        parts: What it consists of, by name or in order, where that is told apart.
        starting: Of rows, the places of those that begin with the same name.
        whole: The number of all of it.
        outline: The number of what its parts are called, or how many there are.
    """

    __slots__ = ("outline", "parts", "place", "starting", "value", "whole")

    def __init__(self, place: str, value: Any, depth: int) -> None:
        self.place, self.value = place, value
        self.parts: Mapping[Any, _Fact] | None = None
        self.starting: Mapping[str, Sequence[int]] = {}
        if not depth or not isinstance(value, dict | list) or (isinstance(value, list) and len(value) < _FEW):
            self.whole = self.outline = _number(place, repr(value))
            return
        if isinstance(value, dict):
            self.parts = {name: _Fact(f"{place}\0{name}", item, depth - 1) for name, item in value.items()}
            self.outline = _number(place, "names", *value)
        else:
            self.parts = {at: _Fact(f"{place}\0{at}", item, 0) for at, item in enumerate(value)}
            self.outline = _number(place, "rows", str(len(value)))
            starting: dict[str, list[int]] = {}
            for at, row in enumerate(value):
                if isinstance(row, list) and row and isinstance(row[0], str):
                    starting.setdefault(row[0], []).append(at)
            self.starting = starting
        self.whole = _number(place, str(self.outline), *[str(part.whole) for part in self.parts.values()])

    @property
    def there(self) -> int:
        """The number of there being parts, and of what kind."""
        return _number(self.place, type(self.value).__name__)

    def rows(self, name: str) -> tuple[list[Any], int]:
        """Return the rows that begin with a name, and the number of that."""
        places = self.starting[name]
        assert self.parts is not None
        found = [self.parts[at] for at in places]
        return [part.value for part in found], _number(self.place, "rows", name, *[str(part.whole) for part in found])

    def numbers(self) -> Iterator[int]:
        """Yield the number of every fact."""
        yield self.whole
        if self.parts is not None:
            yield from (self.outline, self.there)
            for part in self.parts.values():
                yield from part.numbers()
            for name in self.starting:
                yield self.rows(name)[1]

    def places(self) -> Iterator[str]:
        """Yield every place that can be asked for by name."""
        if self.parts is not None:
            yield from (f"{self.place}\0{name}" for name in self.starting)
            if isinstance(self.value, dict):
                for part in self.parts.values():
                    yield part.place
                    yield from part.places()


def ranges_in(text: str) -> frozenset[str]:
    """Return all ranges of releases in a text of JSON."""
    return frozenset(_RANGE.findall(text))


class Files:
    """The files of tables by name; each is read and taken apart once.

    Args:
        texts: Their texts.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.digests = {name: digest_of(text.encode()) for name, text in texts.items()}
        self._parsed: dict[str, Any] = {}
        self._facts: dict[str, _Fact] = {}
        self._ranges: dict[str, tuple[frozenset[str], int]] = {}
        self._known: dict[str, tuple[frozenset[int], frozenset[str]]] = {}
        self._shared: dict[object, tuple[Any, ReadTables]] = {}

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        if name not in self._parsed:
            self._parsed[name] = json.loads(self.texts[name])
        return self._parsed[name]  # type: ignore[no-any-return]

    def facts(self, name: str) -> _Fact:
        """Return what a table says.

        Raises:
            KeyError: There is none of this name.
        """
        if name not in self._facts:
            depth = 3 if name.partition("/")[0] in _OF_FIELDS else 2
            self._facts[name] = _Fact(name, self[name], depth)
        return self._facts[name]

    def ranges(self, name: str) -> tuple[frozenset[str], int]:
        """Return all ranges of releases in a table, and the number of that."""
        if name not in self._ranges:
            found = ranges_in(self.texts.get(name, ""))
            self._ranges[name] = found, _number(name, "ranges", *sorted(found))
        return self._ranges[name]

    def shared(self, make: Callable[[Tables], _T]) -> tuple[_T, ReadTables]:
        """Return what is made of all tables, once in a process, and what was read for that."""
        if make not in self._shared:
            read = ReadTables(self)
            self._shared[make] = make(Tables(read.load)), read
        return self._shared[make]

    def prepare(self) -> None:
        """Take all apart, for processes that inherit them."""
        for name in self.texts:
            self.facts(name)

    def hold(self, read: Mapping[str, Seen]) -> bool:
        """Tell whether all that was read is said now as well, and nothing where nothing was said."""
        return all(seen.digest == self.digests.get(name) or self._holds(name, seen) for name, seen in read.items())

    def _holds(self, name: str, seen: Seen) -> bool:
        if seen.digest is None or name not in self.texts:
            return False
        if name not in self._known:
            facts = self.facts(name)
            self._known[name] = frozenset([*facts.numbers(), self.ranges(name)[1]]), frozenset(facts.places())
        numbers, places = self._known[name]
        return numbers.issuperset(seen.facts) and places.isdisjoint(seen.absent)


class ReadTables:
    """The tables for one question, or several that are answered together, which notes what is read.

    What is noted is all that an answer can depend on: nothing of a table is given away but through `load`, `whole` and
    `ranges`, and what `load` gives is no ``dict`` or ``list``, whose content Python itself would read past the methods
    of a class, but holds the table in an attribute of its own. Each of its methods notes what it tells before it does,
    or is one that Python's abstract classes put together from those. What has no parts left is noted as a whole.

    Args:
        files: The tables.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._notes: dict[str, _Notes] = {}

    def _of(self, name: str) -> _Notes:
        return self._notes.setdefault(name, _Notes())

    def load(self, name: str) -> Mapping[str, Any]:
        """Return a table as `rlmetrics.names.tables.tables.Tables` loads it.

        Raises:
            KeyError: There is none of this name.
        """
        notes = self._of(name)
        return _ReadEntries(self._files.facts(name), notes)

    def whole(self, name: str) -> Mapping[str, Any]:
        """Return a table, all of which is read."""
        self._of(name).facts.add(self._files.facts(name).whole)
        return self._files[name]

    def ranges(self, name: str) -> frozenset[str]:
        """Return all ranges of releases in a table."""
        found, number = self._files.ranges(name)
        self._of(name).facts.add(number)
        return found

    def names(self) -> frozenset[str]:
        """Return which tables were read so far."""
        return frozenset(self._notes)

    def include(self, other: ReadTables) -> None:
        """Note all that was read of other tables, too."""
        for name, notes in other._notes.items():
            own = self._of(name)
            own.facts |= notes.facts
            own.absent |= notes.absent

    def seen(self) -> dict[str, Seen]:
        """Return what was read."""
        digests = self._files.digests
        return {
            name: Seen(digests.get(name), array("Q", sorted(notes.facts)), tuple(sorted(notes.absent)))
            for name, notes in self._notes.items()
        }


class AskedTables(Tables):
    """Tables for questions; what is made of all tables is made once, and read by each that asks for it.

    Args:
        files: The tables.
        read: Notes what is read.
    """

    def __init__(self, files: Files, read: ReadTables) -> None:
        super().__init__(read.load)
        self._files = files
        self._read = read

    def shared(self, make: Callable[[Tables], _T]) -> _T:
        """Return what is made of all tables, and note what was read for it."""
        made, read = self._files.shared(make)
        self._read.include(read)
        return made


class _Notes:
    """What was read of a table so far."""

    def __init__(self) -> None:
        self.facts: set[int] = set()
        self.absent: set[str] = set()


class _ReadEntries(Mapping[str, Any]):
    """Entries by name."""

    def __init__(self, fact: _Fact, notes: _Notes) -> None:
        assert fact.parts is not None
        notes.facts.add(fact.there)
        self._fact, self._parts, self._notes = fact, fact.parts, notes
        self._given: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name in self._given:
            return self._given[name]
        part = self._parts.get(name)
        if part is None:
            self._notes.absent.add(f"{self._fact.place}\0{name}")
            raise KeyError(name)
        self._given[name] = given = _given(part, self._notes)
        return given

    def get(self, name: Any, default: Any = None) -> Any:
        """Return an entry, or the default."""
        if name in self:
            return self._given[name]
        return default

    def __contains__(self, name: object) -> bool:
        if name in self._given:
            return True
        if name not in self._parts:
            self._notes.absent.add(f"{self._fact.place}\0{name}")
            return False
        self[str(name)]  # that it is there is noted with what it says
        return True

    def __iter__(self) -> Iterator[str]:
        self._notes.facts.add(self._fact.outline)
        return iter(self._parts)

    def __len__(self) -> int:
        self._notes.facts.add(self._fact.outline)
        return len(self._parts)


class _ReadRows(Rows):
    """Rows in order."""

    def __init__(self, fact: _Fact, notes: _Notes) -> None:
        assert fact.parts is not None
        notes.facts.add(fact.there)
        self._fact, self._parts, self._notes = fact, fact.parts, notes
        self._given: dict[Any, Any] = {}

    def __getitem__(self, place: Any) -> Any:
        if place.__class__ is int and place in self._given:
            return self._given[place]
        part = self._parts.get(place) if isinstance(place, int) else None
        if part is None:
            self._notes.facts.add(self._fact.whole)
            return self._fact.value[place]
        self._notes.facts.add(part.whole)
        self._given[place] = part.value
        return part.value

    def __iter__(self) -> Iterator[Any]:
        self._notes.facts.add(self._fact.whole)
        return iter(self._fact.value)

    def __len__(self) -> int:
        self._notes.facts.add(self._fact.outline)
        return len(self._fact.value)

    def beginning(self, name: str) -> list[Any]:
        """Return the rows whose first cell is a name."""
        if name not in self._fact.starting:
            self._notes.absent.add(f"{self._fact.place}\0{name}")
            return []
        rows, number = self._fact.rows(name)
        self._notes.facts.add(number)
        return rows


def _given(fact: _Fact, notes: _Notes) -> Any:
    """Return what a reader is given of a fact."""
    if fact.parts is None:
        notes.facts.add(fact.whole)
        return fact.value
    return (_ReadEntries if isinstance(fact.value, dict) else _ReadRows)(fact, notes)
