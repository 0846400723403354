"""What a fleet costs: seconds of all processes for ``fleet scan`` and ``translate --plan``, with one and with several.

``python tests/benchmarks/fleet_cost.py --runs 300 --jobs 1 2`` writes small runs of TRL, scans them, and translates
them by the plan. Seconds are those of the processor, of all processes together: this one takes over those that theirs
leave behind.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "tests" / "fixtures" / "runs" / "trl-1.16.0-grpo.jsonl"
_SUBREAPER = 36


def write(folder: Path, runs: int, repeats: int) -> None:
    """Write runs that differ in one value."""
    rows = [json.loads(line) for line in LOG.read_text(encoding="utf-8").splitlines()]
    for run in range(runs):
        lines = []
        for repeat in range(repeats):
            for place, row in enumerate(rows):
                lines.append(json.dumps({**row, "step": repeat * len(rows) + place, "reward": run / 1000}))
        (folder / f"run{run}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def cost(*words: str) -> tuple[float, float]:
    """Run a command; return its seconds, and those of the processor, of all processes that it started."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "rlmetrics.cli", *words], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    took = time.perf_counter() - began
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3, help="seven rows each")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    args = parser.parse_args()
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as temporary:
        folder, plan = Path(temporary, "runs"), Path(temporary, "plan.csv")
        folder.mkdir()
        write(folder, args.runs, args.repeats)
        for jobs in args.jobs:
            took, used = cost("fleet", "scan", str(folder), "-o", str(plan), "--force", "--jobs", str(jobs))
            print(f"scan, {jobs} processes: {took:.1f} s, {used:.2f} s of the processor")
        for jobs in args.jobs:
            out = Path(temporary, f"out{jobs}")
            took, used = cost("translate", "--plan", str(plan), "--to", "canonical", "-o", str(out), "-j", str(jobs))
            print(f"translate, {jobs} processes: {took:.1f} s, {used:.2f} s of the processor")


if __name__ == "__main__":
    main()
