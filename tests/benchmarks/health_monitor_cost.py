"""What a Monitor costs: ``python tests/benchmarks/health_monitor_cost.py [--write]``.

Rows of 40 keys, those on which most rules look, for 100,000 steps, with findings that come and go and with lost
numbers. Times are of the processor. Memory is what Python holds, as ``tracemalloc`` counts in a run of its own, and
what the operating system counts for the process.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

from benchmarks import measure  # noqa: E402
from health_rows import SOURCES, endless, rough_rows  # noqa: E402
from rlmetrics.health import Monitor  # noqa: E402

STEPS = (1_000, 10_000, 100_000)
LIMIT = 150.0


def followed(source: str, *, renamed: bool, traced: bool) -> dict[str, float]:
    """Return time a row and memory at each of the steps."""
    rows = rough_rows(source)
    monitor = Monitor(source)
    found: dict[str, float] = {}
    if traced:
        tracemalloc.start()
    taken = 0.0
    for step, row in enumerate(endless(rows, STEPS[-1], renamed=renamed), start=1):
        begun = time.process_time()
        monitor.observe(step, row)
        taken += time.process_time() - begun
        if step in STEPS:
            if traced:
                found[f"KiB, {step:,}"] = round(tracemalloc.get_traced_memory()[0] / 1024)
            else:
                found[f"µs a row, {step:,}"] = round(1e6 * taken / step, 1)
                found[f"resident MiB, {step:,}"] = round(_resident(), 1)
    if monitor.faults:
        raise SystemExit(monitor.fault)
    found["rules"] = sum(
        len(channel.instances) for channel in monitor.run.curves.channels.values() if channel is not None
    )
    return found


def _resident() -> float:
    text = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+([0-9]+)", text)
    return int(found[1]) / 1024 if found else 0.0


def fresh(source: str, *options: str) -> dict[str, float]:
    """Follow a run in a process of its own."""
    command = [sys.executable, __file__, "--follow", source, *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> int:
    """Measure and report; return 1 if a row of 40 keys takes longer than the aim."""
    if "--follow" in sys.argv:
        source = sys.argv[sys.argv.index("--follow") + 1]
        print(json.dumps(followed(source, renamed="--renamed" in sys.argv, traced="--traced" in sys.argv)))
        return 0
    options = measure.parser(__doc__).parse_args()
    results: dict[str, dict[str, float]] = {}
    for source, title, more in [
        *((source, source, ()) for source in SOURCES),
        (SOURCES[0], f"{SOURCES[0]}, two new names in each row", ("--renamed",)),
    ]:
        figures = fresh(source, *more)
        memory = fresh(source, *more, "--traced")
        results[title] = {"rules": figures.pop("rules"), **figures}
        results[title] |= {name: value for name, value in memory.items() if name != "rules"}
        print(title, results[title], file=sys.stderr, flush=True)
    measure.report("health_monitor", options, results)
    return int(any(results[source][f"µs a row, {STEPS[-1]:,}"] > LIMIT for source in SOURCES))


if __name__ == "__main__":
    sys.exit(main())
