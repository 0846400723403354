"""Where each key of a row goes, once it is known: a row that follows costs one look at each of its keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from math import isfinite

from rlmetrics.lazy_typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rlmetrics.names.tables.key_records import Transform

    from .translation_plan import Translation

__all__ = ["RowRoutes"]

_MOST = 10_000
"""How many keys are remembered: a run that never stops inventing names must not fill the memory."""


class Moves(Protocol):
    """What says what becomes of a key."""

    def key(self, key: str, /) -> Translation:
        """Return where it goes."""
        ...

    def aside(self, key: str, /) -> str:
        """Return the name under which it is set aside."""
        ...

    def converted(self, key: str, value: Any, /) -> Any:
        """Return its value as it is written under its new name."""
        ...

    def keeps(self, key: str, /) -> bool:
        """Tell whether it stands under its old name, too, wherever no other key has that name."""
        ...


class _Rivals:
    """Keys that claim one name.

    Attributes:
        output: The name.
        keys: They, the nearest first.
        met: Those of them that stood in one row, the nearest first, and whether their values were the same.
    """

    def __init__(self, output: str, keys: tuple[str, ...]) -> None:
        self.output = output
        self.met: set[tuple[tuple[str, ...], bool]] = {((), True)}
        self.keys = keys

    def among(self, row: Mapping[str, Any], written: Callable[[str, Any], Any]) -> tuple[tuple[str, ...], bool]:
        """Return which of the keys stand in a row, and whether their values are the same as they would be written."""
        present = tuple([key for key in self.keys if key in row])
        if len(present) < 2:
            return present, True
        from .conversion import same  # the modules of exact numbers are a tenth of what importing costs

        first, *others = [written(key, row[key]) for key in present]
        return present, all(same(first, other) for other in others)


def _all_equal(row: Mapping[str, Any], groups: Iterable[tuple[str, ...]]) -> bool:
    """Tell whether a row has all keys of some groups, with one float in each group: what most rows have."""
    for first, *others in groups:
        value = row.get(first)
        if type(value) is not float:
            return False
        for key in others:
            other = row.get(key)
            if type(other) is not float or other != value:
                return False
    return True


class RowRoutes:
    """What becomes of the keys of any row, of those that stood in rows that were translated the thorough way.

    Args:
        moves: The translator.
    """

    def __init__(self, moves: Moves) -> None:
        self._moves = moves
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._outputs: dict[str, str] = {}
        self._dropped: set[str] = set()
        self._converted: dict[str, Callable[[Any], Any]] = {}
        self._kept: set[str] = set()
        self._owners: dict[str, list[str]] = {}
        self._taken: set[str] = set()
        self._rivals: list[_Rivals] = []
        self._usual: list[tuple[str, ...]] = []
        self._usually_omitted: set[str] = set()

    def renamed(self, row: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a row under new names; None if it holds a key, or keys of one name, that have not been met.

        Raises:
            InputError: If a value can't be converted.
        """
        outputs, kept = self._outputs, self._kept
        omitted: Collection[str] = self._dropped
        aside: Mapping[str, str] = {}
        if self._usual and _all_equal(row, self._usual):
            omitted = self._usually_omitted
        elif self._rivals:
            met = self._contest(row)
            if met is None:
                return None
            omitted, aside = met
        renamed: dict[str, Any] = {}
        try:
            if kept:
                for key, value in row.items():
                    if key not in omitted:
                        renamed[aside.get(key) or outputs[key]] = value
                    if key in kept:
                        renamed[key] = value
            elif aside:
                renamed = {aside.get(key) or outputs[key]: value for key, value in row.items() if key not in omitted}
            elif omitted:
                renamed = {outputs[key]: value for key, value in row.items() if key not in omitted}
            else:
                renamed = {outputs[key]: value for key, value in row.items()}
        except KeyError:
            return None
        for key, convert in self._converted.items():
            if key in row and key not in omitted and key not in aside:
                renamed[outputs[key]] = convert(row[key])
        return renamed

    def new_in(self, row: Mapping[str, Any]) -> list[Translation]:
        """Return where those keys of a row go that no row had before."""
        return [self._moves.key(key) for key in row if key not in self._outputs and key not in self._dropped]

    def apart(self, moves: Collection[Translation]) -> bool:
        """Tell whether new keys have names of their own, so that the rest of the row does not matter to them."""
        outputs = {move.output for move in moves}
        return (
            len(outputs) == len(moves)
            and self._owners.keys().isdisjoint(outputs)
            and not any(self._entangled(move) for move in moves)
        )

    def add(self, move: Translation) -> None:
        """Take down where a key goes."""
        if self._entangled(move):
            return
        if len(self._outputs) >= _MOST:
            self.clear()
        self._outputs[move.key] = move.output
        if move.transform is not None and move.translated:
            self._converted[move.key] = self._conversion(move.key, move.transform)
        if self._moves.keeps(move.key) and move.output != move.key:
            self._kept.add(move.key)
        owners = self._owners.setdefault(move.output, [])
        owners.append(move.key)
        if len(owners) > 1:
            owners.sort(key=lambda key: self._moves.key(key).order)
            self._rivals = [rivals for rivals in self._rivals if rivals.output != move.output]
            self._rivals.append(_Rivals(move.output, tuple(owners)))
            self._usual = []

    def drop(self, key: str) -> None:
        """Take down that a key is left out."""
        if len(self._dropped) >= _MOST:
            self.clear()
        self._dropped.add(key)
        self._usual = []

    def meet(self, row: Mapping[str, Any]) -> None:
        """Take down which keys of one name met in a row that was translated the thorough way."""
        for rivals in self._rivals:
            present, equal = rivals.among(row, self._written)
            aside = {self._moves.aside(key) for key in present} if not equal else set()
            if self._owners.keys().isdisjoint(aside):
                self._taken |= aside
                rivals.met.add((present, equal))
        if all(
            (rivals.keys, True) in rivals.met and self._converted.keys().isdisjoint(rivals.keys)
            for rivals in self._rivals
        ):
            self._usual = [rivals.keys for rivals in self._rivals]
            self._usually_omitted = self._dropped.union(*(keys[1:] for keys in self._usual))

    def _contest(self, row: Mapping[str, Any]) -> tuple[set[str], dict[str, str]] | None:
        """Return which keys of a row are left out, and which are set aside; None if some have not met so before."""
        omitted, aside = set(self._dropped), dict[str, str]()
        for rivals in self._rivals:
            present, equal = met = rivals.among(row, self._written)
            if met not in rivals.met:
                return None
            if equal:
                omitted.update(present[1:])
            else:
                aside.update((key, self._moves.aside(key)) for key in present)
        return omitted, aside

    def _conversion(self, key: str, transform: Transform) -> Callable[[Any], Any]:
        """Return what converts the values of a key."""
        from rlmetrics.logs.decimals import convert_float  # not loaded where nothing is converted

        def convert(value: Any) -> Any:
            if type(value) is float and isfinite(value):
                return convert_float(value, transform.scale, transform.offset)
            return self._moves.converted(key, value)

        return convert

    def _written(self, key: str, value: Any) -> Any:
        return self._converted[key](value) if key in self._converted else value

    def _entangled(self, move: Translation) -> bool:
        """Tell whether what becomes of a key hangs on which others stand beside it: each row is then looked at anew."""
        keeps = self._moves.keeps(move.key) and move.output != move.key
        return move.output in self._kept or move.output in self._taken or (keeps and move.key in self._owners)
