"""The generated table of a component: a row for each key, mode and set of releases in which it means the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

from rlmetrics.lazy_typing import Any, NamedTuple

from .key_records import Reading, Signature
from .pieces import Piece, combine
from .table_text import Rows
from .versions import Releases

__all__ = ["Bound", "ComponentTable", "TableRow", "expressions_of", "guards_of"]

_DECIDES = ("when", "scale", "offset")


class Bound(NamedTuple):
    """What a parameter of a function is taken from.

    Attributes:
        when: A guard; None where nothing is asked.
        value: A number, an expression over settings, or ``given``.
        default: The value where no setting says one.
        part: Which of the two numbers that the setting joins by an underscore; None where it is one number.
    """

    when: str | None
    value: float | str
    default: float | None
    part: int | None


class TableRow:
    """A key in one mode, in releases in which the same statements of the spec apply to it.

    Attributes:
        key: As it is logged, with ``{placeholders}`` and the prefix of evaluation.
        mode: ``train`` or ``eval``.
        ranges: The releases.
        place: The numbers of what is said of it; rows of one component with the same numbers say the same.
        fragment: The file of the record, if that has no component of its own.
    """

    __slots__ = ("_facts", "_metrics", "_pieces", "fragment", "key", "mode", "place", "ranges")

    def __init__(self, cells: Sequence[Any], pieces: Sequence[Piece]) -> None:
        self.key: str = cells[0]
        self.mode: str = cells[1]
        self.ranges: Sequence[str] = cells[2]
        self.place: tuple[int, ...] = (cells[3], *cells[4])
        self.fragment: str | None = cells[5] if len(cells) > 5 else None
        self._pieces = pieces
        self._facts: tuple[Piece, ...] | None = None
        self._metrics: tuple[str, ...] | None = None

    @property
    def record(self) -> Piece:
        """What its record says."""
        return self._pieces[self.place[0]]

    @property
    def facts(self) -> tuple[Piece, ...]:
        """What holds of it besides: always, or, with ``when``, in some configurations."""
        if self._facts is None:
            pieces = self._pieces
            self._facts = tuple([pieces[number] for number in self.place[1:]])
        return self._facts

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that its key can mean, whatever the configuration."""
        if self._metrics is None:
            named = [piece.get("metric") for piece in (self.record, *self.facts)]
            self._metrics = tuple(dict.fromkeys([metric for metric in named if metric is not None]))
        return self._metrics


class ComponentTable:
    """One component: its rows and settings.

    Args:
        data: The table.
        releases: The releases of the framework.
    """

    def __init__(self, data: Mapping[str, Any], releases: Releases) -> None:
        self._data = data
        self._releases = releases
        self._at: dict[str, list[TableRow]] = {}
        self._combined: dict[tuple[int, ...], dict[str, Any]] = {}
        self._single: dict[str, Mapping[str, str]] = {}
        self._called: dict[str, list[TableRow]] = {}
        self._measuring: dict[str, list[TableRow]] = {}
        self.signatures: dict[int, Signature] = {}
        """The signature of each combination that no setting decides further, by its identity."""
        self.kept: dict[object, Any] = {}
        """What is found out about the component once, for whoever asks again."""

    @property
    def program(self) -> str | None:
        """What the component runs in, if it is no program of its own."""
        name: str | None = self._data.get("program")
        return name

    @property
    def eval_prefix(self) -> str:
        """What keys begin with that evaluation logs."""
        return str(self._data.get("eval_prefix", "eval_"))

    @property
    def extends(self) -> Sequence[str]:
        """The files that this one extends, nearest first."""
        stems: Sequence[str] = self._data.get("extends", ())
        return stems

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """Settings, inherited ones included."""
        return {**self._data.get("config", {})}

    def single(self, release: str) -> Mapping[str, str]:
        """Return the guards of a release under which there is only one part at a level."""
        if release not in self._single:
            rows: Mapping[str, Sequence[tuple[Sequence[str], str]]] = self._data.get("single", {})
            covers = self._releases.covers
            self._single[release] = {
                part: guard for part, found in rows.items() for ranges, guard in found if covers(ranges, release)
            }
        return self._single[release]

    @property
    def profiles(self) -> Mapping[str, Piece]:
        """What records can name to share a signature."""
        profiles: Mapping[str, Piece] = self._data.get("profiles", {})
        return profiles

    @property
    def placeholders(self) -> Mapping[str, Mapping[str, Any]]:
        """Placeholders of keys."""
        placeholders: Mapping[str, Mapping[str, Any]] = self._data.get("placeholders", {})
        return placeholders

    def tracking(self, release: str | None = None) -> list[Mapping[str, Any]]:
        """Return how a release, or any, hands its numbers to trackers."""
        rows: Sequence[Mapping[str, Any]] = self._data.get("tracking", ())
        return [row for row in rows if release is None or self._releases.covers(row["releases"], release)]

    def unlogged(self, release: str) -> list[Mapping[str, Any]]:
        """Return the keys that a guide lists although this release never logs them."""
        rows: Sequence[Mapping[str, Any]] = self._data.get("unlogged", ())
        return [row for row in rows if self._releases.covers(row["releases"], release)]

    @property
    def reports(self) -> Sequence[Mapping[str, Any]]:
        """What the framework's authors were told about numbers of any release."""
        rows: Sequence[Mapping[str, Any]] = self._data.get("reports", ())
        return rows

    @cached_property
    def rows(self) -> tuple[TableRow, ...]:
        """Every row, the component's own keys first."""
        return tuple(self._row(item) for item in self._data.get("keys", ()))

    @cached_property
    def _by_key(self) -> Mapping[str, list[Any]]:
        rows: dict[str, list[Any]] = {}
        for item in self._data.get("keys", ()):
            rows.setdefault(item[0], []).append(item)
        return rows

    @property
    def spelled(self) -> Collection[str]:
        """Every key and template, those of evaluation with their prefix."""
        return self._by_key.keys()

    def in_order(self, keys: Collection[str]) -> Collection[str]:
        """Return some of its keys in its own order."""
        return keys if len(keys) < 2 else [key for key in self.spelled if key in keys]

    def called(self, key: str) -> list[TableRow]:
        """Return the rows of a key; far fewer are read than by asking all rows."""
        if key not in self._called:
            keys = self._data.get("keys", ())
            found = keys.beginning(key) if isinstance(keys, Rows) else self._by_key.get(key, ())
            self._called[key] = [self._row(item) for item in found]
        return self._called[key]

    def measuring(self, metric: str) -> list[TableRow]:
        """Return the rows that may mean a metric, under whichever configuration."""
        if metric not in self._measuring:
            numbers: Sequence[int] = self._data.get("measuring", {}).get(metric, ())
            keys = self._data.get("keys", ())
            self._measuring[metric] = [self._row(keys[number]) for number in numbers]
        return self._measuring[metric]

    def _row(self, item: Sequence[Any]) -> TableRow:
        return TableRow(item, self._pieces)

    @cached_property
    def _pieces(self) -> Sequence[Piece]:
        return self._data.get("pieces", ())  # type: ignore[no-any-return]

    def at(self, release: str) -> list[TableRow]:
        """Return the rows of a release."""
        if release not in self._at:
            covers = self._releases.covers
            self._at[release] = [row for row in self.rows if covers(row.ranges, release)]
        return self._at[release]

    def bare(self, row: TableRow) -> str:
        """Return a row's key without the prefix of evaluation."""
        return row.key.removeprefix(self.eval_prefix) if row.mode == "eval" else row.key

    def releases_of(self, row: TableRow, among: frozenset[str]) -> frozenset[str]:
        """Return in which of some releases a row applies."""
        return self._releases.covered(row.ranges) & among

    def combined(self, row: TableRow, active: tuple[int, ...]) -> Mapping[str, Any]:
        """Return what a row's record and some of its facts say together; one and the same for equal questions.

        Args:
            row: A row of this component.
            active: Which of its facts hold, by their place in the row.
        """
        asked = row.place[0], *[row.place[index + 1] for index in active]
        said = self._combined.get(asked)
        if said is None:
            facts = [row.facts[index] for index in active]
            said = self._combined[asked] = combine(row.record, facts, self._data.get("profiles", {}))
        return said

    def notes(self, combined: Mapping[str, Any]) -> list[str]:
        """Return the notes of combined statements."""
        notes: Sequence[str] = self._data.get("notes", ())
        numbers: Sequence[int] = combined["notes"]
        return [notes[number] for number in numbers]

    def documented(self, combined: Mapping[str, Any]) -> list[tuple[str, str | None, str, str | None, str | None]]:
        """Return what guides say: the claim, what the code does instead, the guide, its path and the heading."""
        rows: Sequence[Any] = self._data.get("documented", ())
        return [tuple(rows[number]) for number in combined["documented"]]

    def bound(self, name: str, combined: Mapping[str, Any], release: str) -> list[Bound]:
        """Return what a parameter of a key's function is taken from, in the order in which it is looked for."""
        own: Mapping[str, Sequence[Any]] = combined.get("parameters", {})
        shared: Mapping[str, Sequence[Any]] = self._data.get("bind", {})
        rows = own.get(name) or shared.get(name, ())
        return [Bound(*said) for ranges, *said in rows if self._releases.covers(ranges, release)]

    def named_alike(self, setting: str, release: str) -> Iterator[str]:
        """Yield the other settings that a parameter is taken from where a setting does not say it."""
        shared: Mapping[str, Sequence[Any]] = self._data.get("bind", {})
        for rows in shared.values():
            names = [named for ranges, _, named, *_ in rows if named and self._releases.covers(ranges, release)]
            if setting in names:
                yield from (name for name in names if name != setting)

    def reads(self, combined: Mapping[str, Any]) -> tuple[Reading, ...]:
        """Return what certain values mean."""
        rows: Sequence[Mapping[str, Any]] = self._data.get("reads", ())
        return tuple(Reading(**rows[number]) for number in combined["reads"])


def guards_of(row: TableRow) -> list[str]:
    """Return the guards that decide whether and how a key is logged."""
    return list(dict.fromkeys(_guards(row)))


def _guards(row: TableRow) -> Iterator[str]:
    for piece in (row.record, *row.facts):
        yield from piece.get("logged_when", ())
        if "when" in piece:
            yield piece["when"]


def expressions_of(row: TableRow) -> list[str]:
    """Return every expression of settings in a row."""
    texts = [str(piece[name]) for piece in (row.record, *row.facts) for name in _DECIDES if name in piece]
    return [*texts, *(guard for piece in (row.record, *row.facts) for guard in piece.get("logged_when", ()))]
