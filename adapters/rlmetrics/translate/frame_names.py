"""Other names for what a table holds, in whatever engine it lies: expressions of Narwhals, decided by a ``Translator``.

First all parts of a table are looked at, then each is translated: who gets a name that several keys claim is decided by
the whole table, or, where it has a row for each number, by each run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeVar

import narwhals as nw

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.decimals import float_terms
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.table_layout import TableLayout, layout_of
from rlmetrics.names.tables.key_records import Transform

from .exact_columns import converted_column
from .rival_keys import Claims
from .translation_plan import Translation
from .translator import TranslatedEntry, Translator

__all__ = ["LongNames", "Parts", "WideNames", "collected", "frame_layout", "frame_names", "keys_in"]

Frame = TypeVar("Frame", "nw.DataFrame[Any]", "nw.LazyFrame[Any]")
AnyFrame = nw.DataFrame[Any] | nw.LazyFrame[Any]
Parts = Callable[[], Iterable[AnyFrame]]
"""Gives the parts of a table as often as it is called."""


def frame_layout(schema: Mapping[str, nw.dtypes.DType], layout: str = "auto", run: str | None = None) -> TableLayout:
    """Return which columns of a table with some types are what.

    Raises:
        InputError: As ``layout_of``.
    """
    texts = [
        name for name, kind in schema.items() if isinstance(kind, nw.String | nw.Categorical | nw.Enum | nw.Object)
    ]
    numbers = [name for name, kind in schema.items() if kind.is_numeric()]
    return layout_of([*schema], texts, numbers, layout, run)


def collected(frame: AnyFrame) -> nw.DataFrame[Any]:
    """Return a frame with its rows in memory."""
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def keys_in(frame: AnyFrame, column: str) -> list[str]:
    """Return the different names in a column."""
    found = collected(frame.select(nw.col(column).cast(nw.String())).unique()).get_column(column).to_list()
    return sorted(key for key in found if key is not None)


@dataclass(frozen=True, slots=True)
class _DecidedMoves:
    """What becomes of the keys of one table, in the place of a translator."""

    moves: Mapping[str, Translation]

    def key(self, key: str) -> Translation:
        """Return what becomes of a key."""
        return self.moves[key]


class FrameNames(ABC):
    """What becomes of a table.

    Args:
        translator: Carries the names; its report is the account.
        layout: Which columns are what.
        schema: The types of the columns.
        exact: Whether numbers are converted as the decimals that stand for them, which needs tables of PyArrow;
            otherwise as floats, by the engine.
    """

    def __init__(
        self, translator: Translator, layout: TableLayout, schema: Mapping[str, nw.dtypes.DType], *, exact: bool = False
    ) -> None:
        self._translator: Any = translator
        self._layout = layout
        self._schema = schema
        self._exact = exact
        self._converted_columns: dict[str, tuple[nw.Expr, Transform]] = {}

    @abstractmethod
    def decide(self, parts: Parts, keys: Sequence[str] | None = None) -> None:
        """Decide by all parts of the table; its keys may be given where they are known.

        Raises:
            InputError: A key is unknown and that is an error, or values can't be converted.
        """

    @property
    def is_by_row(self) -> bool:
        """Whether a part can be translated by itself."""
        return True

    def __getstate__(self) -> dict[str, Any]:
        """Return what other processes need to translate parts: what becomes of the keys, without what decided it."""
        moves = {key: self._translator.key(key) for key in self._decided_keys()}
        return {**self.__dict__, "_translator": _DecidedMoves(moves), "_converted_columns": {}}

    @abstractmethod
    def _decided_keys(self) -> Iterable[str]:
        """Return the keys of the table."""

    @abstractmethod
    def translated(self, frame: Frame) -> Frame:
        """Return a part with other names."""

    def _scaled(self, column: str, key: str, where: nw.Expr | None = None) -> nw.Expr:
        """Return the numbers of a column as they are under the new name of a key; floats stay as wide as they are.

        Of a column of many keys, it may be said which rows are meant, so that no others are converted.

        Raises:
            InputError: They are no numbers.
        """
        move, kind, value = self._translator.key(key), self._schema[column], nw.col(column)
        transform = move.transform
        if transform is None or not move.translated:
            return value
        if not kind.is_numeric():
            msg = f"{key}: a column of type {kind} can't be converted; leave it out of the input, or use strict"
            raise InputError(msg)
        if self._exact:
            own = f"__converted {column} {transform.scale} {transform.offset}"
            self._converted_columns[own] = value if where is None else nw.when(where).then(value), transform
            return nw.col(own)
        factor, divisor = float_terms(transform.scale)
        scaled = value.cast(nw.Float64()) * factor
        scaled = scaled / divisor if divisor != 1 else scaled
        scaled = scaled + transform.offset if transform.offset else scaled
        return scaled.cast(nw.Float32()) if isinstance(kind, nw.Float32) else scaled

    def _with_converted(self, frame: Any) -> Any:
        """Return a table with columns of the numbers that are converted beside it, where the engine does not do it."""
        for name, (meant, transform) in self._converted_columns.items():
            values = frame.select(meant.alias(name)).get_column(name).to_native()
            found = converted_column(values, transform.scale, transform.offset)
            frame = frame.with_columns(nw.new_series(name, found, backend="pyarrow"))
        return frame

    def _outputs(self, keys: Sequence[str]) -> dict[str, list[str]]:
        """Return the keys that claim each name."""
        outputs: dict[str, list[str]] = {}
        for key in keys:
            output = self._translator.claimed(key)
            if output is not None:
                outputs.setdefault(output, []).append(key)
        return outputs

    def _nearest_first(self, keys: Sequence[str]) -> list[str]:
        return sorted(keys, key=lambda key: self._translator.key(key).order)


class WideNames(FrameNames):
    """What becomes of a table with a column for each key; a column goes one way, whatever runs are in it."""

    def __init__(
        self, translator: Translator, layout: TableLayout, schema: Mapping[str, nw.dtypes.DType], *, exact: bool = False
    ) -> None:
        super().__init__(translator, layout, schema, exact=exact)
        self._claims = Claims(translator)
        self._claiming = self._outputs(layout.metrics)
        self._rivals = [keys for keys in self._claiming.values() if len(keys) > 1]
        self._entries: dict[str, list[TranslatedEntry]] = {}

    def _look(self, frame: AnyFrame) -> None:
        """Compare the columns that claim one name, row by row."""
        pairs = [pair for keys in self._rivals for pair in combinations(keys, 2)]
        if not pairs:
            return
        counts: list[nw.Expr] = []
        for number, key in enumerate(key for keys in self._rivals for key in keys):
            counts.append((~nw.col(key).is_null()).cast(nw.Int64()).sum().alias(f"with{number}"))
        for number, pair in enumerate(pairs):
            met, equal = self._met(*pair)
            counts.append(met.cast(nw.Int64()).sum().alias(f"met{number}"))
            counts.append((met & equal).cast(nw.Int64()).sum().alias(f"same{number}"))
        found = {
            name: int(values[0] or 0)
            for name, values in collected(self._with_converted(frame).select(*counts)).to_dict(as_series=False).items()
        }
        for number, key in enumerate(key for keys in self._rivals for key in keys):
            self._claims.agree([key], [], found[f"with{number}"])
        for number, pair in enumerate(pairs):
            self._claims.agree([], [pair], found[f"same{number}"])
            if found[f"same{number}"] < found[f"met{number}"]:
                met, equal = self._met(*pair)
                wanted = [*pair, *([self._layout.step] if self._layout.step else [])]
                apart = self._with_converted(frame).filter(met & ~equal).select(*wanted).head(1)
                self._claims.add(collected(apart).rows(named=True)[0])

    def _met(self, first: str, second: str) -> tuple[nw.Expr, nw.Expr]:
        """Return where two columns both have a value, and where it is the same as it would be written."""
        one, other = (self._comparable(key) for key in (first, second))
        met = ~nw.col(first).is_null() & ~nw.col(second).is_null()
        if one is None or other is None:
            same_type = self._schema[first] == self._schema[second]
            return met, nw.col(first) == nw.col(second) if same_type else met & ~met
        return met, (one == other) | (one.is_nan() & other.is_nan())

    def _comparable(self, key: str) -> nw.Expr | None:
        """Return a column as numbers; None if it holds none."""
        kind = self._schema[key]
        return self._scaled(key, key).cast(nw.Float64()) if kind.is_numeric() else None

    def decide(self, parts: Parts, keys: Sequence[str] | None = None) -> None:
        """Compare columns that claim one name, if there are any, and decide for all."""
        translator, layout = self._translator, self._layout
        for part in parts() if self._rivals else ():
            self._look(part)
        metrics = set(layout.metrics)
        axes = {name for name in self._schema if name not in metrics}
        taken = [key for output, keys in self._claiming.items() if output in axes for key in keys]
        translator.set_aside({*self._claims.colliding(), *taken})
        self._claiming = self._outputs(layout.metrics)
        self._converted_columns.clear()
        for entry in translator.entries(dict.fromkeys(layout.metrics)):
            self._entries.setdefault(entry.old, []).append(entry)
        self._claims.tell(translator.report, None)
        for entries in self._entries.values():
            for entry in entries:
                self._written(entry)

    def translated(self, frame: Frame) -> Frame:
        """Return a part with its columns in their order; those of one name and equal values are one."""
        columns = [*self._columns()]
        renamed: Frame = self._with_converted(frame).select(*columns)
        return renamed

    def _decided_keys(self) -> Iterable[str]:
        return self._layout.metrics

    def __getstate__(self) -> dict[str, Any]:
        """Return what other processes need, without the values that were compared."""
        return {**super().__getstate__(), "_claims": None}

    def _columns(self) -> Iterator[nw.Expr]:
        metrics = set(self._layout.metrics)
        for name in self._schema:
            if name not in metrics:
                yield nw.col(name)
            for entry in self._entries.get(name, ()):
                yield self._written(entry)

    def _written(self, entry: TranslatedEntry) -> nw.Expr:
        """Return the column of an entry; where it has no value, another one with its name may."""
        move = self._translator.key(entry.old)
        if entry.name != move.output:  # kept under its old name, too
            return nw.col(entry.old).alias(entry.name)
        claiming = self._claiming.get(entry.name, [entry.old])
        values = [self._scaled(key, key) for key in self._nearest_first(claiming)]
        return (values[0] if len(values) == 1 else nw.coalesce(*values)).alias(entry.name)


class LongNames(FrameNames):
    """What becomes of a table with a row for each number: a key goes one way in all of its runs."""

    def __init__(
        self, translator: Translator, layout: TableLayout, schema: Mapping[str, nw.dtypes.DType], *, exact: bool = False
    ) -> None:
        super().__init__(translator, layout, schema, exact=exact)
        assert layout.key is not None
        assert layout.value is not None
        self._key, self._value = layout.key, layout.value
        self._names: dict[str, str] = {}
        self._left_out: list[str] = []
        self._kept: list[str] = []
        self._shared: list[list[str]] = []

    def decide(self, parts: Parts, keys: Sequence[str] | None = None) -> None:
        """Find the keys, and, where several claim one name, compare their points."""
        translator = self._translator
        order = sorted({key for part in parts() for key in keys_in(part, self._key)} if keys is None else keys)
        rivals = [claiming for claiming in self._outputs(order).values() if len(claiming) > 1]
        claims = self._compared(parts, sorted(key for claiming in rivals for key in claiming))
        translator.set_aside(claims.colliding())
        entries = translator.entries(dict.fromkeys(order))
        claims.tell(translator.report, None)
        self._kept = [entry.old for entry in entries if entry.name != translator.key(entry.old).output]
        self._shared = [self._nearest_first(one) for one in rivals if not claims.colliding().intersection(one)]
        shared = {key for claiming in self._shared for key in claiming}
        written = {entry.old for entry in entries} | shared
        self._left_out = [key for key in order if key not in written]
        self._names = {key: translator.key(key).output for key in written}
        for key in written:
            self._scaled(self._value, key)  # says what can't be converted before anything is written
        self._converted_columns.clear()

    def _decided_keys(self) -> Iterable[str]:
        return {*self._names, *(key for claiming in self._shared for key in claiming), *self._kept}

    def _compared(self, parts: Parts, rivals: Sequence[str]) -> Claims:
        """Return what the points of keys that claim one name say; those without a step meet no other."""
        claims, points = Claims(self._translator), dict[tuple[Any, Any], dict[str, Any]]()
        layout = self._layout
        wanted = [name for name in (layout.run, layout.step) if name is not None]
        for part in parts() if rivals else ():
            near = part.filter(self._text().is_in(rivals)).select(self._text(), *wanted, self._value)
            for row in collected(near).iter_rows(named=True):
                run, step = (None if name is None else row[name] for name in (layout.run, layout.step))
                if step is None:
                    claims.agree([row[self._key]], [], 1)
                else:
                    points.setdefault((run, step), {})[row[self._key]] = row[self._value]
        for (_, step), row in points.items():
            claims.add({**row, "step": step})
        return claims

    @property
    def is_by_row(self) -> bool:
        """Whether no row depends on another one."""
        return not self._shared

    def translated(self, frame: Frame) -> Frame:
        """Return a part with other names, and without points that another key gives as well."""
        key, kind = nw.col(self._key), self._schema[self._key]
        before = frame
        if self._left_out:
            frame = frame.filter(~self._text().is_in(self._left_out) | key.is_null())
        frame = self._once(frame)
        moved = {old: new for old, new in self._names.items() if new != old}
        columns: list[nw.Expr] = []
        if moved:
            text = self._text()
            old, new = list(moved), list(moved.values())
            renamed = text.replace_strict(old, new, default=text, return_dtype=nw.String())
            is_coded = isinstance(kind, nw.Categorical) and not isinstance(kind, nw.Enum)
            columns.append((renamed.cast(nw.Categorical()) if is_coded else renamed).alias(self._key))
        value = self._converted()
        if value is not None:
            columns.append(value.alias(self._value))
        renamed_frame: Frame = (
            self._with_converted(frame).with_columns(*columns).select(*self._schema) if columns else frame
        )
        if not self._kept:
            return renamed_frame
        # Under their old names, too: rows of their own, behind the others.
        types = {name: nw.col(name).cast(kind) for name, kind in renamed_frame.collect_schema().items()}
        return nw.concat([renamed_frame, before.filter(self._text().is_in(self._kept)).select(**types)])

    def _text(self) -> nw.Expr:
        return nw.col(self._key).cast(nw.String())

    def _converted(self) -> nw.Expr | None:
        """Return the numbers in the units of the target; None if none is converted."""
        by_scale: dict[tuple[float, float], list[str]] = {}
        for key in self._names:
            move = self._translator.key(key)
            if move.translated and move.transform is not None:
                by_scale.setdefault((move.transform.scale, move.transform.offset), []).append(key)
        value: nw.Expr | None = None
        for keys in by_scale.values():
            before = nw.col(self._value) if value is None else value
            its_own = self._text().is_in(sorted(keys))
            scaled = self._scaled(self._value, keys[0], its_own)
            value = nw.when(its_own).then(scaled).otherwise(before)
        return value

    def _once(self, frame: Frame) -> Frame:
        """Leave out points of a key whose name a nearer one has at that step of that run."""
        places = [name for name in (self._layout.run, self._layout.step) if name is not None]
        for claiming in self._shared:
            text = self._text()
            ranks = list(range(len(claiming)))
            rank = text.replace_strict(claiming, ranks, default=None, return_dtype=nw.Int64())
            own, group = "__rank", "__least"
            frame = frame.with_columns(rank.alias(own))
            least = nw.col(own).min().over(*places) if places else nw.col(own).min()
            frame = frame.with_columns(least.alias(group))
            frame = frame.filter(nw.col(own).is_null() | (nw.col(own) == nw.col(group))).drop(own, group)
        return frame


def frame_names(
    translator: Translator, layout: TableLayout, schema: Mapping[str, nw.dtypes.DType], *, exact: bool = False
) -> WideNames | LongNames:
    """Return what becomes of a table of some layout."""
    return (LongNames if layout.is_long else WideNames)(translator, layout, schema, exact=exact)
