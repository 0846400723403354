"""Jobs in turn, and what one takes compared with each other: medians of the pairs, in CPU seconds."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["compare", "options", "report"]


def compare(jobs: Mapping[str, Callable[[], object]], points: int, runs: int = 7) -> dict[str, Any]:
    """Run all jobs in turn, several times; the first is compared with the others.

    Args:
        jobs: The job in question, then its peers.
        points: How many values each of them goes through.
        runs: How often.
    """
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(runs):
        for name, job in jobs.items():
            before = time.process_time()
            job()
            times[name].append(time.process_time() - before)
    ours, *peers = jobs
    return {
        "points": points,
        "points_per_second": {name: round(points / statistics.median(found)) for name, found in times.items()},
        f"{ours} takes times": {
            peer: round(statistics.median(a / b for a, b in zip(times[ours], times[peer], strict=True)), 3)
            for peer in peers
        },
    }


def options(description: str | None, points: int | None = None) -> argparse.Namespace:
    """Return what the command line says: ``points`` where there is a number of them, and ``result``, a file or None."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if points:
        parser.add_argument("points", nargs="?", type=int, default=points, help=f"values to go through ({points:,})")
    parser.add_argument("result", nargs="?", type=Path, help="write the figures there too, as JSON")
    parser.add_argument(
        "--write", action="store_true", help="keep the figures in docs/benchmarks, where there is a page"
    )
    return parser.parse_args()


def report(result: Mapping[str, Any], file: Path | None) -> int:
    """Print a result, write it to a file where there is one, and return the exit code 0."""
    text = json.dumps(result, indent=2)
    print(text)
    if file is not None:
        file.write_text(f"{text}\n", encoding="utf-8")
    return 0
