"""Why the keys of a move differ: causes of an upgrade, or what sets two frameworks apart; and when that is gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names.upgrades.causes import shown

from .cause_boxes import CauseOnPage, PageCauses
from .moved_rows import MovedRows
from .moves import Move, Note, title_of
from .site import Site
from .texts import code

__all__ = ["HelpfulSetting", "MoveCauses"]


class HelpfulSetting(NamedTuple):
    """A setting or a condition with which a difference is gone, and of how many keys."""

    what: Markup
    keys: int


class MoveCauses:
    """The causes of a move.

    Args:
        site: What pages are made from.
        move: The move.
        rows: Its rows.

    Attributes:
        page: What changed from release to release; None between two frameworks.
    """

    def __init__(self, site: Site, move: Move, rows: MovedRows) -> None:
        self._site = site
        self._move = move
        self._texts = site.texts
        self._rows = rows
        self.page: PageCauses | None = None
        if move.found is not None:
            names = site.tables.framework(move.framework).releases.names
            self.page = PageCauses(
                site.tables,
                site.texts,
                rows.lists,
                move.framework,
                move.found,
                dict(zip(names[1:], names, strict=False)),
            )

    def settings(self) -> Iterator[HelpfulSetting]:
        """Yield with what most of the difference is gone, what helps most keys first."""
        found: dict[Markup, int] = {}
        if self.page is None:
            for number, note in enumerate(self._move.notes):
                if note.gone is not None and note.group != "timers":
                    said = self._texts.say(note.gone)
                    cited = sum(number in numbers for numbers in self._move.cites.values())
                    found[said] = found.get(said, 0) + cited
        for cause in () if self.page is None else self.page.heavy():
            if cause.kind == "setting":
                said = code(f"{cause.name}={shown(cause.before)}")
            elif cause.vanishes_when:
                said = self._texts.say(cause.vanishes_when)
            else:
                continue
            found[said] = found.get(said, 0) + len(cause.keys or cause.folded)
        yield from sorted((HelpfulSetting(*item) for item in found.items()), key=lambda item: -item.keys)

    def told(self, group: str) -> list[CauseOnPage]:
        """Return what sets keys apart, of a group such as ``heavy``: causes of an upgrade, or notes of a crossing."""
        if self.page is not None:
            return self.page.told(group)
        return [self._noted(number, note) for number, note in enumerate(self._move.notes, 1) if note.group == group]

    def _noted(self, number: int, note: Note) -> CauseOnPage:
        named = note.text.startswith(tuple(title_of(self._site.tables, name) for name in self._site.tables.named))
        text = self._texts.say(note.text)
        return CauseOnPage(
            number, note.severity, None, text, (), self._cited(number - 1), None, None, capital=not named
        )

    def _cited(self, number: int) -> Markup:
        keys = [key for (_, key, _), numbers in self._move.cites.items() if number in numbers]
        return self._rows.few(keys)
