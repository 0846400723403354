"""What an answer under an overlay costs: ``python tests/benchmarks/overlay_cost.py [--repeat N]``.

Counts CPU time of fresh processes, user and system together: one answer that has to be put together, without an overlay
and with one that was read before, in turns, so that a busy machine makes both slower. Prints JSON, and exits with 1 if
the median of the ratios is over its limit.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import rlmetrics

SOURCE = "trl[GRPOTrainer]==1.16.0"
ASK = "import sys; from rlmetrics.cli import main; sys.exit(main())"
WORDS = ("resolve", "kl", "--at", SOURCE, "--config", "beta=0.04")
LIMIT = 1.5
FRAMEWORK = (
    "framework: mine\ntitle: Mine\npackage: mine\nbrief: Ours.\nreleases: [{release: 1.0.0, date: '2026-01-01'}]\n"
)
TRAINER = (
    "title: MineTrainer\nbrief: The loop.\n"
    "components: [{name: MineTrainer, releases: 1.0.0.., module: mine.trainer}]\n"
    "tracking: [{route: direct, enable: nothing, x_axis: step}]\nkeys:\n  loss/kl: {metric: kl/reference/k3}\n"
)


def cpu_of(folder: str, *arguments: str) -> float:
    """Return the milliseconds of CPU that a command costs in a fresh process with a cache of its own."""
    env = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPATH": str(Path(rlmetrics.__file__).parents[1])}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", ASK, *arguments], stdout=subprocess.DEVNULL, check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main() -> int:
    """Measure, and compare with the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=9, help="how often each is measured")
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder, "mine", "frameworks", "mine")
        own.mkdir(parents=True)
        (own / "framework.yaml").write_text(FRAMEWORK, encoding="utf-8")
        (own / "trainer.yaml").write_text(TRAINER, encoding="utf-8")
        under = (*WORDS, "--spec", str(Path(folder, "mine")))
        first = cpu_of(folder, *under)
        pairs = [(cpu_of(folder, *WORDS), cpu_of(folder, *under)) for _ in range(repeat)]
    ratio = statistics.median(with_it / without for without, with_it in pairs)
    without, with_it = (round(statistics.median(times), 1) for times in zip(*pairs, strict=True))
    figures = {"first": round(first), "without": without, "with": with_it, "ratio": round(ratio, 3), "limit": LIMIT}
    print(json.dumps(figures, indent=1))
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
