"""``rlmetrics map`` as code: views that databases make, dictionaries that frames take."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
import sqlglot
from rlmetrics.answers.column_map import ColumnMap, column_map
from rlmetrics.cli import main
from rlmetrics.cli.map_code import DIALECTS
from rlmetrics.names import map_names
from rlmetrics.translate import Translator

PAIRS = [
    ("verl==0.9.1", "canonical"),
    ("trl[GRPOTrainer]==1.16.0", "verl==0.9.1"),
    ("trl[GRPOTrainer]==0.26.2", "trl[GRPOTrainer]==0.27.0"),
    ("trl[PPOTrainer]==0.11.4", "trl[PPOTrainer]==0.18.2"),
]
TOKENS = "train/total_tokens(B)"


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["map", *arguments]) == 0
    return capsys.readouterr().out


def _columns(source: str, target: str) -> ColumnMap:
    names = map_names(source, target)
    return column_map(names, [row.from_ for row in names.rows])


def _values(columns: ColumnMap) -> dict[str, float]:
    """A number for each column that is carried, and one for each that is not."""
    plain = [key for key in columns.left if "{" not in key]
    keys = dict.fromkeys([*(one.key for one in columns.carried), *plain])
    return {key: 0.25 * (index + 1) for index, key in enumerate(keys)}


def _expected(source: str, target: str, columns: ColumnMap) -> dict[str, float]:
    row = {one.key: _values(columns)[one.key] for one in columns.carried}
    return Translator(source, target).row(row)


def _run(dialect: str, setup: list[tuple[str, tuple[Any, ...]]], view: str, query: str) -> tuple[list[str], list[Any]]:
    database: Any = duckdb.connect() if dialect == "duckdb" else sqlite3.connect(":memory:")
    for statement, values in setup:
        database.execute(statement, values)
    database.execute(view)
    found = database.execute(query)
    return [column[0] for column in found.description], found.fetchall()


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_view_of_a_wide_table_is_what_the_translator_makes_of_its_rows(capsys, source, target, dialect) -> None:
    """The database takes the statement as it is printed; names and numbers are those of a translated row."""
    columns = _columns(source, target)
    values = {"step": 7.0, **_values(columns)}
    declared = ", ".join(f'"{name}" DOUBLE' for name in values)
    table = f"CREATE TABLE runs ({declared})"
    filled = f"INSERT INTO runs VALUES ({', '.join('?' * len(values))})"

    view = _printed(capsys, "--from", source, "--to", target, "--sql", dialect, "--keep", "step")
    names, rows = _run(dialect, [(table, ()), (filled, tuple(values.values()))], view, "SELECT * FROM runs_translated")

    assert dict(zip(names, rows[0], strict=True)) == pytest.approx({"step": 7.0, **_expected(source, target, columns)})
    assert len(rows) == 1


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_a_view_of_a_long_table_renames_and_rescales_its_points(capsys, dialect) -> None:
    """Points of keys that are carried stay, in the unit of the target; those of others are not in the view."""
    source, target = PAIRS[0]
    columns = _columns(source, target)
    table = 'CREATE TABLE metrics ("run_uuid" VARCHAR, "step" BIGINT, "key" VARCHAR, "value" DOUBLE)'
    points = [("INSERT INTO metrics VALUES ('a', 1, ?, ?)", point) for point in _values(columns).items()]
    arguments = ["--sql", dialect, "--table", "metrics", "--keep", "run_uuid", "--keep", "step", "--long"]

    view = _printed(capsys, "--from", source, "--to", target, *arguments)
    names, rows = _run(dialect, [(table, ()), *points], view, "SELECT * FROM metrics_translated")

    assert names == ["run_uuid", "step", "key", "value"]
    assert {row[2]: row[3] for row in rows} == pytest.approx(_expected(source, target, columns))
    assert len(rows) == len(columns.carried) < len(points)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_every_dialect_reads_its_view_back(capsys, source, target, dialect) -> None:
    """Each is one statement of that dialect, with as many columns as are carried, and comments."""
    text = _printed(capsys, "--from", source, "--to", target, "--sql", dialect)

    (statement,) = sqlglot.parse(text, dialect=dialect)
    assert statement is not None
    selected = statement.expression.named_selects

    assert len(set(selected)) == len(selected)
    assert 0 < len(selected) <= len(_columns(source, target).carried)
    if dialect == "bigquery":
        assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in selected)
    if dialect == "postgres":
        assert max(len(name.encode()) for name in selected) <= 63


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_what_is_left_out_stands_in_comments_with_a_reason(capsys, source, target) -> None:
    """Biased ones, look-alikes and keys without a counterpart; no key is lost on the way."""
    rows = {row.from_: row for row in map_names(source, target).rows}
    columns = _columns(source, target)
    text = _printed(capsys, "--from", source, "--to", target, "--sql", "duckdb")

    assert {*columns.left, *(one.key for one in columns.carried)} == {*rows}
    assert all(rows[one.key].severity in ("same", "close") for one in columns.carried)
    for key, why in columns.left.items():
        assert f"-- left out: {key}: {' '.join(why.split())}" in text
    for key, row in rows.items():
        if row.severity == "biased":
            assert key in columns.left


def test_keys_that_claim_one_name_are_left_out_unless_one_is_named(capsys) -> None:
    """Which of two is right only the table knows, so that nobody's numbers go under the name."""
    source, target = "verl==0.9.1", "canonical"
    names = map_names(source, target)
    rivals = [key for key, why in _columns(source, target).left.items() if "is claimed by" in why]
    assert len(rivals) > 1

    alone = column_map(names, rivals[:1])

    assert [one.key for one in alone.carried] == rivals[:1]
    assert f'"{rivals[0]}" AS' in _printed(capsys, rivals[0], "--from", source, "--to", target, "--sql", "duckdb")


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_pandas_and_polars_get_what_the_translator_makes(capsys, source, target) -> None:
    """The printed code runs, with its last comments as the use; a column that means something else is set aside."""
    columns = _columns(source, target)
    values = {"step": 7.0, **_values(columns)}
    wanted = _expected(source, target, columns) | {"step": 7.0}
    others = {columns.aside.get(key, key): value for key, value in values.items() if key in columns.left}

    for form, frame in (("--pandas", pd.DataFrame([values])), ("--polars", pl.DataFrame([values]))):
        code = _printed(capsys, "--from", source, "--to", target, form)
        *_, used = code.partition("\n}\n# translated") if form == "--polars" else code.rpartition("\n}\n# translated")
        use = "\n".join(line.removeprefix("# ") for line in f"# translated{used}".splitlines())
        room: dict[str, Any] = {"frame": frame, "pl": pl}
        exec(f"{code}\n{use}", room)
        made = room["translated"]
        found = made.to_dict("records")[0] if form == "--pandas" else made.to_dicts()[0]
        assert found == pytest.approx({**wanted, **others})


def test_a_scale_is_the_ratio_that_it_was_rounded_from(capsys) -> None:
    """Thousand millions of tokens are tokens times 10^9, not times the float next to it."""
    text = _printed(capsys, TOKENS, "--from", "verl==0.9.1", "--to", "canonical", "--sql", "duckdb")

    assert f'"{TOKENS}" * 1000000000.0 AS "progress/tokens_seen"' in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eval_kl", "--sql", "duckdb"], "none of 1 keys may be renamed unseen"),
        (["kl", "--sql", "duckdb", "--table", "a..c"], "is no name of a table"),
        (["--sql", "oracle9"], "invalid choice"),
        (["--sql", "duckdb", "--json"], "code is one form and a table another"),
    ],
)
def test_bad_input_is_one_line(capsys, arguments, said) -> None:
    """Nothing is printed as an answer."""
    try:
        code = main(["map", *arguments, "--from", "trl[GRPOTrainer]==1.16.0", "--to", "verl==0.9.1"])
    except SystemExit as error:
        code = error.code
    printed = capsys.readouterr()

    assert code == 2
    assert printed.out == ""
    assert said in printed.err
    assert len(printed.err.strip().splitlines()) == 1
