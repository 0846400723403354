"""Reads what trackers got: the curves in their files, by name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from wandb_frames import rows as wandb_rows

__all__ = ["Series", "console", "events", "lines", "result", "timeless", "wandb"]

Series = dict[str, list[float]]


def result(folder: Path) -> dict[str, Any]:
    """Return what a run said about itself."""
    found: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return found


def events(folder: Path) -> Series:
    """Return the curves in TensorBoard's files."""
    found = EventAccumulator(str(folder), {"scalars": 0})
    found.Reload()
    return {tag: [item.value for item in found.Scalars(tag)] for tag in found.Tags()["scalars"]}


def wandb(folder: Path) -> Series:
    """Return the curves in the file of an offline run of W&B."""
    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    found: Series = {}
    for row in wandb_rows(path.read_bytes()):
        for name, texts in row.items():
            if not name.startswith("_") and list(texts) == [()]:
                found.setdefault(name, []).append(json.loads(texts[()]))
    return found


def timeless(series: Mapping[str, Any]) -> dict[str, str]:
    """Return the curves that are the same in each run, those of no clock, as text, in which NaN equals itself."""
    return {name: repr(curve) for name, curve in series.items() if not re.search("time|timing|second", name, re.I)}


def console(folder: Path) -> Series:
    """Return the curves that verl printed."""
    found: Series = {}
    for line in result(folder)["console"]:
        if line.startswith("step:"):
            for part in line.split(" - ")[1:]:
                name, _, value = part.rpartition(":")
                found.setdefault(name, []).append(float(re.sub(r"np\.\w+\((.*)\)", r"\1", value)))
    return found


def lines(folder: Path) -> Series:
    """Return the curves in verl's file of JSON lines."""
    found: Series = {}
    for line in (folder / "rows.jsonl").read_text().splitlines():
        for name, value in json.loads(line)["data"].items():
            found.setdefault(name, []).append(value)
    return found
