"""What ``describe()`` computes of a frame of rows: statistics, which no answer takes for rows of a run."""

import json

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.kinds import KINDS

LABELS = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
TITLES = ["step", "loss", "reward"]


def table(begin: str, gap: str, end: str, labels: list[str]) -> str:
    """Return a table with a column of labels before those of numbers."""
    rows = [[label, *(str(number + place / 4) for place in range(3))] for number, label in enumerate(labels, start=1)]
    return "".join(f"{begin}{gap.join(cells)}{end}\n" for cells in [["", *TITLES], *rows])


def markdown(labels: list[str]) -> str:
    """Return a table in Markdown."""
    head, _, rows = table("| ", " | ", " |", labels).partition("\n")
    return f"{head}\n|:--|--:|--:|--:|\n{rows}"


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.md", "a.txt"])
@pytest.mark.parametrize("quantiles", [True, False])
@pytest.mark.parametrize("command", ["check", "keys", "translate"])
def test_statistics_are_refused_where_rows_are_wanted(command, name, quantiles, tmp_path, capsys):
    """A table with a row for count, mean, std, min and max has no steps: one line says so and asks for the log."""
    labels = LABELS if quantiles else [label for label in LABELS if "%" not in label]
    gap = "\t" if name == "a.tsv" else ","
    path = tmp_path / name
    path.write_text(table("", gap, "", labels) if name in ("a.csv", "a.tsv") else markdown(labels))

    code = main([command, str(path), *(["--to", "canonical"] if command == "translate" else [])])

    said = capsys.readouterr().err
    assert (code, said.count("\n")) == (2, 1), said
    assert "is what df.describe() says of a run" in said
    assert [item.name for item in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.csv", "a.md"])
def test_rows_with_other_labels_are_read(name, tmp_path):
    """A first column of names of samples is no description."""
    labels = ["a", "mean", "max", "b"]
    path = tmp_path / name
    path.write_text(markdown(labels) if name == "a.md" else table("", ",", "", labels))

    (run,) = KINDS["pasted-table" if name == "a.md" else "csv"].open(path).read()

    assert len([*run.rows]) == 4


def test_a_notebook_is_judged_by_its_rows_alone(tmp_path):
    """Beside a table of rows, one of statistics makes no second run."""
    rows = "| step | loss | reward |\n|--:|--:|--:|\n| 1 | 0.5 | 0.1 |\n| 2 | 0.4 | 0.2 |\n"
    outputs = [{"data": {"text/plain": [text]}} for text in (rows, markdown(LABELS))]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "outputs": [one]} for one in outputs]}))

    assert [len([*run.rows]) for run in KINDS["notebook"].open(path).read()] == [2]
