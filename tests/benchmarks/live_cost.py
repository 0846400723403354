"""What new names and health cost a row that is logged: ``python tests/benchmarks/live_cost.py [--write]``.

A row has 40 keys of TRL's GRPOTrainer, the values change from row to row. The peers are a plain copy of the dictionary
and a prefix for each name, which is what ``rewrite_logs`` of transformers does for each reporter. Times are of the
processor, medians of paired rounds; a health monitor looks at all rows of a run, so its figure is the mean over 2,000
rows that follow each other.
"""

from __future__ import annotations

import itertools
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

from benchmarks import measure  # noqa: E402
from rlmetrics.names import keys  # noqa: E402
from rlmetrics.trackers import Live  # noqa: E402
from rlmetrics.trainers._reporters import prefixed  # noqa: E402

AT = "trl[GRPOTrainer]==1.16.0"
AIMS = {"names": 40.0, "both names": 40.0, "names and health": 150.0}
KEYS = 40
ROWS = 2_000
REPEAT = 20
"""How many rows a timed call takes: one alone is shorter than the clock can tell."""


def row_keys() -> list[str]:
    """Return 40 keys that a trainer logs in training."""
    plain = [item.key for item in keys(AT) if item.mode == "train" and "{" not in item.key and item.metric is not None]
    return [*dict.fromkeys(plain), *(f"my/metric_{index}" for index in range(KEYS))][:KEYS]


def rows(names: list[str]) -> itertools.cycle[dict[str, float]]:
    """Return rows without end."""
    made = [
        {name: 0.5 + 0.01 * ((step * 7 + place * 3) % 11) for place, name in enumerate(names)} for step in range(64)
    ]
    return itertools.cycle(made)


def rewritten(row: dict[str, float]) -> dict[str, float]:
    """Return a row with a prefix for each name."""
    new = {}
    for name, value in row.items():
        if name.startswith("eval_"):
            new["eval/" + name[5:]] = value
        elif name.startswith("test_"):
            new["test/" + name[5:]] = value
        else:
            new["train/" + name] = value
    return new


def main() -> int:
    """Measure and report; return 1 if a row costs more than the aim."""
    options = measure.parser(__doc__).parse_args()
    names = row_keys()
    live = {
        "names": Live(AT, "canonical", prefixed=prefixed),
        "both names": Live(AT, "canonical", both=True, prefixed=prefixed),
    }
    source, steps = rows(names), itertools.count()
    ways: dict[str, measure.Way] = {
        "dict copy": lambda: [dict(next(source)) for _ in range(REPEAT)],
        "a prefix for each name": lambda: [rewritten(next(source)) for _ in range(REPEAT)],
    }
    for name, one in live.items():
        ways[name] = lambda one=one: [one.take(next(steps), next(source), evaluated=False) for _ in range(REPEAT)]
    results = {
        name: {"us a row": round(found["us"] / REPEAT, 2), "times a dict copy": found["ratio"]}
        for name, found in measure.paired(ways, options.rounds).items()
    }
    watched = Live(AT, "canonical", health=True, prefixed=prefixed)
    begun = time.process_time()
    for step, row in zip(range(ROWS), source, strict=False):
        watched.take(step, row, evaluated=False)
    taken = 1e6 * (time.process_time() - begun) / ROWS
    copied = results["dict copy"]["us a row"]
    results["names and health"] = {"us a row": round(taken, 2), "times a dict copy": round(taken / copied, 1)}
    for found in results.values():
        found["times a prefix"] = round(found["us a row"] / results["a prefix for each name"]["us a row"], 2)
    if any(one.faults.count for one in (*live.values(), watched)):
        raise SystemExit("a row was not treated")
    measure.report("live_cost", options, results)
    return int(any(results[name]["us a row"] > aim for name, aim in AIMS.items()))


if __name__ == "__main__":
    sys.exit(main())
