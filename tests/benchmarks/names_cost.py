"""What questions about names cost: ``python tests/benchmarks/names_cost.py``.

Prints CPU milliseconds, the least of several fresh interpreters each, and exits with 1 if one is over its limit. It is
a script and no test, because a busy machine would make a test fail for no reason.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

RUNS = 7
OLD, NEW = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"
GRPO18, GRPO, VERL5, VERL9 = "trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0", "verl==0.5.0", "verl==0.9.1"

QUESTIONS = {
    "resolve one key": (f"names.resolve('ppo/policy/approxkl', {OLD!r})", 60),
    "resolve as W&B shows it": (f"names.resolve('train/completions/mean_length', {GRPO!r})", 80),
    "candidates of two keys": ("names.candidates(['ppo/policy/approxkl', 'ppo/loss/value'], names.load_tables())", 300),
    "map old PPO to new": (f"names.map_names({OLD!r}, {NEW!r}).rows", 300),
    "map GRPO to verl": (f"names.map_names({GRPO!r}, {VERL9!r}).rows", 300),
    "map verl to GRPO": (f"names.map_names({VERL9!r}, {GRPO!r}).rows", 300),
    "map verl to canonical": (f"names.map_names({VERL9!r}, 'canonical').rows", 300),
    "diff GRPO": (f"names.diff({GRPO18!r}, {GRPO!r})", 300),
    "diff verl": (f"names.diff({VERL5!r}, {VERL9!r})", 300),
}
"""Code, and the limit in milliseconds over a bare interpreter."""


def cpu_milliseconds(code: str, environment: dict[str, str]) -> float:
    """Return the least CPU time of several fresh interpreters that run some code."""
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * min(times)


def main() -> int:
    """Measure with compiled modules, as an installed package has them."""
    over = 0
    with tempfile.TemporaryDirectory() as cache:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache
        bare = cpu_milliseconds("pass", environment)
        print(f"{'bare interpreter':28}{bare:8.1f} ms")
        print(f"{'over that':36}{'limit':>9}")
        for title, (question, limit) in QUESTIONS.items():
            taken = cpu_milliseconds(f"from rlmetrics import names; {question}", environment) - bare
            mark = "  over the limit" if taken > limit else ""
            over += taken > limit
            print(f"{title:28}{taken:8.1f} ms{limit:6} ms{mark}")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
