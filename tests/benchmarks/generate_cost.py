"""What generating costs: CPU time of whole processes, next to glean_parser's on equally many metrics.

Makes synthetic specs of several sizes and runs, in turns and each time in a fresh process, `rlmetrics generate` from
nothing, after an edit of one file, with nothing changed, and `glean_parser translate -f kotlin`, which keeps nothing
between runs.

    python tests/benchmarks/generate_cost.py [--sizes 100 500 2000 10000] [--rounds 5] [--no-keys]

A metric of ours brings a formula and the record of a key with a fact, and becomes a function with its state, a test, a
section of a reference page and entries of the tables; one of glean's brings what its schema demands and becomes a
Kotlin object.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PER_FILE = 20
"""Metrics in one file, for both."""

_FORMULAS = (
    "mean(old_logprobs - logprobs)",
    "mean(0.5 * (logprobs - old_logprobs) ** 2)",
    "mean(exp(logprobs - old_logprobs) > 1.2)",
    "max(logprobs - old_logprobs)",
    "mean(seq_sum(old_logprobs - logprobs))",
)


def make_spec(folder: Path, size: int, *, keys: bool) -> None:
    """Make a checkout with a synthetic spec."""
    shutil.copytree(ROOT / "tests" / "fixtures" / "spec_min" / "spec", folder / "spec")
    (folder / "pyproject.toml").touch()
    for name in ("metrics/kl.yaml", "metrics/return.yaml", "frameworks/demo/trainer.yaml", "health/run.yaml"):
        (folder / "spec" / name).unlink()
    for first in range(0, size, PER_FILE):
        family = f"family{first // PER_FILE:04d}"
        numbers = range(first, min(first + PER_FILE, size))
        text = f"family: {family}\ntitle: Synthetic family {first}\ndescription: Metrics that nobody needs.\nmetrics:\n"
        text += "".join(_metric(family, number) for number in numbers)
        (folder / "spec" / "metrics" / f"{family}.yaml").write_text(text)
        if keys:
            text = f"""title: Trainer of {family}
brief: Logs the metrics of one family.
components:
  - {{name: Trainer{family.capitalize()}, releases: "1.0..1.2", module: demo.{family}}}
tracking:
  - {{route: demo, enable: log=True, x_axis: step}}
config: {{beta: {{brief: Weight of the penalty., type: float, defaults: [{{value: 0.1}}]}}}}
keys:
"""
            text += "".join(_record(family, number) for number in numbers)
            (folder / "spec" / "frameworks" / "demo" / f"{family}.yaml").write_text(text)


def _metric(family: str, number: int) -> str:
    kind = number % len(_FORMULAS)
    atom = "sequence" if "seq_" in _FORMULAS[kind] else "token"
    return f"""\
  {family}/quantity_{number}/mean:
    aliases: [quantity_{number}]
    brief: Synthetic quantity number {number} of the current policy, averaged over response tokens.
    description: >-
      A sentence about what the quantity shows, why it moves and what a healthy run looks like. Another sentence that
      says what to look at next when it moves the wrong way, so that the text has a realistic length.
    unit: nat
    direction: lower
    identity: {{quantity: synthetic_{number}, statistic: mean}}
    population: response_tokens
    inputs: [logprobs, old_logprobs, mask]
    formula: {_FORMULAS[kind]}
    atom: {atom}
    empty: nan
    references: [{{title: A paper, url: "https://example.org/{number}"}}]
"""


def _record(family: str, number: int) -> str:
    return f"""\
  {family}/key_{number}:
    metric: {family}/quantity_{number}/mean
    logged_when: beta != 0
    reduction: {{rank: mean}}
    facts:
      - {{name: scaled_{number}, when: beta > 1, scale: 1/beta}}
"""


def make_glean(folder: Path, size: int) -> list[str]:
    """Make metrics.yaml files for glean_parser; return their paths."""
    folder.mkdir(parents=True)
    paths = []
    for first in range(0, size, PER_FILE):
        text = "$schema: moz://mozilla.org/schemas/glean/metrics/2-0-0\n\n"
        text += f"family.n{first // PER_FILE:04d}:\n"
        text += "".join(_glean_metric(number) for number in range(first, min(first + PER_FILE, size)))
        path = folder / f"metrics{first // PER_FILE:04d}.yaml"
        path.write_text(text)
        paths.append(str(path))
    return paths


def _glean_metric(number: int) -> str:
    return f"""\
  quantity_{number}:
    type: quantity
    unit: nat
    description: >
      Synthetic quantity number {number} of the current policy, averaged over response tokens. A sentence about what
      the quantity shows, why it moves and what a healthy run looks like. Another sentence that says what to look at
      next when it moves the wrong way, so that the text has a realistic length.
    bugs:
      - https://bugzilla.mozilla.org/show_bug.cgi?id={1_000_000 + number}
    data_reviews:
      - https://bugzilla.mozilla.org/show_bug.cgi?id={1_000_000 + number}#c1
    data_sensitivity:
      - technical
    notification_emails:
      - nobody@example.org
    expires: never
"""


def cpu_of(command: list[str], folder: Path) -> float:
    """Run a command and return the CPU seconds that it and its children took."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "adapters")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure and print one row for each size."""
    parser = argparse.ArgumentParser(description="CPU time of rlmetrics generate and of glean_parser.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 500, 2000, 10000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-keys", action="store_true", help="metrics only, no framework logs them")
    arguments = parser.parse_args()
    print(
        "metrics | generate s | one edit s | unchanged s | glean s | ratios to glean: from nothing, one edit (paired)"
    )
    for size in arguments.sizes:
        with tempfile.TemporaryDirectory() as name:
            print(_row(Path(name), size, arguments.rounds, keys=not arguments.no_keys), flush=True)
    return 0


def _row(folder: Path, size: int, rounds: int, *, keys: bool) -> str:
    checkout = folder / "checkout"
    make_spec(checkout, size, keys=keys)
    glean_inputs = make_glean(folder / "glean", size)
    generate = [sys.executable, "-m", "rlmetrics.cli", "generate"]
    glean = [
        sys.executable,
        "-m",
        "glean_parser",
        "translate",
        "-f",
        "kotlin",
        "-o",
        str(folder / "kotlin"),
        *glean_inputs,
    ]

    def from_nothing() -> float:
        for made in ("generated", "tests", "docs", "codegen", ".rlmetrics"):
            shutil.rmtree(checkout / made, ignore_errors=True)
        return cpu_of(generate, checkout)

    def after_an_edit() -> float:
        family = checkout / "spec" / "metrics" / "family0000.yaml"
        family.write_text(family.read_text().replace("Synthetic quantity", "Synthetic  quantity", 1))
        return cpu_of(generate, checkout)

    measures: list[Callable[[], float]] = [
        from_nothing,
        after_an_edit,
        lambda: cpu_of(generate, checkout),
        lambda: cpu_of(glean, folder),
    ]
    runs = [[measure() for measure in measures] for _ in range(rounds)]
    full, edited, unchanged, other = (statistics.median(column) for column in zip(*runs, strict=True))
    ratios = [statistics.median(run[place] / run[3] for run in runs) for place in (0, 1)]
    return (
        f"{size:7d} | {full:10.2f} | {edited:10.2f} | {unchanged:11.3f} | {other:7.2f} | "
        f"{ratios[0]:.2f}, {ratios[1]:.2f}"
    )


if __name__ == "__main__":
    sys.exit(main())
