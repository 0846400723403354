"""``log_history`` as people print it: a list of dicts in one line, laid out over many, quoted, or with other quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from pprint import pformat
from time import process_time
from typing import Any

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.kinds import KINDS, kind_of

ROWS: list[dict[str, Any]] = [
    {
        "loss": 0.5 + step / 100,
        "grad_norm": 1.25,
        "learning_rate": 1e-06,
        "rewards/chosen": step / 10,
        "rewards/rejected": -step / 10,
        "rewards/accuracies": 0.75,
        "rewards/margins": step / 5,
        "epoch": step / 20,
        "step": step,
    }
    for step in range(1, 13)
]


def curled(text: str) -> str:
    """Return a text with the quotes that word processors make."""
    return re.sub("'([^']*)'", "‘\\1’", text)


FORMS: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "one line": repr,
    "one line after a prompt": lambda rows: f"Out[3]: {rows!r}\n",
    "laid out": pformat,
    "laid out with ends of Windows": lambda rows: pformat(rows).replace("\n", "\r\n"),
    "quoted": lambda rows: "".join(f"> {row!r}\n" for row in rows),
    "quotes that are curled": lambda rows: "".join(f"{curled(repr(row))}\n" for row in rows),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_dict_of_a_list_is_a_row(form: str, tmp_path: Path) -> None:
    """With all values that it has."""
    path = tmp_path / "log.txt"
    path.write_bytes(FORMS[form](ROWS).encode())

    kind = kind_of(path)
    assert kind is not None
    assert kind.name == "hf-console"
    (run,) = kind.open(path).read()
    assert [{key: float(value) for key, value in row.values.items()} for row in run.rows] == ROWS


@pytest.mark.parametrize("form", FORMS)
def test_names_in_a_list_are_translated(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands around the dicts stays; the copy is a log again, with as many rows."""
    path, copy = tmp_path / "log.txt", tmp_path / "copy.txt"
    path.write_bytes(FORMS[form](ROWS).encode())

    main(["translate", str(path), "--from", "trl[DPOTrainer]==0.18.2", "--to", "canonical", "-o", str(copy), "--json"])

    assert json.loads(capsys.readouterr().out)["records"] == len(ROWS)
    (run,) = KINDS["hf-console"].open(copy).read()
    assert [float(row.values["preference/reward/margin"]) for row in run.rows] == [row["step"] / 5 for row in ROWS]


def test_a_dict_in_a_sentence_is_no_row(tmp_path: Path) -> None:
    """Neither is one behind a name, nor what follows it."""
    path = tmp_path / "log.txt"
    path.write_text("{'epoch': 1.0, 'loss': 0.5}\ngot {'epoch': 2.0}, {'epoch': 3.0}\nconfig={'epoch': 4}\n")

    kind = kind_of(path)
    assert kind is not None
    (run,) = kind.open(path).read()
    assert [dict(row.values) for row in run.rows] == [{"epoch": "1.0", "loss": "0.5"}]


def test_a_long_list_takes_time_by_its_length(tmp_path: Path) -> None:
    """Eight times the dicts on one line take less than sixteen times the time."""
    taken = []
    for times in (100, 800):
        path = tmp_path / f"{times}.txt"
        path.write_text(repr(ROWS * times))
        kind = kind_of(path)
        assert kind is not None
        begin = process_time()
        (run,) = kind.open(path).read()
        assert sum(1 for _ in run.rows) == 12 * times
        taken.append(process_time() - begin)
    assert taken[1] < 16 * taken[0]
