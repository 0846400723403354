"""What translating event files costs: ``python tests/benchmarks/translate_tensorboard.py [POINTS] [RESULT.json]``.

Prints points a second of a whole ``translate_file`` (checksums of the input verified, the output written) beside those
of TensorBoard's own ``EventAccumulator`` merely reading the same file, and exits with 1 if translating is not at least
``FACTOR`` times as fast. The jobs run in turn; the ratio is the median of the pairs, in CPU seconds.
"""

from __future__ import annotations

import struct
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.paired import compare, options, report
from rlmetrics.logs.kinds.tensorboard.scalar_events import head_of
from rlmetrics.logs.kinds.tensorboard.tfrecord import frame
from rlmetrics.names import keys
from rlmetrics.translate import translate_file

FACTOR = 4
SOURCE, TARGET = "trl[PPOTrainer]==0.7.10", "canonical"


def write(path: Path, points: int) -> None:
    """Write an event file with so many points of all scalars of the source."""
    tags = [entry.key for entry in keys(SOURCE) if "{" not in entry.key]
    heads = [head_of(tag) for tag in tags]
    with path.open("wb") as file:
        first = struct.pack("<Bd", 9, 1e9) + b"\x1a\x0dbrain.Event:2"
        file.write(frame([b""], [0], [first]))
        for step in range(1, points // len(tags) + 1):
            number = bytes([step & 0x7F | 0x80, step >> 7 & 0x7F | 0x80, step >> 14])
            event = struct.pack("<Bd", 9, 1e9 + step) + b"\x10" + number
            messages = [event + head + struct.pack("<f", step / 7 + place) for place, head in enumerate(heads)]
            file.write(frame([b""] * len(heads), list(range(len(heads))), messages))


def read(path: Path) -> None:
    """Read every point with TensorBoard."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    EventAccumulator(str(path), size_guidance={"scalars": 0, "tensors": 0, "histograms": 0}).Reload()


def main() -> int:
    """Measure, print, and tell whether translating is fast enough."""
    given = options(__doc__, 200_000)
    points = given.points
    with tempfile.TemporaryDirectory() as folder:
        path, output = Path(folder, "events.out.tfevents.1.host"), Path(folder, "translated.tfevents")
        write(path, points)
        jobs: dict[str, Callable[[], object]] = {
            "EventAccumulator": partial(read, path),
            "translate_file": partial(translate_file, path, source=SOURCE, target=TARGET, output=output, force=True),
        }
        result = compare(jobs, points, runs=3)
    report(result, given.result)
    return int(result["EventAccumulator takes times"]["translate_file"] < FACTOR)


if __name__ == "__main__":
    raise SystemExit(main())
