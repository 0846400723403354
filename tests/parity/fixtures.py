"""Reads the captured numbers and tensors in ``tests/fixtures/parity``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

from .recorded_arrays import recorded_arrays

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "parity"


@dataclass(frozen=True, eq=False)
class Event:
    """One recorded return of a function of the trainer.

    Attributes:
        index: Its place in the run.
        name: The function, or the place in it.
        numbers: Scalars by path, such as ``ret|0`` or ``locals|logs|loss``.
        tensors: Arrays by name, in the dtype in which they were captured.
    """

    index: int
    name: str
    numbers: Mapping[str, float]
    tensors: Mapping[str, Tensor]

    def mask(self, name: str) -> Tensor:
        """Return a tensor of zeros and ones as a mask."""
        return self.tensors[name].bool()


def read_json(stem: str) -> dict[str, object]:
    """Return the content of ``STEM.json.gz``."""
    with gzip.open(FOLDER / f"{stem}.json.gz") as stream:
        content: dict[str, object] = json.load(stream)
    return content


@lru_cache
def read_tensors(stem: str) -> dict[str, Tensor]:
    """Return the arrays of a recording that hold numbers."""
    arrays = recorded_arrays(stem)
    return {name: torch.from_numpy(array) for name, array in arrays.items() if array.dtype.kind in "biuf"}


@lru_cache
def read_events(stem: str) -> tuple[Event, ...]:
    """Return the recorded events of a run of TRL in call order."""
    tensors = read_tensors(stem)
    rows = read_json(stem)["events"]
    assert isinstance(rows, list)
    return tuple(
        Event(
            index,
            row["name"],
            {path: float(value) for path, value in row["numbers"].items()},
            {name: tensors[entry] for name, entry in row["arrays"].items()},
        )
        for index, row in enumerate(rows)
    )
