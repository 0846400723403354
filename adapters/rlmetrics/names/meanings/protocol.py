"""What a framework's release and the canonical names can be asked."""

from __future__ import annotations

from collections.abc import Mapping

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from ..differences.severity import Circumstances
    from ..sources.source import Source
    from ..tables.key_records import Entry, Evidence
    from ..tables.tables import Tables
    from ..tables.templates import Template

__all__ = ["KeyPlace", "Match", "View"]


class KeyPlace(NamedTuple):
    """A key in a mode, and every metric that it can mean there, whatever the configuration."""

    component: str
    key: str
    mode: str
    metrics: tuple[str, ...]


class Match(NamedTuple):
    """A key that was found: what it is, which surface shows it so, and the values of its placeholders."""

    entry: Entry
    surface: str
    values: Mapping[str, str]


class View(Protocol):
    """What a framework's release and the canonical names have in common."""

    @property
    def source(self) -> Source:
        """What is looked at."""
        ...

    @property
    def tables(self) -> Tables:
        """The spec."""
        ...

    def __hash__(self) -> int:
        """Return a number: what was found out of an open source is kept with it."""
        ...

    def entries(self) -> list[Entry]:
        """Return everything that is logged."""
        ...

    def places(self) -> list[KeyPlace]:
        """Return where each of these entries stands, none of which is made for that."""
        ...

    def at(self, place: KeyPlace) -> Entry:
        """Return the entry of a place."""
        ...

    def metric(self, place: KeyPlace) -> str | None:
        """Return what the entry of a place measures, which is mostly known without making it."""
        ...

    def candidates(self, metric: str, mode: str) -> list[Entry]:
        """Return the entries of a metric in a mode."""
        ...

    def readings(self, entry: Entry) -> list[Entry]:
        """Return what an entry may be: itself, and more where its source leaves open which metric it is."""
        ...

    def find(self, key: str) -> list[Match]:
        """Return what a key is, in the components in which its reading is most specific."""
        ...

    def template(self, entry: Entry) -> Template:
        """Return the template of an entry's key."""
        ...

    def program(self, component: str) -> str:
        """Return what a component runs in: keys of one program are logged together."""
        ...

    def circumstances(self, component: str) -> Circumstances | None:
        """Return what decides whether the numbers of a component differ from others; None without settings."""
        ...

    def evidence(self, entry: Entry) -> tuple[Evidence, ...]:
        """Return where the source shows an entry."""
        ...

    def show(self, entry: Entry, name: str, surface: str) -> str:
        """Return how a surface shows a key."""
        ...
