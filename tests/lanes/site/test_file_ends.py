"""How the lines of a file end, and how the file does, is the same in the page's translation and the command line's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Error, Page
from rlmetrics.logs.input_errors import InputError
from rlmetrics.translate import translate_file

SOURCE, TARGET = "verl==0.1", "verl==0.9.1"
CONVERTED, RENAMED = "actor/lr(1e-4)", "val/test_score/x"
ROWS = [{"step": step, RENAMED: step / 8, "mine": f"{step}"} for step in (1, 2, 3)]
SCALED = [{**row, CONVERTED: step / 4} for step, row in enumerate(ROWS)]


def lines_of(rows: list[dict[str, object]]) -> str:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def table_of(rows: list[dict[str, object]]) -> str:
    """Return rows as a table."""
    return "".join(",".join(map(str, row)) + "\n" for row in [list(rows[0]), *(list(row.values()) for row in rows)])


def steps_of(rows: list[dict[str, object]]) -> str:
    """Return rows as verl prints them."""
    return "".join(" - ".join(f"{name}:{value}" for name, value in row.items()) + "\n" for row in rows)


def dicts_of(rows: list[dict[str, object]]) -> str:
    """Return rows as transformers prints them."""
    return "".join(f"{ {**row, 'epoch': 0.5} }\n" for row in rows)


FORMS = {
    "rows.jsonl": lines_of(ROWS),
    "scaled.jsonl": lines_of(SCALED),
    "table.csv": table_of(ROWS),
    "scaled.csv": table_of(SCALED),
    "tabs.tsv": table_of(SCALED).replace(",", "\t"),
    "header.csv": ",".join(ROWS[0]) + "\n",
    "quoted.csv": f'step,{CONVERTED},text\n1,0.5,"two\nlines"\n2,"0.25",x\n',
    "verl.log": steps_of(SCALED),
    "hf.log": "begun\n" + dicts_of(SCALED),
    "rows.json": json.dumps(SCALED, indent=1) + "\n",
}
ENDINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "none": lambda text: text[:-1],
    "of Windows": lambda text: text.replace("\n", "\r\n"),
    "of Windows, none at the end": lambda text: text[:-1].replace("\n", "\r\n"),
    "of Windows from the second line on": lambda text: text.replace("\n", "\r\n").replace("\r\n", "\n", 1),
    "empty lines": lambda text: text + "\n\n",
    "empty lines of Windows": lambda text: (text + "\n\n").replace("\n", "\r\n"),
    "an empty line between": lambda text: text.replace("\n", "\n\n"),
    "a mark at the beginning": lambda text: "\ufeff" + text,
    "a mark and those of Windows": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "cut": lambda text: text[: text.rindex("\n", 0, -1) + 5],
    "cut, of Windows": lambda text: text[: text.rindex("\n", 0, -1) + 5].replace("\n", "\r\n"),
    "cut behind an empty line": lambda text: text[: (at := text.rindex("\n", 0, -1) + 1)] + "\n" + text[at : at + 5],
}
"""What is made of a text."""


WRITE = """async ([given, name, source, target]) => {
  const T = window.rlmetricsTranslator;
  const map = await T.mapBetween(T.parseSource(source), T.parseSource(target));
  const doc = T.read(given, name);
  await T.prepare(map, T.namesIn(doc));
  const run = new T.Run(map, doc.rows);
  const text = doc.write(run);
  return [text, T.accountLines(run, doc).some(([words]) => words === "The last row was cut off and is left out.")];
}"""


@pytest.mark.parametrize("form", FORMS)
def test_a_file_ends_as_on_the_command_line(translator: Page, tmp_path: Path, form: str) -> None:
    """The text that the page makes is, sign by sign, what the command line writes, and a cut row is told by both."""
    log, output, text = tmp_path / form, tmp_path / "out", FORMS[form]
    unlike: dict[str, list[object]] = {}
    for ending, changed in ENDINGS.items():
        if ending.startswith("cut") and text.count("\n") == 1:
            continue
        log.write_bytes(changed(text).encode())
        report = translate_file(log, source=SOURCE, target=TARGET, output=output, force=True)
        there = [output.read_bytes().decode(), report.lost.records > 0]
        assert RENAMED not in output.read_text()
        here = translator.evaluate(WRITE, [changed(text), form, SOURCE, TARGET])
        if here != there:
            unlike[ending] = [here, there]

    assert unlike == {}


@pytest.mark.parametrize("name", ["rows.jsonl", "scaled.csv"])
def test_a_row_that_is_broken_elsewhere_is_never_left_out(translator: Page, tmp_path: Path, name: str) -> None:
    """The command line refuses the file; the page says which row has other cells, or copies the broken line."""
    broken = FORMS[name].replace('"2"}', '"2"').replace("\n2,", "\n2,0,")
    (tmp_path / name).write_text(broken)
    with pytest.raises(InputError):
        translate_file(tmp_path / name, source=SOURCE, target=TARGET)

    if name == "scaled.csv":
        with pytest.raises(Error, match="line 3 has 5 cells, but the header has 4"):
            translator.evaluate(WRITE, [broken, name, SOURCE, TARGET])
    else:
        written, is_cut = translator.evaluate(WRITE, [broken, name, SOURCE, TARGET])
        assert not is_cut
        assert broken.splitlines()[1] in written.splitlines()
        assert len(written.splitlines()) == len(ROWS)
