"""What translating rows costs: ``python tests/benchmarks/translate_rows.py [RESULT.json]``.

- A whole ``translate_file`` of JSON lines, plain and as verl's file logger writes them, beside a loop of orjson over
  the same file that loads, renames by a ready map and dumps.
- ``Translator.row`` on a dict of 40 keys, beside a dict comprehension with a ready map.
- A whole ``translate_file`` of a table, of which only the header changes, beside a plain copy.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import orjson
from benchmarks.paired import compare, report
from rlmetrics.names import keys
from rlmetrics.translate import Translator, translate_file

SOURCE, TARGET = "verl==0.9.1", "canonical"
ROWS, KEYS, CALLS = 25_000, 40, 20_000


def orjson_loop(path: Path, output: Path, names: dict[str, str], *, framed: bool) -> Callable[[], None]:
    """Return the loop that JSON lines are compared with."""

    def run() -> None:
        with path.open("rb") as lines, output.open("wb") as out:
            for line in lines:
                row = orjson.loads(line)
                if framed:
                    row["data"] = {names.get(key, key): value for key, value in row["data"].items()}
                else:
                    row = {names.get(key, key): value for key, value in row.items()}
                out.write(orjson.dumps(row) + b"\n")

    return run


def main() -> int:
    """Measure, print, and write the result as JSON where asked for."""
    names = [key.key for key in keys(SOURCE) if "{" not in key.key][:KEYS]
    translator = Translator(SOURCE, TARGET)
    new = {name: translator.key(name).output for name in names}
    draw = random.Random(7)
    rows = [{name: draw.gauss(0, 1) for name in names} for _ in range(ROWS)]
    result: dict[str, Any] = {}
    jobs: dict[str, Callable[[], object]]
    with tempfile.TemporaryDirectory() as folder:
        for name, framed in (("JSON lines", False), ("JSON lines of verl", True)):
            path, output = Path(folder, "run.jsonl"), Path(folder, "out")
            lines = ({"step": step, "data": row} if framed else row for step, row in enumerate(rows))
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            jobs = {
                "translate_file": partial(
                    translate_file, path, source=SOURCE, target=TARGET, output=output, force=True
                ),
                "orjson": orjson_loop(path, Path(folder, "peer"), new, framed=framed),
            }
            result[name] = compare(jobs, ROWS * KEYS)
        table = Path(folder, "run.csv")
        body = "".join(",".join(map(repr, row.values())) + "\n" for row in rows)
        table.write_text(",".join(names) + "\n" + body)
        jobs = {
            "translate_file": partial(translate_file, table, source=SOURCE, target=TARGET, output=output, force=True),
            "copy": lambda: shutil.copyfile(table, Path(folder, "peer")),
            "read": lambda: [None for _ in table.open("rb")],
        }
        result["table"] = compare(jobs, ROWS * KEYS)
    row = rows[0]
    jobs = {
        "Translator.row": lambda: [translator.row(row) for _ in range(CALLS)],
        "comprehension": lambda: [{new[key]: value for key, value in row.items()} for _ in range(CALLS)],
    }
    result["dict of 40 keys"] = compare(jobs, CALLS * KEYS)
    return report(result)


if __name__ == "__main__":
    raise SystemExit(main())
