"""Tables that people put together: several runs in one file, and numbers as spreadsheets write them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rlmetrics.cli import main
from rlmetrics.health.logged_values import TEXT, number_of
from rlmetrics.logs.kinds.csv import KIND

ROWS = [("a", 1, 0.2), ("b", 1, 0.6), ("a", 2, 0.25), ("b", 2, 0.65), ("a", 3, 0.3), ("b", 3, 0.7)]


def table(path: Path, column: str) -> Path:
    """Write a table whose rows name their run in a column, which is not the first."""
    lines = [f"{step},{run},{reward}" for run, step, reward in ROWS]
    path.write_text("\n".join([f"step,{column},reward", *lines, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize("column", ["run", "run_id", "run_name"])
def test_a_column_that_names_the_run_parts_the_rows(tmp_path: Path, column: str) -> None:
    """Rows of one step are not one row of one run; each run has its own rows, in order."""
    found = KIND.open(table(tmp_path / "t.csv", column)).read()
    runs = {run.name: [(row.step, row.values) for row in run.rows] for run in found}
    assert runs == {
        "a": [(1, {"reward": "0.2"}), (2, {"reward": "0.25"}), (3, {"reward": "0.3"})],
        "b": [(1, {"reward": "0.6"}), (2, {"reward": "0.65"}), (3, {"reward": "0.7"})],
    }


def test_each_run_of_a_table_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By its name behind that of the file, as runs of other logs are."""
    path = table(tmp_path / "t.csv", "run")
    main(["check", str(path), "--at", "trl[grpo]==1.16.0", "--fail-on", "never", "--json"])
    assert [report["run"] for report in json.loads(capsys.readouterr().out)] == [f"{path}:a", f"{path}:b"]


@pytest.mark.parametrize("rows", ["a,0.2\nb,0.3\n", "a,0.2\na,0.3\n"])
def test_a_table_with_a_row_for_each_run_stays_one(tmp_path: Path, rows: str) -> None:
    """Final scores of many runs are no courses; neither does one name make several runs."""
    path = tmp_path / "t.csv"
    path.write_text(f"run,reward\n{rows}", encoding="utf-8")
    assert [run.name for run in KIND.open(path).read()] == [""]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234.5", 1234.5),
        ("-12,345.0", -12345.0),
        ("1,024,000", 1024000.0),
        ("1,024", TEXT),
        ("0,123.4", TEXT),
        ("12,34.5", TEXT),
        ("1,2345.6", TEXT),
    ],
)
def test_thousands_set_apart_are_read_where_a_comma_can_be_nothing_else(text: str, number: float | str) -> None:
    """A comma before three digits alone may as well begin the fraction, and is left alone."""
    assert number_of(text) == number


COMMAS = "step;loss;learning_rate;reward\n" + "".join(f"{n}0;0,{n}25;1,5e-0{n};-1{n},125\n" for n in range(1, 6))


@pytest.mark.parametrize("mark", [";", "\t"])
def test_numbers_with_decimal_commas_are_read(tmp_path: Path, mark: str) -> None:
    """As spreadsheets of many languages write them, where another mark parts the cells."""
    path = tmp_path / "t.csv"
    path.write_text(COMMAS.replace(";", mark), encoding="utf-8")
    (run,) = KIND.open(path).read()
    rows = [(row.step, row.values) for row in run.rows]
    assert len(rows) == 5
    assert rows[0] == (10, {"loss": "0.125", "learning_rate": "1.5e-01", "reward": "-11.125"})


@pytest.mark.parametrize("other", ["0.5", "2,000"])
def test_a_comma_that_may_part_thousands_stays(tmp_path: Path, other: str) -> None:
    """Where numbers have a point, or every comma may as well part thousands, a comma is taken for no decimal one."""
    path = tmp_path / "t.csv"
    path.write_text(f"step;reward;tokens\n1;{other};1,024\n", encoding="utf-8")
    (run,) = KIND.open(path).read()
    assert next(iter(run.rows)).values["tokens"] == "1,024"


def test_a_table_without_commas_in_numbers_has_none(tmp_path: Path) -> None:
    """A text with a comma in a table of whole numbers is left alone."""
    path = tmp_path / "t.csv"
    path.write_text("step;note;reward\n1;a,b;2\n", encoding="utf-8")
    (run,) = KIND.open(path).read()
    assert next(iter(run.rows)).values == {"note": "a,b", "reward": "2"}


LONG = "".join(
    f"{run},{step},{key},{step}.{n}\n" for run in "ab" for step in (1, 2) for n, key in enumerate(("kl", "x"))
)


@pytest.mark.parametrize(
    ("header", "body", "runs"),
    [
        ("run,step,metric,value", LONG, ["a", "b"]),
        ("run_id,step,key,value", LONG, ["a", "b"]),
        ("step,key,value", LONG.replace("a,", "").replace("b,", ""), [""]),
        ("tag,value", "kl,1.0\nx,1.1\nkl,2.0\nx,2.1\n", [""]),
    ],
)
def test_a_row_for_each_number_is_read(tmp_path: Path, header: str, body: str, runs: list[str]) -> None:
    """A column of names beside one of numbers: each step of each run is a row with all of its keys."""
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n{body}", encoding="utf-8")
    found = list(KIND.open(path).read())
    assert [run.name for run in found] == runs
    assert KIND.open(path).names() == {"kl", "x"}
    for run in found:
        rows = list(run.rows)
        assert [row.values for row in rows] == [{"kl": "1.0", "x": "1.1"}, {"kl": "2.0", "x": "2.1"}]
        assert [row.step for row in rows] == ([1, 2] if "step" in header else [None, None])


def test_a_row_of_another_length_in_a_long_table_is_told(tmp_path: Path) -> None:
    """It is left out, and the account says which line it is."""
    path = tmp_path / "t.csv"
    path.write_text("step,key,value\n1,kl,0.5\n1,kl\n2,kl,0.25\n", encoding="utf-8")
    (run,) = KIND.open(path).read()
    assert [row.step for row in run.rows] == [1, 2]
    assert (run.account.skipped, run.account.first) == (1, "line 3: another number of cells than the header")


def test_a_column_of_texts_without_names_of_its_own_keeps_a_table_wide(tmp_path: Path) -> None:
    """A note in each row makes no long table."""
    path = tmp_path / "t.csv"
    path.write_text("step,note,reward\n1,warm,0.5\n2,cold,0.25\n", encoding="utf-8")
    (run,) = KIND.open(path).read()
    assert [row.values for row in run.rows] == [{"note": "warm", "reward": "0.5"}, {"note": "cold", "reward": "0.25"}]
