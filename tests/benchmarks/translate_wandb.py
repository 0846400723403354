"""What translating runs of W&B costs: ``python tests/benchmarks/translate_wandb.py [POINTS [RESULT.json]]``.

Compares a whole ``translate_file`` with two loops over the records of the same run, which use the same framing and the
classes of the wandb package: one that parses each record and serialises it again, and one that also puts another name
into each item in between. All three are run in turn; the ratios are medians of the pairs, in CPU seconds.

The run is as W&B's Go writer leaves it: the names that verl logged, each row in an order of its own, then a summary.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from rlmetrics.translate import translate_file
from rlmetrics.translate.kinds.wandb.transactions import Tail, Writer, records

RUNS = 7
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


def seconds(job: Callable[[], object]) -> float:
    """Return the CPU time of a job."""
    before = time.process_time()
    job()
    return time.process_time() - before


def main() -> int:
    """Measure, print, and write the result as JSON where asked for."""
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder, "run-a.wandb"), Path(folder, "out.wandb")
        write(path, points)
        report = translate_file(path, source=SOURCE, target=TARGET, output=output)
        names = {old: how["to"] for old, how in report.translated.items()}
        jobs: dict[str, Callable[[], object]] = {
            "translate_file": lambda: translate_file(path, source=SOURCE, target=TARGET, output=output, force=True),
            "parse, serialise": lambda: copy(path, output),
            "parse, rename, serialise": lambda: copy(path, output, names),
        }
        times: dict[str, list[float]] = {name: [] for name in jobs}
        for _ in range(RUNS):
            for name, job in jobs.items():
                times[name].append(seconds(job))
        size = path.stat().st_size
    ours = times["translate_file"]
    result = {
        "points": points,
        "bytes": size,
        "renamed": sum(old != new for old, new in names.items()),
        "points_per_second": {name: points / statistics.median(found) for name, found in times.items()},
        "translate_file_takes_times": {
            name: statistics.median(mine / theirs for mine, theirs in zip(ours, found, strict=True))
            for name, found in times.items()
        },
    }
    print(json.dumps(result, indent=2))
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
