"""Writes out which guide each statement of `documented` is from: the file's where it names none, release by release."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from rlmetrics.names.tables.versions import Releases

from ..model import ComponentFile, GuideStatement, Piece, Ranges, Record

if TYPE_CHECKING:
    from .document import YamlPath

__all__ = ["cite"]

_Said = TypeVar("_Said", bound=Piece)
_Place = tuple[str, "YamlPath"]


def cite(
    file: ComponentFile, stem: str, order: Releases, bits: Callable[[Ranges], int], moved: dict[YamlPath, _Place]
) -> ComponentFile:
    """Return a file in which each statement of a guide names one guide, or none where nothing names any.

    Args:
        file: The file, with groups written out.
        stem: Its name.
        order: The releases of the framework.
        bits: Gives the releases of a range.
        moved: Entries that were written elsewhere; what a statement becomes is added.
    """
    writer = _Citing(file, stem, order, bits, moved)
    return writer.file()


class _Citing:
    def __init__(
        self,
        file: ComponentFile,
        stem: str,
        order: Releases,
        bits: Callable[[Ranges], int],
        moved: dict[YamlPath, _Place],
    ) -> None:
        self._file = file
        self._stem = stem
        self._order = order
        self._bits = bits
        self._moved = moved

    def file(self) -> ComponentFile:
        """Return the file."""
        keys = {
            name: self._record(records, ("keys", name))
            if isinstance(records, Record)
            else [self._record(each, ("keys", name, index)) for index, each in enumerate(records)]
            for name, records in self._file.keys.items()
        }
        shared = [self._said(fact, ("shared", index)) for index, fact in enumerate(self._file.shared)]
        return self._file.model_copy(update={"keys": keys, "shared": shared})

    def _record(self, record: Record, path: YamlPath) -> Record:
        facts = [self._said(fact, (*path, "facts", index)) for index, fact in enumerate(record.facts)]
        own = self._said(record, path)
        changed = any(new is not old for new, old in zip(facts, record.facts, strict=True))
        return own.model_copy(update={"facts": facts}) if changed else own

    def _said(self, piece: _Said, path: YamlPath) -> _Said:
        if all(isinstance(item.guide, str) for item in piece.documented):
            return piece
        stem, place = self._moved.get(path, (self._stem, path))
        ways: list[YamlPath] = [(*path, "documented", index) for index in range(len(piece.documented))]
        places = {index: self._moved[way] for index, way in enumerate(ways) if way in self._moved}
        statements: list[GuideStatement] = []
        for index, item in enumerate(piece.documented):
            written = places.get(index, (stem, (*place, "documented", index)))
            for each in self._cited(item):
                self._moved[(*path, "documented", len(statements))] = written
                statements.append(each)
        return piece.model_copy(update={"documented": statements})

    def _cited(self, item: GuideStatement) -> Iterator[GuideStatement]:
        """Yield a statement for each guide that it is from."""
        guide = self._file.guide if item.guide is None else item.guide
        if not isinstance(guide, Mapping):
            yield item.model_copy(update={"guide": guide})
            return
        for releases, each in guide.items():
            where = self._bits(releases) if item.releases is None else self._bits(releases) & self._bits(item.releases)
            if where:
                yield item.model_copy(update={"guide": each, "releases": self._order.ranges(where)})
