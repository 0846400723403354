"""A translation table as code: a view in SQL, or dictionaries for pandas and Polars."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlmetrics.answers.column_map import CarriedColumn, ColumnMap
    from rlmetrics.names import Transform

__all__ = ["DIALECTS", "pandas_text", "polars_text", "sql_text"]

DIALECTS = ("duckdb", "clickhouse", "bigquery", "snowflake", "spark", "postgres", "sqlite")
_KEY, _VALUE = "key", "value"
"""What columns of a table are called that has a row for each number; MLflow's ``metrics`` is one."""
_NO_WORD = re.compile(r"[^A-Za-z0-9_]")
_LONGEST = {"postgres": 63}
"""Bytes that a name may have; what is longer loses its end there, without a word."""


def sql_text(columns: ColumnMap, dialect: str, *, table: str, view: str, keep: Sequence[str], is_long: bool) -> str:
    """Return a statement that makes a view in which columns, or keys, have other names.

    Args:
        columns: What becomes of them.
        dialect: One of ``DIALECTS``.
        table: The table that has them.
        view: What the view is called.
        keep: Other columns of the table that the view has.
        is_long: Whether the table has a row for each number, its name in a column ``key``.

    Raises:
        UserError: There is nothing to rename, or the name of a table is none.
        ModuleNotFoundError: sqlglot is not installed.
    """
    from sqlglot import exp

    _require_some(columns)
    source, made = _table(table), _table(view)
    name_of = _word if dialect == "bigquery" and not is_long else str
    left, carried = dict(columns.left), []
    for column in columns.carried:
        why = "" if is_long else _unnameable(column, columns.carried, name_of, _LONGEST.get(dialect))
        if why:
            left[column.key] = why
        else:
            carried.append(column)
    selected: list[Any] = [exp.column(name, quoted=True) for name in keep]
    if is_long:
        selected += _of_keys(carried)
    else:
        selected += [_renamed(column, name_of) for column in carried]
    query = exp.select(*selected).from_(source)
    if is_long:
        query = query.where(exp.column(_KEY, quoted=True).isin(*(exp.Literal.string(one.key) for one in carried)))
    statement = exp.Create(this=made, kind="VIEW", expression=query).sql(dialect, pretty=True, identify=True)
    said = list(_said(columns, carried, left))
    if not keep:
        said.insert(1, "The columns that say run and step: add each with --keep COLUMN.")
    if name_of is _word:
        said.insert(1, "BigQuery's columns: every character that is no letter, digit or underscore is one, _.")
    return "\n".join([*(f"-- {line}" for line in said), f"{statement};"])


def _table(name: str) -> Any:
    """Return a table, perhaps of a schema and of a catalogue.

    Raises:
        UserError: It is none.
    """
    from sqlglot import exp

    from rlmetrics.names.tables.user_errors import UserError

    parts = name.split(".")
    if not all(parts) or len(parts) > 3:
        msg = f"{name!r} is no name of a table; write TABLE, or SCHEMA.TABLE"
        raise UserError(msg)
    own, *schemas = (exp.to_identifier(part, quoted=True) for part in parts[::-1])
    return exp.Table(this=own, **dict(zip(("db", "catalog"), schemas, strict=False)))


def pandas_text(columns: ColumnMap) -> str:
    """Return Python with a dictionary for ``DataFrame.rename``, and one of what is rescaled.

    Raises:
        UserError: There is nothing to rename.
    """
    _require_some(columns)
    scaled = {one.to: _terms(one.transform) for one in columns.carried if one.transform is not None}
    lines = ["names = {", *_entries(columns, lambda one: repr(one.to)), "}"]
    lines += ["scales = {", *(f"    {to!r}: {terms!r}," for to, terms in scaled.items()), "}"]
    use = [
        "translated = frame.rename(columns=names)",
        "for name in scales.keys() & set(translated):",
        "    factor, divisor, offset = scales[name]",
        "    translated[name] = translated[name] * factor / divisor + offset",
    ]
    return _commented(columns, lines, use)


def polars_text(columns: ColumnMap) -> str:
    """Return Python with a dictionary of Polars' expressions.

    Raises:
        UserError: There is nothing to rename.
    """
    _require_some(columns)
    lines = ["import polars as pl", "", "columns = {", *_entries(columns, _expression), "}"]
    use = ["translated = frame.select(columns.get(name, pl.col(name)) for name in frame.columns)"]
    return _commented(columns, lines, use)


def _require_some(columns: ColumnMap) -> None:
    from rlmetrics.names.tables.user_errors import UserError

    if not columns.carried:
        why = "; ".join(f"{key}: {reason}" for key, reason in [*columns.left.items()][:3])
        msg = f"none of {len(columns.left)} keys may be renamed unseen ({why}); the table itself says more"
        raise UserError(msg)


def _expression(column: CarriedColumn) -> str:
    axis = column.transform
    value = f"pl.col({column.key!r})"
    if axis is not None:
        factor, divisor, offset = _terms(axis)
        value = f"({value} * {factor!r} / {divisor!r} + {offset!r})"
    return f"{value}.alias({column.to!r})"


def _terms(axis: Transform) -> tuple[float, float, float]:
    """Return by what to multiply, by what to divide, and what to add."""
    from rlmetrics.logs.decimals import float_terms

    return *float_terms(axis.scale), axis.offset


def _entries(columns: ColumnMap, written: Callable[[CarriedColumn], str]) -> Iterator[str]:
    from rlmetrics.answers.column_map import CarriedColumn

    for column in columns.carried:
        note = f"  # close: {column.note}" if column.note else ""
        yield f"    {column.key!r}: {written(column)},{note}"
    for key, name in columns.aside.items():
        yield f"    {key!r}: {written(CarriedColumn(key, name, None, ''))},  # {key} means something else there"


def _commented(columns: ColumnMap, lines: Sequence[str], use: Sequence[str]) -> str:
    said = _said(columns, [], columns.left)
    return "\n".join([*(f"# {line}" for line in said), *lines, *(f"# {line}" for line in use)])


def _said(columns: ColumnMap, carried: Sequence[CarriedColumn], left: dict[str, str]) -> Iterator[str]:
    """Yield what is to be said of a table: of those that are carried, in what they differ, and who is left out."""
    yield f"{columns.source} -> {columns.target}, by rlmetrics map"
    for column in carried:
        if column.note:
            yield _line(f"close: {column.key} is {column.to} but for this: {column.note}")
    for key, why in left.items():
        yield _line(f"left out: {key}: {why}")


def _line(text: str) -> str:
    """Return a text without what would end a comment."""
    return " ".join(text.split())


def _word(name: str) -> str:
    """Return a name as a table of BigQuery can have it."""
    word = _NO_WORD.sub("_", name)
    return f"_{word}" if word[:1].isdigit() else word


def _unnameable(
    column: CarriedColumn, others: Sequence[CarriedColumn], name_of: Callable[[str], str], longest: int | None
) -> str:
    """Return why a database can't have a column under its new name; nothing if it can."""
    # Two names that differ by case only are one name in most databases.
    new = name_of(column.to).lower()
    alike = next((one.key for one in others if one is not column and name_of(one.to).lower() == new), None)
    if alike is not None:
        return f"{column.to} and what {alike} becomes are one name there: name the one that the table has"
    if longest is not None and len(new.encode()) > longest:
        return f"{column.to} is longer than the {longest} bytes that a name may have there"
    return ""


def _scaled(value: Any, column: CarriedColumn) -> Any:
    from sqlglot import exp

    axis = column.transform
    if axis is None:
        return value
    factor, divisor, offset = _terms(axis)
    scaled: Any = exp.Mul(this=value, expression=exp.Literal.number(repr(factor)))
    if divisor != 1:
        scaled = exp.Div(this=scaled, expression=exp.Literal.number(repr(divisor)))
    return exp.Add(this=scaled, expression=exp.Literal.number(repr(offset))) if offset else scaled


def _renamed(column: CarriedColumn, name_of: Callable[[str], str]) -> Any:
    from sqlglot import exp

    value = _scaled(exp.column(name_of(column.key), quoted=True), column)
    return exp.alias_(value, name_of(column.to), quoted=True)


def _of_keys(carried: Sequence[CarriedColumn]) -> Iterator[Any]:
    """Yield the two columns of a table that has a row for each number: its name, and itself."""
    from sqlglot import exp

    key, value = exp.column(_KEY, quoted=True), exp.column(_VALUE, quoted=True)
    renamed, converted = exp.Case(this=key.copy()), exp.Case(this=key.copy())
    for column in carried:
        old = exp.Literal.string(column.key)
        if column.to != column.key:
            renamed = renamed.when(old, exp.Literal.string(column.to))
        if column.transform is not None:
            converted = converted.when(old.copy(), _scaled(value.copy(), column))
    new = renamed.else_(key.copy()) if renamed.args.get("ifs") else key
    number = converted.else_(value.copy()) if converted.args.get("ifs") else value
    yield exp.alias_(new.copy(), _KEY, quoted=True)
    yield exp.alias_(number.copy(), _VALUE, quoted=True)
