"""What further frameworks cost answers about the first ones: ``python tests/benchmarks/framework_cost.py [--runs N]``.

Counts CPU time of fresh processes, user and system together: the same question to this checkout's packages and to a
copy of them that knows of no more than the first two frameworks, in turns, so that a busy machine makes both slower.
Prints JSON, and exits with 1 if the median of the ratios of a question is over its limit.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from benchmarks.names_cost import CLI, NAMES, ROOT, spent, with_byte_code  # noqa: E402

FIRST = 2
"""How many frameworks the copy knows."""
LIMIT = 1.1
"""What an answer may take, times the same answer of the copy; that both are measured once in a while is in it."""
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "resolve kl --at TRL": (CLI, "resolve", "kl", "--at", "trl[GRPOTrainer]==1.16.0"),
    "resolve actor/ppo_kl --at verl": (CLI, "resolve", "actor/ppo_kl", "--at", "verl==0.9.1"),
    "map TRL, verl": (CLI, "map", "--from", "trl[GRPOTrainer]==1.16.0", "--to", "verl==0.9.1"),
    "check a run of TRL": (CLI, "check", "{run}"),
    "names, resolve": (NAMES,),
}
ROW = {
    "loss": 0.1,
    "grad_norm": 1.0,
    "learning_rate": 1e-6,
    "reward": 0.3,
    "reward_std": 0.4,
    "kl": 0.01,
    "entropy": 0.5,
    "completions/mean_length": 200.0,
    "completions/mean_terminated_length": 190.0,
    "frac_reward_zero_std": 0.1,
}


def packages(folder: Path, first: int | None) -> dict[str, str]:
    """Copy this checkout's packages, without the further frameworks, and return the environment that they run in."""
    roots = [folder / name for name in ("adapters", "generated")]
    for root in roots:
        shutil.copytree(ROOT / root.name, root, ignore=shutil.ignore_patterns("__pycache__"))
    if first is not None:
        path = folder / "generated" / "rlmetrics" / "tables" / "index.json"
        index = json.loads(path.read_text(encoding="utf-8"))
        index["FRAMEWORKS"] = dict([*index["FRAMEWORKS"].items()][:first])
        index.pop("DERIVED", None)
        path.write_text(json.dumps(index, indent=1), encoding="utf-8")
    return with_byte_code(roots)


def _cost(asked: list[str], environment: Mapping[str, str]) -> float:
    milliseconds, code = spent(asked, environment)
    if code > 1:
        msg = f"{asked[1:]}: exit code {code}"
        raise RuntimeError(msg)
    return milliseconds


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9, help="how often each question is asked (9)")
    runs = parser.parse_args().runs
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = folder / "run.jsonl"
        rows = (json.dumps({"step": step, **ROW}) for step in range(1, 200))
        run.write_text("\n".join(rows), encoding="utf-8")
        every, few = packages(folder / "every", None), packages(folder / "few", FIRST)
        for title, words in QUESTIONS.items():
            asked = ["-c", *(word.format(run=run) if word == "{run}" else word for word in words)]
            pairs = [(_cost(asked, every), _cost(asked, few)) for _ in range(runs)]
            found[title] = {
                "ms": round(statistics.median(one for one, _ in pairs), 1),
                "times with two frameworks": round(statistics.median(one / other for one, other in pairs), 3),
            }
    print(json.dumps(found, indent=1))
    over = [title for title, row in found.items() if row["times with two frameworks"] > LIMIT]
    for title in over:
        print(f"over its limit: {title}", file=sys.stderr)
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
