"""What ``import rlmetrics.functional`` costs more than ``import torch``: processor time of fresh interpreters.

    python tests/benchmarks/import_cost.py [--write]

With byte code, as an installed package has it, and without, as after an installation that compiled nothing; medians of
fresh interpreters that have imported torch before the clock starts.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

from benchmarks import measure  # noqa: E402

LIMIT = 100.0
IMPORTS = {
    "import rlmetrics.functional": "import rlmetrics.functional",
    "one metric of it": "from rlmetrics.functional import policy_clip_fraction",
    "import rlmetrics.suites": "import rlmetrics.suites",
    "from rlmetrics.suites import PPOSuite": "from rlmetrics.suites import PPOSuite",
}


CLOCKED = "import sys, time, torch; {before}start = time.process_time(); {code}; print(time.process_time() - start)"


def milliseconds(code: str, environment: dict[str, str], before: str = "") -> float:
    """Return the processor time that an import takes in a fresh interpreter that has torch."""
    command = [sys.executable, "-c", CLOCKED.format(before=before, code=code)]
    done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    return 1000 * float(done.stdout)


def main() -> int:
    """Measure and report; return 1 if the first import is over its limit."""
    options = measure.parser(__doc__).parse_args()
    results: dict[str, dict[str, float]] = {}
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for title, code in IMPORTS.items():
        times: dict[str, list[float]] = {"with byte code": [], "without": []}
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as empty:
            environment = {**plain, "PYTHONPATH": str(ROOT / "adapters"), "PYTHONPYCACHEPREFIX": cache}
            milliseconds(code, environment)
            for _ in range(max(5, options.rounds // 5)):
                times["with byte code"].append(milliseconds(code, environment))
                # Only from here on, so that torch keeps its byte code.
                switch = f"sys.pycache_prefix, sys.dont_write_bytecode = {empty!r}, True; "
                times["without"].append(milliseconds(code, environment, switch))
        results[title] = {f"{kind}, ms": round(statistics.median(taken), 1) for kind, taken in times.items()}
        print(title, results[title], file=sys.stderr)
    measure.report("import_cost", options, results)
    return int(max(results["import rlmetrics.functional"].values()) > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
