"""What translating runs of W&B costs: ``python tests/benchmarks/translate_wandb.py [POINTS]``.

Prints points a second of a whole ``translate_file`` beside those of a bare loop that parses every record of the same
run and serialises it again, in the Go writer's form. The times are CPU seconds, the least of several runs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rlmetrics.names import keys
from rlmetrics.translate import translate_file
from rlmetrics.translate.kinds.wandb.messages import record_class
from rlmetrics.translate.kinds.wandb.transactions import Tail, Writer, records

RUNS = 3
SOURCE, TARGET = "verl==0.9.1", "canonical"
LOGGED = 80
"""Metrics in a row."""


def write(path: Path, points: int) -> None:
    """Write a run with so many points in its history and as many in its summaries."""
    names = [entry.key for entry in keys(SOURCE) if "{" not in entry.key][:LOGGED]
    record = record_class()
    with path.open("wb") as file:
        writer = Writer(file)
        for step in range(1, points // LOGGED + 1):
            row = [{"nested_key": [name], "value_json": repr(step / 7 + at)} for at, name in enumerate(names)]
            writer.write(record(num=2 * step, history={"item": row}).SerializeToString())
            writer.write(record(num=2 * step + 1, summary={"update": row}).SerializeToString())


def copy(path: Path, output: Path) -> None:
    """Parse every record and serialise it."""
    record = record_class()
    with output.open("wb") as file:
        writer = Writer(file)
        for _, payload in records(path, Tail()):
            writer.write(record.FromString(payload).SerializeToString())


def seconds(job: Callable[[], object]) -> float:
    """Return the least CPU time of several runs of a job."""
    times = []
    for _ in range(RUNS):
        before = time.process_time()
        job()
        times.append(time.process_time() - before)
    return min(times)


def main() -> int:
    """Measure and print."""
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder, "run-a.wandb"), Path(folder, "out.wandb")
        write(path, points)
        ours = seconds(lambda: translate_file(path, source=SOURCE, target=TARGET, output=output, force=True))
        bare = seconds(lambda: copy(path, output))
    print(f"translated: {points / ours:,.0f} points/s; parsed and serialised: {points / bare:,.0f} points/s")
    print(f"{ours / bare:.1f} times as long")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
