"""What canonical names and those of a convention have in common: no code logs them, so names are all there is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from ..sources.source import Source
from ..tables.key_records import Entry, Evidence, Signature
from ..tables.tables import Tables
from .protocol import KeyPlace

__all__ = ["NamesOnly"]


class NamesOnly(ABC):
    """A view without settings, source code or surfaces; all of its names are of one program.

    Args:
        tables: The spec.
        source: Whose names they are.
    """

    def __init__(self, tables: Tables, source: Source) -> None:
        self.tables = tables
        self.source = source

    @abstractmethod
    def entries(self) -> list[Entry]:
        """Return every name."""

    def places(self) -> list[KeyPlace]:
        """Return where each of these entries stands."""
        return list(self._places)

    def at(self, place: KeyPlace) -> Entry:
        """Return the entry of a place."""
        return self._places[place]

    def metric(self, place: KeyPlace) -> str | None:
        """Return what the name of a place measures."""
        return place.metrics[0]

    @cached_property
    def _places(self) -> dict[KeyPlace, Entry]:
        return {
            KeyPlace(entry.component, entry.key, entry.mode, (str(entry.metric),)): entry for entry in self.entries()
        }

    def program(self, component: str) -> str:
        """Return the one program that there is."""
        return component

    def circumstances(self, component: str) -> None:
        """Return nothing: there are no settings."""
        return

    def readings(self, entry: Entry) -> list[Entry]:
        """Return the entry alone."""
        return [entry]

    def evidence(self, entry: Entry) -> tuple[Evidence, ...]:
        """Return nothing: no source shows these names."""
        return ()

    def show(self, entry: Entry, name: str, surface: str) -> str:
        """Return the name: it stands by itself, however a tracker shows it."""
        return name

    def _entry(
        self, component: str, key: str, metric: str, signature: Signature, mode: str = "train", note: str | None = None
    ) -> Entry:
        return Entry(
            component=component,
            key=key,
            mode=mode,
            metric=metric,
            kind=self.tables.metrics[metric].get("kind", "scalar"),
            signature=signature,
            condition=None,
            logged_by_default=True,
            logged=True,
            constant_when=(),
            variant=None,
            alternatives=(),
            bind={},
            at=(),
            note=note,
        )
