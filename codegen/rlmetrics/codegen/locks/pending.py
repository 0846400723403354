"""News of the release that is being added: kept until no item is open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rlmetrics.names.tables.user_errors import UserError

from .release_news import Item

__all__ = ["CONFIRMABLE", "OpenItem", "Pending", "PendingError"]

CONFIRMABLE = frozenset({"changed code", "setting", "requirement", "moved key"})
"""News that may change no meaning. The others make the spec wrong, so they are edited, never confirmed."""


class PendingError(UserError):
    """A confirmation that can't be taken."""


@dataclass(frozen=True)
class OpenItem:
    """An item of the list.

    Attributes:
        id: ``e1``, ``e2`` … for what has to be edited, ``r1`` … for what has to be read; it stays the same.
        kind: What it is.
        what: One line.
        token: The change, in a form that stays the same as long as the change does.
        why: Why it changes no meaning, once a person said so.
    """

    id: str
    kind: str
    what: str
    token: str
    why: str | None = None


@dataclass(frozen=True)
class Pending:
    """The list of a release.

    Attributes:
        release: The release.
        entries: Its items.
    """

    release: str
    entries: tuple[OpenItem, ...]

    @property
    def open(self) -> tuple[OpenItem, ...]:
        """What nobody has dealt with."""
        return tuple(entry for entry in self.entries if entry.why is None)

    def updated(self, items: Sequence[Item], answers: Mapping[str, str] | None = None) -> Pending:
        """Return the list for newly found items: known ones keep their names and answers, what is gone is dropped.

        Args:
            items: What was found.
            answers: What was confirmed of this release before, by change.
        """
        known = {entry.token: entry for entry in self.entries}
        last = {letter: max((int(e.id[1:]) for e in self.entries if e.id[0] == letter), default=0) for letter in "er"}
        entries: list[OpenItem] = []
        for item in items:
            before = known.get(item.token)
            if before is None:
                letter = item.tier[0]
                last[letter] += 1
                why = (answers or {}).get(item.token) if item.kind in CONFIRMABLE else None
                entries.append(OpenItem(f"{letter}{last[letter]}", item.kind, item.what, item.token, why))
            else:
                entries.append(replace(before, what=item.what))
        return replace(self, entries=tuple(entries))

    def confirmed(self, name: str, why: str) -> Pending:
        """Return the list with one item answered.

        Raises:
            PendingError: If there is no such item, it has to be edited, or the reason says nothing.
        """
        entry = next((entry for entry in self.entries if entry.id == name), None)
        if entry is None:
            msg = f"{self.release} has no item {name}; its open items are {_names(self.open) or 'none'}"
            raise PendingError(msg)
        if entry.kind not in CONFIRMABLE:
            msg = f"{name} ({entry.kind}: {entry.what}) makes the spec wrong, so nothing but an edit closes it"
            raise PendingError(msg)
        if len(why.split()) < 3:
            msg = "--why must say what was read and why no meaning changes; three words are the least"
            raise PendingError(msg)
        return replace(
            self, entries=tuple(replace(each, why=why) if each.id == name else each for each in self.entries)
        )

    def closed(self, why: str) -> Pending:
        """Return the list with the same answer to all items that can have one and have none."""
        return replace(
            self,
            entries=tuple(
                replace(each, why=why) if each.why is None and each.kind in CONFIRMABLE else each
                for each in self.entries
            ),
        )

    def write(self, path: Path) -> None:
        """Write the list, or remove its file if nothing is open."""
        if not self.open:
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {"release": self.release, "items": [asdict(entry) for entry in self.entries]}
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @staticmethod
    def read(path: Path) -> Pending | None:
        """Return the list that a file holds, or None where there is no file.

        Raises:
            PendingError: If it is not one.
        """
        if not path.is_file():
            return None
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return Pending(data["release"], tuple(OpenItem(**entry) for entry in data["items"]))
        except (ValueError, KeyError, TypeError):
            msg = f"{path.as_posix()}:1:1: not a list of news; delete it and add the release again"
            raise PendingError(msg) from None


def _names(entries: Iterable[OpenItem]) -> str:
    return ", ".join(entry.id for entry in entries)
