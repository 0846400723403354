"""What judging a recorded run costs beside reading it: ``python tests/benchmarks/health_check_cost.py [--write]``.

Runs of a million points as JSON lines: noise under 40 keys, each around a level of its own, and a healthy run of the
simulator under those keys that it has. "read" is a process that reads every row with the reader of
``rlmetrics translate`` and does nothing with it; "check" is ``rlmetrics check`` from its start to its exit code. Times
are of the processor, medians of a few rounds in which both follow each other; memory is the peak of the process, at a
tenth of the points and at all of them.
"""

from __future__ import annotations

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

from benchmarks import measure  # noqa: E402
from health_rows import SOURCES, judged_keys  # noqa: E402
from health_simulator import simulate, spelled  # noqa: E402
from rlmetrics.logs.reading import STEP_NAMES  # noqa: E402

POINTS, KEYS = 1_000_000, 40
LIMIT = 5.0
FAMILIES: dict[str, str] = dict(zip(SOURCES, ("grpo", "ppo", "ppo", "ppo"), strict=True))
"""Which run the simulator makes for each source."""
END = """
import re, resource
used = resource.getrusage(resource.RUSAGE_SELF)
print("took", used.ru_utime + used.ru_stime, re.search(r"VmHWM:\\s+([0-9]+)", open("/proc/self/status").read())[1])
"""
READ = """
import sys
from pathlib import Path
from rlmetrics.health.judging import units_of
for unit in units_of(Path(sys.argv[1])):
    for run in unit.open().read():
        for row in run.rows:
            pass
"""
CHECK = """
import sys
from rlmetrics.cli.main import main
main(["check", sys.argv[1], "--at", sys.argv[2], "--json"])
"""
NOTHING = """
from rlmetrics.health.judging import units_of
"""


def write_noise(path: Path, source: str, points: int) -> None:
    """Write a run of numbers with noise, each at its level, but for those that tell a step."""
    draw = random.Random(11)
    keys = [key for key in judged_keys(source, KEYS + len(STEP_NAMES)) if key not in STEP_NAMES][:KEYS]
    levels = {key: draw.uniform(0.1, 0.6) for key in keys}
    with path.open("w", encoding="utf-8") as file:
        for step in range(1, points // KEYS + 1):
            row = {key: level * (1 + 0.1 * draw.gauss(0, 1)) for key, level in levels.items()}
            file.write(json.dumps({"step": step, **row}) + "\n")


def write_simulated(path: Path, source: str, points: int) -> None:
    """Write a healthy run as the simulator makes it."""
    width = len(spelled(simulate(FAMILIES[source], steps=1).rows, source)[0]) - 1
    with path.open("w", encoding="utf-8") as file:
        for row in spelled(simulate(FAMILIES[source], steps=points // width).rows, source):
            file.write(json.dumps(row) + "\n")


RUNS = {"noise": write_noise, "a simulated run": write_simulated}


def run(code: str, *arguments: str) -> tuple[float, float]:
    """Return processor time in seconds and peak memory in MiB of a fresh process, which may keep its byte code."""
    command = [sys.executable, "-c", code + END, *arguments]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=kept)
    found = re.search(r"^took ([0-9.]+) ([0-9]+)$", done.stdout, re.M)
    if found is None:
        raise SystemExit(done.stdout + done.stderr)
    return float(found[1]), int(found[2]) / 1024


def main() -> int:
    """Measure and report; return 1 if checking takes more than five times as long as reading."""
    options = measure.parser(__doc__).parse_args()
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        start = statistics.median(run(NOTHING)[0] for _ in range(5))
        for source, (form, write_run) in product(SOURCES, RUNS.items()):
            path, tenth = Path(folder, "run.jsonl"), Path(folder, "tenth.jsonl")
            write_run(path, source, POINTS)
            write_run(tenth, source, POINTS // 10)
            times: dict[str, list[float]] = {"read": [], "check": []}
            for _ in range(max(3, options.rounds // 10)):
                times["read"].append(run(READ, str(path))[0] - start)
                times["check"].append(run(CHECK, str(path), source)[0] - start)
            ratios = [one / other for one, other in zip(times["check"], times["read"], strict=True)]
            results[f"{source}, {form}"] = {
                "read, s": round(statistics.median(times["read"]), 2),
                "check, s": round(statistics.median(times["check"]), 2),
                "times reading": round(statistics.median(ratios), 2),
                "MiB, 100,000 points": round(run(CHECK, str(tenth), source)[1], 1),
                "MiB, 1,000,000 points": round(run(CHECK, str(path), source)[1], 1),
            }
            print(source, form, results[f"{source}, {form}"], file=sys.stderr, flush=True)
    measure.report("health_check", options, results)
    return int(any(found["times reading"] > LIMIT for found in results.values()))


if __name__ == "__main__":
    sys.exit(main())
