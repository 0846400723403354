"""Takes rows into curves: keys are met once, and rows alike wait together until a rule looks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import itemgetter
from typing import Any, NamedTuple

from rlmetrics.names.tables.printed_numbers import decimals_of, half_unit

from .instances import MOST_WAITING, Channel, Instance
from .logged_values import NULL, number_of

__all__ = ["MOST_UNUSED", "Intake", "RowLayout", "TakenRow"]

MOST_UNUSED = 4000
"""Keys of no use to any rule that are remembered: names with a running number in them must not fill the memory."""
_MOST_LAYOUTS = 32
_NUMBERS = frozenset({int, float})
_NEW: Any = object()
_NO_KEYS: frozenset[str] = frozenset()


class RowLayout:
    """Rows that have the same keys in the same order.

    Attributes:
        names: The keys.
        needed: The curves of those of them that rules need.
        channels: The same in the order of the keys.
        kind: The kind of row that it is, and as of when; None while that is not known.
        rows: Values of rows that wait, in the order of the keys.
        places: Where these rows are.
        taken: How many of these rows each curve has taken already.
        room: How many rows may come before something is to be done.
    """

    __slots__ = (
        *("channels", "getters", "guarded", "kind", "names", "needed"),
        *("places", "room", "rows", "taken", "updated"),
    )

    def __init__(self, names: tuple[str, ...], channels: Mapping[str, Channel]) -> None:
        self.names = names
        self.needed = channels
        self.channels = tuple(channels.values())
        self.taken = dict.fromkeys(self.channels, 0)
        where = [at for at, name in enumerate(names) if name in channels]
        self.getters = dict(zip(self.channels, [itemgetter(at) for at in where], strict=True))
        self.guarded = [
            (at, *channel.calm, channel)
            for at, channel in zip(where, self.channels, strict=True)
            if channel.calm is not None
        ]
        self.updated = [(at, channel) for at, channel in zip(where, self.channels, strict=True) if _of_update(channel)]
        self.kind: tuple[Any, int] | None = None
        self.rows: list[tuple[Any, ...]] = []
        self.places: list[float] = []
        self.room = 0

    def enter(self) -> None:
        """Find out how many rows may come before something is to be done."""
        self.room = min((channel.room for channel in self.channels), default=MOST_WAITING)

    def drain(self) -> None:
        """Hand the rows that wait to the curves."""
        if self.rows:
            for channel in self.channels:
                self.hand(channel)
            self.rows.clear()
            self.places.clear()
            self.taken = dict.fromkeys(self.channels, 0)

    def hand(self, channel: Channel) -> None:
        """Hand the rows that wait to one curve, if it is one of these."""
        done = self.taken.get(channel, len(self.rows))
        rows = self.rows[done:] if done else self.rows
        if rows:
            column = map(self.getters[channel], rows)
            channel.steps += self.places[done:]
            channel.values += map(float, column) if channel.plain else map(channel.converted, column)
            channel.room -= len(rows)
            self.taken[channel] = done + len(rows)


class TakenRow(NamedTuple):
    """What a row gave.

    Attributes:
        pending: The rules that are to look now.
        lost: Keys whose numbers got lost, each with how it was logged.
        empty: Keys without a value.
        layout: The layout, if every value of the row is a finite number.
        zeros: The numbers that a broken update makes NaN, if all that the row has of them are exactly 0.
    """

    pending: list[Instance]
    lost: Sequence[tuple[Channel, Any]]
    empty: AbstractSet[str]
    layout: RowLayout | None
    zeros: Sequence[Channel] = ()


class Intake:
    """The curves of a run.

    Args:
        meet: Finds out what a key is; None if no rule needs it.

    Attributes:
        channels: The keys that came, each with its curve if any rule needs it. Of those that none needs only so many
            are remembered.
        crowded: Whether there were more of these.
        decimals: With how many decimals a number was printed that reads as 0; None if there was none.
    """

    def __init__(self, meet: Callable[[str], Channel | None]) -> None:
        self.channels: dict[str, Channel | None] = {}
        self.crowded = False
        self.decimals: int | None = None
        self._rounded = 0
        self._meet = meet
        self._met: list[Channel] = []
        self._layouts: dict[tuple[str, ...], RowLayout] = {}
        self._layout: RowLayout | None = None

    def channel(self, key: str) -> Channel | None:
        """Return the channel of a key; None if no rule needs it."""
        channel: Channel | None = self.channels.get(key, _NEW)
        if channel is _NEW:
            channel = self._meet(key) if isinstance(key, str) else None
            if channel is not None:
                self.channels[key] = channel
                self._met.append(channel)
            elif len(self.channels) - len(self._met) < MOST_UNUSED:
                self.channels[key] = None
            else:
                self.crowded = True
        return channel

    def flush(self) -> Iterable[Channel]:
        """Let all curves take what waits, and return them."""
        if self._layout is not None:
            self._layout.drain()
        for channel in self._met:
            channel.flush()
        return self._met

    def settle(self, channels: Collection[Channel]) -> Iterable[Channel]:
        """Let some curves take what waits, and return them."""
        layout = self._layout
        for channel in channels:
            if layout is not None:
                layout.hand(channel)
            channel.flush()
        return channels

    def take(self, row: Mapping[str, Any], place: float) -> TakenRow:
        """Take a row."""
        names = tuple(row)
        layout = self._layout
        if layout is None or layout.names != names:
            layout = self._enter(names)
        if layout is not None:
            values = tuple(row.values())
            if _NUMBERS.issuperset(map(type, values)) and _all_finite(values):
                layout.rows.append(values)
                layout.places.append(place)
                layout.room -= 1
                pending = [
                    instance
                    for at, low, high, channel in layout.guarded
                    if channel.alarmed or not low < values[at] < high
                    for instance in channel.instant
                ]
                if layout.room <= 0:
                    layout.drain()
                    pending += [
                        instance
                        for channel in layout.channels
                        if channel.room <= 0 and channel.full()
                        for instance in channel.instances
                    ]
                    layout.enter()
                updated = layout.updated
                if updated and not values[updated[0][0]] and not any(values[at] for at, _ in updated):
                    return TakenRow(pending, (), _NO_KEYS, layout, [channel for _, channel in updated])
                return TakenRow(pending, (), _NO_KEYS, layout)
            layout.drain()
            self._layout = None
        return self._take_each(row, place, layout)

    def _near_zero(self, text: str) -> float:
        """Return what a number can have been that was printed as 0: if its decimals were counted, some small number.

        No two are the same, so that no rule on exactly 0, or on a number that never changes, holds of them.
        """
        decimals = decimals_of(text)
        if decimals is None:
            return 0.0
        self.decimals = decimals
        self._rounded += 1
        size = half_unit(text) * (0.25 + 0.5 * (self._rounded * 0.618034 % 1))
        return -size if "-" in text else size

    def _enter(self, names: tuple[str, ...]) -> RowLayout | None:
        if self._layout is not None:
            self._layout.drain()
        layout = self._layouts.get(names)
        if layout is None and len(self._layouts) < _MOST_LAYOUTS:
            needed = {name: channel for name in names if (channel := self.channel(name)) is not None}
            layout = self._layouts[names] = RowLayout(names, needed)
        self._layout = layout
        if layout is not None:
            layout.enter()
        return layout

    def _take_each(self, row: Mapping[str, Any], place: float, layout: RowLayout | None) -> TakenRow:
        """Take a row in which not everything is a finite number."""
        find = self.channel if layout is None else layout.needed.get
        pending: list[Instance] = []
        lost: list[tuple[Channel, Any]] = []
        empty: set[str] = set()
        updated: list[tuple[Channel, float]] = []
        for key, value in row.items():
            number = number_of(value)
            if number is NULL:
                empty.add(key)
            if not isinstance(number, float):
                continue
            channel = find(key)
            if channel is None:
                continue
            if number != number:
                lost.append((channel, value))
                continue
            if number == 0 and type(value) is str:
                number = self._near_zero(value)
            if channel.stirs(number):
                pending += channel.instant
            if _of_update(channel):
                updated.append((channel, number))
            channel.steps.append(place)
            channel.values.append(number if channel.plain else channel.converted(number))
            channel.room -= 1
            if channel.room <= 0 and channel.full():
                pending += channel.instances
        zeros = [] if lost or any(number for _, number in updated) else [channel for channel, _ in updated]
        return TakenRow(pending, lost, empty, None, zeros)


def _of_update(channel: Channel) -> bool:
    """Tell whether a broken update makes a number NaN at once."""
    return channel.zeroed is not None and channel.meaning.mode == "train"


def _all_finite(values: tuple[Any, ...]) -> bool:
    try:
        total = sum(values)
        return bool(total - total == 0.0)
    except OverflowError:
        return False
