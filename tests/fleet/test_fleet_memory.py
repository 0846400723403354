"""What a scan of many runs holds: no more for a hundred runs than for ten."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from folders import RUNS

SCAN = """
import resource, sys
import runpy
sys.argv = ["rlmetrics", "fleet", "scan", sys.argv[1], "-o", sys.argv[2]]
try:
    runpy.run_module("rlmetrics.cli", run_name="__main__")
except SystemExit:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10)
"""


def _held(folder: Path, runs: int) -> int:
    folder.mkdir()
    for number in range(runs):
        shutil.copy(RUNS / "trl-1.16.0-grpo.jsonl", folder / f"{number}.jsonl")
    words = [sys.executable, "-c", SCAN, str(folder), f"{folder}.csv"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=300)
    assert len(Path(f"{folder}.csv").read_text(encoding="utf-8").splitlines()) == runs + 1
    return int(done.stdout)


def test_a_scan_holds_nothing_of_runs_that_it_has_read(tmp_path: Path) -> None:
    """Cycles that one run leaves are cleared away: 90 runs more take less than 30 MiB."""
    assert _held(tmp_path / "many", 100) - _held(tmp_path / "few", 10) < 30
