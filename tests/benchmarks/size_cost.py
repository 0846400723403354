"""How costs grow with a spec and with a log: ``python tests/benchmarks/size_cost.py [--rounds 3] [--write]``.

Counts processor time of fresh processes, user and system together and with their children, on synthetic specs of once,
twice and four times as many metrics, each with a key, and as many releases, and on logs of as many rows: `generate` and
`lint` from nothing, one name resolved with the tables that were generated, and `translate`. Imports are part of each
time. Exits with 1 where something grows by more than its input and a fifth, by which times of a busy machine differ.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

from benchmarks import measure  # noqa: E402
from benchmarks.generate_cost import cpu_of, make_spec  # noqa: E402

METRICS, RELEASES, ROWS = 200, 3, 50_000
TIMES = (1, 2, 4)
ABOVE = 1.2
GRPO = "trl[GRPOTrainer]==1.16.0"
RESOLVE = """
import json
from pathlib import Path
from rlmetrics.names import resolve
from rlmetrics.names.tables.tables import Tables
folder = Path("generated/rlmetrics/tables")
resolve("quantity_1", spec=Tables(lambda name: json.loads((folder / f"{name}.json").read_text())))
"""


def checkout(folder: Path, metrics: int, releases: int) -> Path:
    """Make a checkout with so many metrics, the keys of which are logged in so many releases, and return it."""
    make_spec(folder, metrics, keys=True)
    head = folder / "spec" / "frameworks" / "demo" / "framework.yaml"
    dates = [f'  - {{release: "1.{at}", date: "20{10 + at // 12}-{at % 12 + 1:02}-01"}}' for at in range(releases)]
    listed = "\n".join(["releases:", *dates, ""])
    head.write_text(re.sub(r"releases:\n(?:  - .*\n)+", listed, head.read_text()))
    for path in head.parent.glob("family*.yaml"):
        path.write_text(path.read_text().replace("1.0..1.2", f"1.0..1.{releases - 1}"))
    return folder


def log(path: Path, rows: int) -> Path:
    """Write a log of so many rows and return it."""
    keys = ("loss", "grad_norm", "learning_rate", "reward", "reward_std", "kl", "entropy", "completions/mean_length")
    with path.open("w", encoding="utf-8") as file:
        for step in range(rows):
            file.write(json.dumps({"step": step, **{key: step / 7 + at for at, key in enumerate(keys)}}) + "\n")
    return path


def command(*arguments: str) -> list[str]:
    """Return what runs a command of ours."""
    return [sys.executable, "-m", "rlmetrics.cli", *arguments]


def of_spec(place: Path) -> dict[str, Callable[[], float]]:
    """Return what is measured of a checkout."""

    def anew(*arguments: str) -> float:
        for made in ("generated", "tests", "docs", "codegen", ".rlmetrics"):
            if "generate" in arguments or made == ".rlmetrics":
                shutil.rmtree(place / made, ignore_errors=True)
        return cpu_of(command(*arguments), place)

    asked = [sys.executable, "-c", RESOLVE]
    return {
        "generate": lambda: anew("generate"),
        "lint": lambda: anew("lint"),
        "resolve": lambda: cpu_of(asked, place),
    }


def main() -> int:
    """Measure, report, and judge."""
    parser = measure.parser(__doc__)
    parser.set_defaults(rounds=3)
    options = parser.parse_args()
    results: dict[str, Mapping[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sizes = {
            "metrics": [of_spec(checkout(folder / f"m{by}", METRICS * by, RELEASES)) for by in TIMES],
            "releases": [of_spec(checkout(folder / f"r{by}", METRICS, RELEASES * by)) for by in TIMES],
        }
        logs = [log(folder / f"{by}.jsonl", ROWS * by) for by in TIMES]
        sizes["rows"] = [{"translate": _translating(path, folder)} for path in logs]
        for what, sized in sizes.items():
            results.update({f"{title}, by {what}": each for title, each in _grown(sized, options).items()})
    measure.report("size_cost", options, results)
    last = f"times {TIMES[-1]}"
    return int(any(found[last] > TIMES[-1] * ABOVE for found in results.values()))


def _translating(path: Path, folder: Path) -> Callable[[], float]:
    asked = command("translate", str(path), "--from", GRPO, "--to", "canonical", "-o", f"{path}.out", "--force")
    return lambda: cpu_of(asked, folder)


def _grown(sized: list[dict[str, Callable[[], float]]], options: argparse.Namespace) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for title in sized[0]:
        # In turns, so that a busy machine makes all of them slower.
        runs = [[each[title]() for each in sized] for _ in range(max(1, options.rounds))]
        medians = [statistics.median(column) for column in zip(*runs, strict=True)]
        ratios = {
            f"times {by}": round(statistics.median(run[at] / run[0] for run in runs), 2)
            for at, by in enumerate(TIMES)
            if by > 1
        }
        found[title] = {"s": round(medians[0], 2), **ratios}
        print(title, found[title], file=sys.stderr, flush=True)
    return found


if __name__ == "__main__":
    sys.exit(main())
