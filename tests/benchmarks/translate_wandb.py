"""What translating runs of W&B costs: ``python tests/benchmarks/translate_wandb.py [POINTS [RESULT.json]]``.

Compares a whole ``translate_file`` with two loops over the records of the same run, which use the classes of the wandb
package: one that parses each record and serialises it again, and one that also puts another name into each item in
between. All three read and write the file by the same framing, checksums included. What only ``translate_file`` does is
part of its time: looking up the names, the report, and ``fsync``. They are run in turn; the ratios are medians of the
pairs, in CPU seconds.

The run is as W&B's Go writer leaves it: the names that verl logged, each row in an order of its own, then a summary
with the same items in another order. So there are twice as many items as POINTS.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.paired import compare, options, report
from rlmetrics.logs.kinds.wandb.transactions import Tail, Writer, records
from rlmetrics.translate import translate_file

SOURCE, TARGET = "verl==0.9.1", "canonical"
LOGGED = Path(__file__).parents[1] / "fixtures" / "runs" / "verl-0.9.1-logged-keys.json"
Record: Any = import_module("wandb.proto.wandb_internal_pb2").Record


def write(path: Path, points: int) -> None:
    """Write a run with so many points in its history and as many in its summaries."""
    names: list[str] = json.loads(LOGGED.read_text())["tracking_driver_metrics"]
    draw = random.Random(7)
    with path.open("wb", buffering=1 << 20) as file:
        writer = Writer(file)
        for step in range(1, points // len(names) + 1):
            row = [{"nested_key": [name], "value_json": repr(draw.gauss(0, 1))} for name in names]
            row.append({"nested_key": ["_step"], "value_json": str(step)})
            draw.shuffle(row)
            writer.write(Record(num=2 * step, history={"item": row}).SerializeToString())
            draw.shuffle(row)
            writer.write(Record(num=2 * step + 1, summary={"update": row}).SerializeToString())


def copy(path: Path, output: Path, names: dict[str, str] | None = None) -> None:
    """Parse every record and serialise it; rename its items in between, if there are names."""
    with output.open("wb", buffering=1 << 18) as file:
        writer = Writer(file)
        for _, payload in records(path, Tail()):
            record = Record.FromString(payload)
            if names:
                for item in (*record.history.item, *record.summary.update):
                    item.nested_key[0] = names.get(item.nested_key[0], item.nested_key[0])
            writer.write(record.SerializeToString())


def main() -> int:
    """Measure and print."""
    given = options(__doc__, 1_000_000)
    points = given.points
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder, "run-a.wandb"), Path(folder, "out.wandb")
        write(path, points)
        told = translate_file(path, source=SOURCE, target=TARGET, output=output)
        names = {old: how["to"] for old, how in told.translated.items()}
        jobs: dict[str, Callable[[], object]] = {
            "translate_file": partial(translate_file, path, source=SOURCE, target=TARGET, output=output, force=True),
            "parse and serialise": partial(copy, path, output),
            "parse, rename and serialise": partial(copy, path, output, names),
        }
        return report(compare(jobs, points), given.result)


if __name__ == "__main__":
    raise SystemExit(main())
