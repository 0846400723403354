"""What frameworks cost whoever edits the spec: ``python tests/benchmarks/growth_cost.py [--runs N] [--counts 2 5 9]``.

Counts CPU time of fresh processes, user and system together, in copies of this checkout's spec that hold the first so
many frameworks: ``rlmetrics lint`` from nothing, and the tables that ``rlmetrics generate`` writes, read from
the YAML anew. With ``--generate`` the whole of it, too, which takes minutes. Prints JSON with what the copies hold, and
exits with 1 if something grows faster than the number of frameworks.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLI = "import sys; from rlmetrics.cli import main; sys.exit(main())"
TABLES = (
    "from pathlib import Path; from rlmetrics.codegen.loader import load; from rlmetrics.codegen.tables import build; "
    "build(load(Path('spec')))"
)
COUNT = (
    "import json; from pathlib import Path; from rlmetrics.codegen.loader import load; "
    "from rlmetrics.codegen.meaning import scope_of; spec = load(Path('spec')).frameworks; "
    "print(json.dumps([sum(len(scope_of(each).component(stem).resolved) for stem, file in each.files.items() "
    "if file.components) for each in spec.values()]))"
)
ORDER = "from rlmetrics.codegen.loader import load; from pathlib import Path; print(*load(Path('spec')).frameworks)"
MEASURED: Mapping[str, tuple[str, ...]] = {"lint": (CLI, "lint"), "tables": (TABLES,)}
WHOLE: Mapping[str, tuple[str, ...]] = {"generate": (CLI, "generate", "--no-cache")}


def in_order() -> list[str]:
    """Return the names of all frameworks in the order of answers; those that derive follow what they derive from."""
    done = subprocess.run([sys.executable, "-c", ORDER], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.split()


def copy(folder: Path, frameworks: Sequence[str]) -> Path:
    """Make a checkout whose spec holds these frameworks alone, and return its folder."""

    def left_out(place: str, names: list[str]) -> list[str]:
        of_frameworks = Path(place).name in ("frameworks", "locks") and Path(place).parent.name == "spec"
        return [name for name in names if of_frameworks and name not in frameworks]

    shutil.copytree(ROOT / "spec", folder / "spec", ignore=left_out)
    for name in ("tests/fixtures", "docs"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("assets", "zh", "runs"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def spent(arguments: Sequence[str], folder: Path) -> float:
    """Return the CPU time of a fresh interpreter and its children in seconds; findings of lint are no failure."""
    paths = [str(ROOT / name) for name in ("generated", "adapters", "codegen")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    shutil.rmtree(folder / ".rlmetrics", ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", *arguments], cwd=folder, env=environment, check=False, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if b"Traceback" in done.stderr:
        raise RuntimeError(done.stderr.decode())
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def held(folder: Path) -> list[int]:
    """Return how many rows of the tables each framework of a copy has: keys by mode, releases and meaning."""
    done = subprocess.run([sys.executable, "-c", COUNT], cwd=folder, check=True, capture_output=True, text=True)
    rows: list[int] = json.loads(done.stdout)
    return rows


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--counts", type=int, nargs="+", default=[2, 5, 9], help="how many frameworks (2 5 9)")
    parser.add_argument("--generate", action="store_true", help="measure the whole of generate as well")
    given = parser.parse_args()
    measured = {**MEASURED, **(WHOLE if given.generate else {})}
    names = in_order()
    found: list[dict[str, object]] = []
    seconds: dict[str, list[float]] = {title: [] for title in measured}
    with tempfile.TemporaryDirectory() as name:
        copies = [copy(Path(name) / str(count), names[:count]) for count in given.counts]
        # In turns, so that a busy machine makes all of them slower.
        runs = [[[spent(asked, each) for each in copies] for asked in measured.values()] for _ in range(given.runs)]
        for place, (count, folder) in enumerate(zip(given.counts, copies, strict=True)):
            times = {
                title: round(statistics.median(run[which][place] for run in runs), 1)
                for which, title in enumerate(measured)
            }
            for title, time in times.items():
                seconds[title].append(time)
            found.append({"frameworks": count, "rows": sum(held(folder)), **times})
    print(json.dumps(found, indent=1))
    first = given.counts[0]
    over = [
        f"{title} of {count} frameworks"
        for title, times in seconds.items()
        for count, time in zip(given.counts, times, strict=True)
        if time / times[0] > count / first
    ]
    for title in over:
        print(f"grows faster than the number of frameworks: {title}", file=sys.stderr)
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
