"""Keeps the tables of real trainings in docs/health.md in step with what was measured.

``python page.py [--check]``: ``judge.py`` writes the figures, this makes tables of them. ``--check`` writes nothing and
exits with 1 if the page is not what the figures say.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[4]
PAGE, RESULTS = ROOT / "docs/health.md", ROOT / "docs/results/health_trainings.json"
_BLOCK = re.compile(r"(<!-- trainings -->\n).*?(<!-- end -->)", re.S)


def page(text: str, results: Mapping[str, Any]) -> str:
    """Return the page with its tables made anew."""
    return _BLOCK.sub(lambda match: "\n".join([match[1], *_tables(results), "", match[2]]), text)


_COLUMNS = (
    "measured",
    "rules",
    "found",
    "first answer right",
    "healthy warned",
    "healthy with an error",
    "NaN at its row",
    "median delay",
)


def _tables(results: Mapping[str, Any]) -> Iterator[str]:
    yield f"| {' | '.join(_COLUMNS)} |"
    yield f"|{'---|' * len(_COLUMNS)}"
    for name, entry in results.items():
        delay = "–" if entry["median_delay"] is None else f"{entry['median_delay']:g}"
        faulty, healthy = entry["faulty"], entry["healthy"]
        cells = [
            name,
            f"`{entry['rules']}`",
            f"{entry['found']} of {faulty}",
            f"{entry['first']} of {faulty}",
            f"{entry['healthy_warned']} of {healthy}",
            f"{entry['healthy_errors']} of {healthy}",
            f"{entry['nan_at_its_row']} of {entry['nan_shown']}",
            delay,
        ]
        yield f"| {' | '.join(cells)} |"
    last = list(results.values())[-1]["rules"]
    judged = [entry for entry in results.values() if entry["rules"] == last and entry["half"] != "development"]
    by_fault: dict[str, list[Mapping[str, Any]]] = {}
    for run in (run for entry in judged for run in entry["runs"] if run["sick"]):
        by_fault.setdefault(_fault(run), []).append(run)
    yield from ["", f"By fault, runs that no rule was changed on, rules `{last}`:", ""]
    yield from ["| fault | found | first answer right | where not |", "|---|---|---|---|"]
    for fault, runs in sorted(by_fault.items()):
        missed = [f"{_trainer(run)} (says {run['first'] or 'nothing'})" for run in runs if not run["first_right"]]
        found, first = sum(run["found"] for run in runs), sum(run["first_right"] for run in runs)
        yield f"| {fault} | {found} of {len(runs)} | {first} of {len(runs)} | {', '.join(missed) or '–'} |"


def _fault(run: Mapping[str, Any]) -> str:
    return str(run["run"].split("-")[-2])


def _trainer(run: Mapping[str, Any]) -> str:
    return " ".join(run["run"].split("-")[:2])


def main() -> None:
    """Write the page, or look whether it is right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the page differs")
    check = parser.parse_args().check
    text = PAGE.read_text(encoding="utf-8")
    made = page(text, json.loads(RESULTS.read_text(encoding="utf-8")))
    if check:
        sys.exit(text != made)
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
