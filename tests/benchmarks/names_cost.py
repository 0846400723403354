"""What the names of whole releases cost: ``python tests/benchmarks/names_cost.py [--all] [--runs N] [--json FILE]``.

Runs the command line in fresh processes and counts their CPU time, user and system together, interpreter included: the
median of several runs for each pair, whole tables as JSON. Two kinds of installation: with byte code, as pip leaves it,
and without, as an editable checkout under ``PYTHONDONTWRITEBYTECODE``; Python's own modules have theirs in both.
Prints JSON. A busy machine makes every figure larger, so the load and a bare interpreter are in it too. Exits with 1 if
a median is over its limit.

The sample is every ordered pair of the five releases that log the most, and every fifth release of all frameworks
against the one as far from the other end. ``--all`` takes every ordered pair of releases.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rlmetrics.names import keys, load_tables

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 5
EVERY = 5
LIMIT = 300
"""Milliseconds that a table may cost."""

START_LIMIT = 60
"""Milliseconds over a bare interpreter for importing names and making a translator."""

START = (
    "import rlmetrics.names; from rlmetrics.translate import Translator; "
    "Translator('trl[PPOTrainer]==0.11.4', 'trl[PPOTrainer]==0.18.2')"
)


def sources() -> list[str]:
    """Return every described release of every framework, oldest first."""
    tables = load_tables()
    return [f"{name}=={release}" for name in tables.frameworks for release in tables.framework(name).releases.names]


def sample(known: list[str]) -> list[tuple[str, str]]:
    """Return the pairs that are measured without ``--all``."""
    sizes = {source: len(keys(source)) for source in known}
    largest = sorted(known, key=lambda source: (-sizes[source], source))[:LARGEST]
    some = known[::EVERY]
    return [*itertools.permutations(largest, 2), *zip(some, reversed(some), strict=True)]


def cpu(arguments: list[str], environment: Mapping[str, str], runs: int) -> float:
    """Return the median CPU time of fresh interpreters, in milliseconds."""
    times = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(1000 * statistics.median(times), 1)


def installations(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the kinds of installation: copies of this checkout's packages, and the environment that they run in."""
    roots = [folder / name for name in ("generated", "adapters")]
    for root in roots:
        shutil.copytree(ROOT / root.name, root, ignore=shutil.ignore_patterns("__pycache__"))
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    plain["PYTHONPATH"] = os.pathsep.join(map(str, roots))
    yield "no byte code", {**plain, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run([sys.executable, "-m", "compileall", "-q", *map(str, roots)], check=True)
    yield "byte code", plain


def measure(kind: str, environment: Mapping[str, str], pairs: list[tuple[str, str]], runs: int) -> dict[str, Any]:
    """Return what one kind of installation costs, in milliseconds."""
    bare = cpu(["-c", "pass"], environment, 2 * runs)
    start = cpu(["-c", START], environment, 2 * runs)
    rows: list[dict[str, Any]] = []
    for old, new in pairs:
        row: dict[str, Any] = {"from": old, "to": new}
        for command in ("map", "diff"):
            arguments = ["-m", "rlmetrics.cli", command, "--from", old, "--to", new, "--json"]
            row[command] = cpu(arguments, environment, runs)
        rows.append(row)
        print(f"{kind}: {row}", file=sys.stderr)
    found: dict[str, Any] = {"bare interpreter": bare, "names and a translator over that": round(start - bare, 1)}
    for command in ("map", "diff"):
        times = [row[command] for row in rows]
        found[command] = {"median": statistics.median(times), "maximum": max(times), "pairs": len(times)}
    return {**found, "pairs": rows}


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every ordered pair of releases: hours")
    parser.add_argument("--runs", type=int, default=5, help="of each command for each pair (5)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    args = parser.parse_args()
    known = sources()
    pairs = list(itertools.permutations(known, 2)) if args.all else sample(known)
    found: dict[str, Any] = {"python": platform.python_version(), "runs": args.runs, "load before": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory() as folder:
        measured = {
            kind: measure(kind, environment, pairs, args.runs) for kind, environment in installations(Path(folder))
        }
    found = {**found, "load after": os.getloadavg()[0], **measured}
    text = json.dumps(found, indent=1)
    print(text)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
    over = [
        kind
        for kind, costs in measured.items()
        if max(costs["map"]["maximum"], costs["diff"]["maximum"]) > LIMIT
        or (kind == "byte code" and costs["names and a translator over that"] > START_LIMIT)
    ]
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
