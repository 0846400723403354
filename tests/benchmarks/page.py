"""Keep the tables of docs/speed.md and of its translation in step with the figures in docs/benchmarks.

    python tests/benchmarks/page.py [--check]

Each script writes its figures with ``--write``; this one makes tables of them. ``--check`` writes nothing, and exits
with 1 if a page is not what the figures say.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = (DOCS / "speed.md", DOCS / "zh" / "speed.md")
_BLOCK = re.compile(r"(<!-- figures: (?P<claim>\w+) -->\n).*?(<!-- end -->)", re.S)


def page(text: str) -> str:
    """Return the page with its tables made anew."""
    return _BLOCK.sub(lambda match: f"{match[1]}{_section(match['claim'])}{match[3]}", text)


def _section(claim: str) -> str:
    """Return the table of a claim, and of what it is; an empty line where nobody measured it yet."""
    path = DOCS / "benchmarks" / f"{claim}.json"
    if not path.exists():
        return "\n"
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    lines = ["", *_tables(document["results"]), "", _measured(claim, document["machine"]), ""]
    return "\n".join([*lines, ""])


def _measured(claim: str, machine: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    threads = "1 thread" if machine["threads"] == 1 else f"{machine['threads']} threads"
    load = machine["load"][0]
    commit = f", commit {machine['commit']}" if machine.get("commit") else ""
    return (
        f"[{claim}.json](benchmarks/{claim}.json): {machine['date']}{commit}, {machine['processor']}, "
        f"{machine['cores']} cores, "
        f"{threads}, {machine['device']}, Python {machine['python']}, {versions}; load of the machine {load}."
    )


def _tables(results: Mapping[str, Any]) -> Iterator[str]:
    if all("ways" in entry for entry in results.values()):
        yield from ["| The same numbers from | Way | Time | Times the first |", "|---|---|---|---|"]
        for title, entry in results.items():
            numbers = f", {entry['numbers']} numbers" if "numbers" in entry else ""
            for place, (way, figures) in enumerate(entry["ways"].items()):
                yield f"| {'' if place else title + numbers} | {way} | {_time(figures['us'])} | {_factor(figures)} |"
    else:
        rows = [row for title, entry in results.items() for row in _rows(title, entry)]
        columns = list(dict.fromkeys(name for _, figures in rows for name in figures))
        yield f"| What | {' | '.join(columns)} |"
        yield f"|---|{'---|' * len(columns)}"
        for title, figures in rows:
            yield f"| {title} | {' | '.join(str(figures.get(name, '')) for name in columns)} |"


def _rows(title: str, entry: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Yield the figures of an entry; those of several ways on a line each."""
    if all(isinstance(figures, dict) for figures in entry.values()):
        yield from ((f"{title}: {way}", figures) for way, figures in entry.items())
    else:
        yield title, entry


def _time(microseconds: float) -> str:
    return f"{microseconds:.0f} µs" if microseconds < 10_000 else f"{microseconds / 1000:.0f} ms"


def _factor(figures: Mapping[str, float]) -> str:
    return f"{figures['ratio']:.2f}" if figures["ratio"] < 10 else f"{figures['ratio']:.0f}"


def main() -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a page differs")
    check = parser.parse_args().check
    differs = False
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        made = page(text)
        if not check:
            path.write_text(made, encoding="utf-8")
        elif made != text:
            differs = True
            print(f"{path}: the tables differ from the figures; run tests/benchmarks/page.py", file=sys.stderr)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
