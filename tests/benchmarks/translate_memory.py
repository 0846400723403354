"""How much memory translating takes: ``python tests/benchmarks/translate_memory.py [POINTS] [RESULT.json]``.

Writes a run of so many points, ten million unless said otherwise, in one kind after the other, translates it in a
process of its own, and prints the most memory that this process held, in MiB, and points a second.
"""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.paired import options, report
from logs import LOGS
from rlmetrics.names import keys

SOURCE, TARGET, KEYS = "verl==0.9.1", "canonical", 40
CODE = """
import re, sys
from rlmetrics.translate import translate_file
report = translate_file(sys.argv[1], source=sys.argv[2], target=sys.argv[3], output=sys.argv[4], kind=sys.argv[5])
assert report.lost.bytes == 0
print(report.records, re.search(r"VmHWM:\\s+([0-9]+)", open("/proc/self/status").read())[1])
"""
LIMIT = 200


def main() -> int:
    """Measure, print, write the result as JSON where asked for, and return 1 if a kind takes more than its limit."""
    given = options(__doc__, 10_000_000)
    points = given.points
    names = [key.key for key in keys(SOURCE) if "{" not in key.key][:KEYS]
    draw = random.Random(7)
    result: dict[str, dict[str, int]] = {}
    for name, log in LOGS.items():
        with tempfile.TemporaryDirectory() as folder:
            path, output = Path(folder, name), Path(folder, "out")
            rows = _Rows(names, points // KEYS, draw)
            log.write(path, rows)  # type: ignore[arg-type]
            size = sum(file.stat().st_size for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file())
            begun = time.monotonic()
            command = [sys.executable, "-c", CODE, str(path), SOURCE, TARGET, str(output), log.kind]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            took = time.monotonic() - begun
            peak = int(done.stdout.split()[1]) / 1024
            result[name] = {"MiB": math.ceil(peak), "input MiB": size >> 20, "points_per_second": round(points / took)}
            print(name, json.dumps(result[name]), flush=True)
    report(result, given.result)
    return int(any(found["MiB"] > LIMIT for found in result.values()))


class _Rows:
    """Rows that are made when they are asked for, again and again the same."""

    def __init__(self, names: list[str], count: int, draw: random.Random) -> None:
        self._first = {name: repr(draw.gauss(0, 1)) for name in names}
        self._count = count
        self._values = [repr(draw.gauss(0, 1)) for _ in range(997)]

    def __iter__(self) -> Iterator[dict[str, str]]:
        names, values = list(self._first), self._values
        for step in range(self._count):
            yield {name: values[(step * 7 + place * 31) % 997] for place, name in enumerate(names)}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> dict[str, str]:
        return self._first


if __name__ == "__main__":
    raise SystemExit(main())
