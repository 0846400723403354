"""What finding the source of a log costs: ``python tests/benchmarks/source_cost.py [--repeat N]``.

Counts CPU time of fresh processes, user and system together: ``check`` of a log of five rows with its source given and
without, in turns, so that a busy machine makes both slower; the difference of the medians is what the first log of a
process costs. What each further log costs is measured within one process. Prints JSON, and exits with 1 if a figure is
over its limit.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rlmetrics.names import Clues, find_source

RUNS = Path(__file__).resolve().parents[1] / "fixtures" / "runs"
LOGS = {"trl-1.16.0-grpo.jsonl": "trl[GRPOTrainer]==1.16.0", "trl-1.16.0-dpo.jsonl": "trl[DPOTrainer]==1.16.0"}
ROWS = 5
CHECK = "import sys; from rlmetrics.cli import main; sys.exit(main())"
FIRST_LIMIT, FURTHER_LIMIT = 50.0, 3.0
"""Milliseconds of CPU for the first log of a process over the same with its source given, and for each further one."""


def cpu_of(*arguments: str) -> float:
    """Return the milliseconds of CPU that a command costs in a fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", CHECK, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def first(path: Path, source: str, repeat: int) -> float:
    """Return what the first log of a process costs over the same with its source given."""
    pairs = [(cpu_of("check", str(path)), cpu_of("check", str(path), "--at", source)) for _ in range(repeat)]
    return statistics.median(without for without, _ in pairs) - statistics.median(given for _, given in pairs)


def further(keys: list[tuple[str, ...]], repeat: int) -> float:
    """Return the mean cost of finding the source of logs in a process that has found others."""
    every = [Clues(one, whole=True) for one in keys]
    for clues in every:
        find_source(clues)
    begun = time.process_time()
    for _ in range(repeat):
        for clues in every:
            # Clues remember what they were asked: each time they are new.
            find_source(Clues(clues.keys, whole=True))
    return 1000 * (time.process_time() - begun) / (repeat * len(every))


def main() -> int:
    """Measure, and compare with the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=9, help="how often each is measured")
    repeat = parser.parse_args().repeat
    figures: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, source in LOGS.items():
            lines = (RUNS / name).read_text(encoding="utf-8").splitlines(keepends=True)
            path = Path(folder, name)
            path.write_text("".join(lines[:ROWS]), encoding="utf-8")
            figures[f"first, {name}"] = round(first(path, source, repeat), 1)
    captured = json.loads((RUNS.parent / "captured_runs.json").read_text(encoding="utf-8"))
    figures["further"] = round(further([tuple(run["keys"]) for run in captured], repeat), 2)
    print(json.dumps({"milliseconds": figures, "limits": {"first": FIRST_LIMIT, "further": FURTHER_LIMIT}}, indent=1))
    over = [name for name, cost in figures.items() if cost > (FURTHER_LIMIT if name == "further" else FIRST_LIMIT)]
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
