"""What a fleet costs: seconds of all processes for ``fleet scan`` and ``translate --plan``, with one and with several.

``python tests/benchmarks/fleet_cost.py --runs 1000 --jobs 1 2`` writes small runs of TRL, scans them, and translates
them by the plan; beside it, a process loads each row of the same files with orjson, renames by a ready map and dumps it
into new files. Seconds are those of the processor, of all processes together: this one takes over those that theirs
leave behind. ``--write`` keeps the figures.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.measure import keep
from rlmetrics.translate import Translator

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "tests" / "fixtures" / "runs" / "trl-1.16.0-grpo.jsonl"
SOURCE = "trl[GRPOTrainer]==1.16.0"
PEER = """
import json, pathlib, sys, orjson
names = json.loads(sys.argv[3])
for path in pathlib.Path(sys.argv[1]).iterdir():
    with path.open("rb") as read, open(f"{sys.argv[2]}/{path.name}", "wb") as written:
        for line in read:
            row = {names.get(key, key): value for key, value in orjson.loads(line).items()}
            written.write(orjson.dumps(row) + b"\\n")
"""
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
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
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
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3, help="seven rows each")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--write", action="store_true", help="keep the figures in docs/benchmarks")
    args = parser.parse_args()
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    translator = Translator(SOURCE, "canonical")
    names = {key: translator.key(key).output for key in json.loads(LOG.read_text(encoding="utf-8").splitlines()[0])}
    command = ("-m", "rlmetrics.cli")
    with tempfile.TemporaryDirectory() as temporary:
        folder, plan, peer = Path(temporary, "runs"), Path(temporary, "plan.csv"), Path(temporary, "peer")
        folder.mkdir()
        peer.mkdir()
        write(folder, args.runs, args.repeats)
        costs = {"orjson": cost("-c", PEER, str(folder), str(peer), json.dumps(names))}
        for jobs in args.jobs:
            words = ("fleet", "scan", str(folder), "-o", str(plan), "--force", "--jobs", str(jobs))
            costs[f"fleet scan --jobs {jobs}"] = cost(*command, *words)
        for jobs in args.jobs:
            out = Path(temporary, f"out{jobs}")
            words = ("--plan", str(plan), "--to", "canonical", "-o", str(out), "--jobs", str(jobs))
            costs[f"translate --plan --jobs {jobs}"] = cost(*command, "translate", *words)
    results = {
        name: {
            "files": args.runs,
            "seconds of the processor": round(used, 2),
            "files a second of the processor": round(args.runs / used),
            "times orjson": round(used / costs["orjson"][1], 1),
        }
        for name, (_, used) in costs.items()
    }
    print(json.dumps(results, indent=2))
    if args.write:
        keep("fleet_cost", results)


if __name__ == "__main__":
    main()
