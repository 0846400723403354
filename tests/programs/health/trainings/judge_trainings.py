"""Judges real trainings by the rules and writes what came out to ``docs/results/health_trainings.json``.

``python judge.py FOLDER HALF NAME [--look]`` adds the result of a half under a name, with the digest of the rules that
judged it; a name that is there already is refused, so that what was measured blind stays as it was. ``--look`` prints
every run instead, and writes nothing: for development runs only.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / "tests/programs/health"), str(Path(__file__).parent)]

from measure_rules import digest  # noqa: E402
from plan import CAUSES, ONSETS, PARTS  # noqa: E402
from rlmetrics.health import Monitor  # noqa: E402

RESULTS = ROOT / "docs/results/health_trainings.json"


@dataclass(frozen=True)
class Outcome:
    """What was said of a run.

    Attributes:
        run: Trainer, release, scenario and seed.
        sick: Whether a fault was put in.
        found: Whether a finding of level warning or error names it.
        first: The first diagnosis of level warning or error; None if there is none.
        first_right: Whether that names the fault.
        warnings: Findings of level warning.
        errors: Findings of level error.
        step: The step at which it was first named rightly.
        onset: The step at which the fault begins.
        rows: Rows of its log.
        exact: For NaN: whether it was said at the first row that shows it; None where no row shows it.
    """

    run: str
    sick: bool
    found: bool
    first: str | None
    first_right: bool
    warnings: int
    errors: int
    step: float | None
    onset: float
    rows: int
    exact: bool | None = None


def outcome(path: Path, source: str, scenario: str) -> tuple[Outcome, list[str]]:
    """Judge a run; return the outcome and the ids of the rules, the level first."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    monitor = Monitor(source)
    said = []
    for index, row in enumerate(rows):
        at = row.get("step", index)
        said += [(at, item) for item in monitor.observe(None, row)]
    strong = [(at, item) for at, item in said if item.level != "info"]
    causes = CAUSES.get(scenario, frozenset())
    right = [at for at, item in strong if item.cause in causes]
    first = next((item for item in monitor.report().diagnoses if item.level != "info"), None)
    ids = [f"{item.level}:{item.rule}@{at}" for at, item in said]
    return Outcome(
        run=path.stem.split("-", 1)[1],
        sick=bool(causes),
        found=bool(right),
        first=None if first is None else first.id,
        first_right=first is not None and first.cause in causes,
        warnings=sum(item.level == "warning" for _, item in strong),
        errors=sum(item.level == "error" for _, item in strong),
        step=min(right, default=None),
        onset=ONSETS.get(scenario, 0),
        rows=len(rows),
        exact=_exact(rows, right) if scenario.startswith("nan") else None,
    ), ids


def _exact(rows: list[dict[str, Any]], right: Iterable[float]) -> bool | None:
    shown = [
        row.get("step", index)
        for index, row in enumerate(rows)
        if any(isinstance(value, float) and not math.isfinite(value) for value in row.values())
    ]
    return min(right, default=None) == shown[0] if shown else None


def outcomes(folder: Path, half: str) -> list[tuple[Outcome, list[str]]]:
    """Judge all runs of a half."""
    found = []
    for part in PARTS:
        if part.half == half:
            for path in sorted(folder.glob(f"{half}-{part.trainer}-{part.release}-*.jsonl")):
                scenario = path.stem.split("-")[-2]
                found.append(outcome(path, part.source, scenario))
    return found


def summary(made: list[Outcome]) -> dict[str, Any]:
    """Return the counts that the page shows."""
    sick = [item for item in made if item.sick]
    healthy = [item for item in made if not item.sick]
    exact = [item.exact for item in made if item.exact is not None]
    delays = [item.step - item.onset for item in sick if item.step is not None]
    return {
        "faulty": len(sick),
        "found": sum(item.found for item in sick),
        "first": sum(item.first_right for item in sick),
        "healthy": len(healthy),
        "healthy_warned": sum(item.warnings > 0 for item in healthy),
        "healthy_errors": sum(item.errors > 0 for item in healthy),
        "healthy_alarms": sum(item.warnings + item.errors for item in healthy),
        "healthy_rows": sum(item.rows for item in healthy),
        "nan_shown": len(exact),
        "nan_at_its_row": sum(map(bool, exact)),
        "median_delay": median(delays) if delays else None,
    }


def main(folder: Path, half: str, name: str, *, look: bool) -> None:
    """Judge a half, and print or write what came out."""
    made = outcomes(folder, half)
    if look:
        for item, ids in made:
            flag = ("ok " if item.first_right else "FIRST" if item.found else "MISSED") if item.sick else "healthy"
            alarm = " ALARM" if not item.sick and item.warnings + item.errors else ""
            print(
                f"{flag}{alarm} {item.run} first={item.first} step={item.step} exact={item.exact}\n    {' '.join(ids)}"
            )
        print(json.dumps(summary([item for item, _ in made]), indent=1))
        return
    document: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if name in document:
        sys.exit(f"{name} has been measured; what was measured is not overwritten")
    document[name] = {
        "half": half,
        "rules": digest(),
        **summary([item for item, _ in made]),
        "runs": [asdict(item) for item, _ in made],
    }
    RESULTS.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({key: value for key, value in document[name].items() if key != "runs"}, indent=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("half")
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--look", action="store_true")
    given = parser.parse_args()
    main(given.folder, given.half, given.name, look=given.look)
