"""What answers and the names of whole releases cost: ``python tests/benchmarks/names_cost.py [--help]``.

Runs the command line in fresh processes and counts their CPU time, user and system together, interpreter included: the
median of several runs for each pair, whole tables as JSON. Two kinds of installation: with byte code, as pip leaves it,
and without, as an editable checkout under ``PYTHONDONTWRITEBYTECODE``; Python's own modules have theirs in both.
Prints JSON. A busy machine makes every figure larger, so the load and a bare interpreter are in it too. Exits with 1 if
a median is over its limit.

First come the answers that people ask for, as they are printed: this checkout and an earlier commit in turns, both with
byte code, each run less a bare interpreter beside it. The ratio is the median over pairs of runs, which a busy machine
changes less than the times; it is left out where the earlier commit does not know the question.

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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rlmetrics.names import keys, load_tables

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 5
EVERY = 5
LIMIT = 300
"""Milliseconds that a table may cost."""

ANSWER_LIMIT = 150
"""Milliseconds over a bare interpreter that an answer may cost."""

START_LIMIT = 40
"""Milliseconds over a bare interpreter for importing names and making a translator."""

START = (
    "import rlmetrics.names; from rlmetrics.translate import Translator; "
    "Translator('trl[PPOTrainer]==0.11.4', 'trl[PPOTrainer]==0.18.2')"
)

EARLIER = "b5494331"
"""The commit before answers had a first line."""

GRPO = "trl[GRPOTrainer]==1.16.0"
NAMES = f"import rlmetrics.names; rlmetrics.names.resolve('kl', {GRPO!r})"
CLI = "import sys; from rlmetrics.cli import main; sys.exit(main())"
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "resolve kl": (CLI, "resolve", "kl"),
    "resolve kl --at GRPO": (CLI, "resolve", "kl", "--at", GRPO),
    "resolve loss=0.0 --at GRPO": (CLI, "resolve", "loss=0.0", "--at", GRPO),
    "resolve kl entropy --at GRPO": (CLI, "resolve", "kl", "entropy", "--at", GRPO),
    "resolve rewrd": (CLI, "resolve", "rewrd"),
    "show approxkl": (CLI, "show", "approxkl"),
    "map GRPO, verl": (CLI, "map", "--from", GRPO, "--to", "verl==0.9.1"),
    "diff GRPO 0.18.2, 1.16.0": (CLI, "diff", "--from", "trl[GRPOTrainer]==0.18.2", "--to", GRPO),
    "map trl, verl": (CLI, "map", "--from", "trl==1.16.0", "--to", "verl==0.9.1"),
    "diff trl 0.29.0, 1.16.0": (CLI, "diff", "--from", "trl==0.29.0", "--to", "trl==1.16.0"),
    "names, resolve": (NAMES,),
    "names, Translator": (START,),
}
"""GRPO is trl[GRPOTrainer]==1.16.0, the trainer that most is asked about; whole releases are the largest pairs."""


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


def spent(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[float, int]:
    """Return the CPU time of a fresh interpreter in milliseconds, and its exit code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments], check=False, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if b"Traceback" in done.stderr:
        raise RuntimeError(done.stderr.decode())
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), done.returncode


def cpu(arguments: list[str], environment: Mapping[str, str], runs: int) -> float:
    """Return the median CPU time of fresh interpreters, in milliseconds."""
    return round(statistics.median(spent(arguments, environment)[0] for _ in range(runs)), 1)


def answers(environment: Mapping[str, str], earlier: Mapping[str, str], runs: int) -> dict[str, dict[str, Any]]:
    """Return what answers cost over a bare interpreter, here and in an earlier commit."""
    found: dict[str, dict[str, Any]] = {}
    for title, arguments in ANSWERS.items():
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(runs):
            bare = spent(["-c", "pass"], environment)[0]
            now, code = spent(["-c", *arguments], environment)
            before, known = spent(["-c", *arguments], earlier)
            if code > 1:
                msg = f"{title}: exit code {code}"
                raise RuntimeError(msg)
            ours.append(now - bare)
            theirs += [before - bare] if known < 2 else []
        row: dict[str, Any] = {"ms": round(statistics.median(ours), 1)}
        if theirs:
            row["earlier, ms"] = round(statistics.median(theirs), 1)
            row["times earlier"] = round(statistics.median(a / b for a, b in zip(ours, theirs, strict=True)), 2)
        found[title] = row
        print(f"{title}: {row}", file=sys.stderr)
    return found


def compiled(commit: str, folder: Path) -> dict[str, str]:
    """Write the packages of an earlier commit, with byte code, and return the environment that they run in."""
    packed = subprocess.run(
        ["git", "archive", commit, "generated", "adapters"], cwd=ROOT, check=True, capture_output=True
    )
    folder.mkdir()
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed.stdout, check=True)
    return with_byte_code([folder / "adapters", folder / "generated"])


def with_byte_code(roots: Sequence[Path]) -> dict[str, str]:
    """Compile packages and return the environment that they run in."""
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    plain["PYTHONPATH"] = os.pathsep.join(map(str, roots))
    subprocess.run([sys.executable, "-m", "compileall", "-q", *map(str, roots)], check=True)
    return plain


def installations(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the kinds of installation: copies of this checkout's packages, and the environment that they run in."""
    roots = [folder / name for name in ("adapters", "generated")]
    for root in roots:
        shutil.copytree(ROOT / root.name, root, ignore=shutil.ignore_patterns("__pycache__"))
    path = {"PYTHONPATH": os.pathsep.join(map(str, roots))}
    yield "no byte code", {**os.environ, **path, "PYTHONDONTWRITEBYTECODE": "1"}
    yield "byte code", with_byte_code(roots)


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
    parser.add_argument("--answers", action="store_true", help="only the answers, not the names of whole releases")
    parser.add_argument("--against", metavar="COMMIT", default=EARLIER, help=f"the earlier commit ({EARLIER})")
    parser.add_argument("--all", action="store_true", help="every ordered pair of releases: hours")
    parser.add_argument("--runs", type=int, default=5, help="of each command for each pair (5)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    args = parser.parse_args()
    found: dict[str, Any] = {"python": platform.python_version(), "runs": args.runs, "load before": os.getloadavg()[0]}
    measured: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        environments = dict(installations(Path(folder)))
        earlier = compiled(args.against, Path(folder, "earlier"))
        said = answers(environments["byte code"], earlier, 2 * args.runs)
        if not args.answers:
            known = sources()
            pairs = list(itertools.permutations(known, 2)) if args.all else sample(known)
            measured = {
                kind: measure(kind, environment, pairs, args.runs) for kind, environment in environments.items()
            }
    found = {**found, "against": args.against, "load after": os.getloadavg()[0], "answers": said, **measured}
    text = json.dumps(found, indent=1)
    print(text)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
    limits = {title: ANSWER_LIMIT if len(command) > 1 else START_LIMIT for title, command in ANSWERS.items()}
    over = [title for title, row in said.items() if row["ms"] > limits[title]]
    over += [
        kind
        for kind, costs in measured.items()
        if max(costs["map"]["maximum"], costs["diff"]["maximum"]) > LIMIT
        or (kind == "byte code" and costs["names and a translator over that"] > START_LIMIT)
    ]
    for item in over:
        print(f"over its limit: {item}", file=sys.stderr)
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
