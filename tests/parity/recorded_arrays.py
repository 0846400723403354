"""The arrays of ``tests/fixtures/parity``: one compressed file holds each distinct one once."""

from __future__ import annotations

import io
import json
import lzma
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["pack", "recorded_arrays", "unpack"]

FILE = Path(__file__).resolve().parents[1] / "fixtures" / "parity" / "arrays.npz.xz"
_INDEX = "index"

Recordings = Mapping[str, Mapping[str, NDArray[np.generic]]]
"""Name of a recording, such as ``verl-inputs/mixed``, to its arrays by name."""


def recorded_arrays(recording: str) -> dict[str, NDArray[np.generic]]:
    """Return copies of the arrays of a recording by name.

    Raises:
        KeyError: There is no such recording.
    """
    return {name: array.copy() for name, array in _all()[recording].items()}


@cache
def _all() -> Recordings:
    return unpack(FILE.read_bytes())


def pack(recordings: Recordings) -> bytes:
    """Return recordings as one file: equal arrays, whatever recording they are from, stand there once."""
    index: dict[str, dict[str, str]] = {}
    places: dict[tuple[str, tuple[int, ...], bytes], str] = {}
    kept: dict[str, NDArray[np.generic]] = {}
    for recording, arrays in recordings.items():
        for name, array in arrays.items():
            place = places.setdefault((array.dtype.str, array.shape, array.tobytes()), str(len(places)))
            kept.setdefault(place, array)
            index.setdefault(recording, {})[name] = place
    stream = io.BytesIO()
    text = np.frombuffer(json.dumps(index).encode(), dtype=np.uint8)
    np.savez(stream, allow_pickle=False, **{_INDEX: text, **kept})
    return lzma.compress(stream.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def unpack(content: bytes) -> Recordings:
    """Return the recordings of a file."""
    with np.load(io.BytesIO(lzma.decompress(content)), allow_pickle=False) as stored:
        kept = {name: stored[name] for name in stored.files}
    index: dict[str, dict[str, str]] = json.loads(kept.pop(_INDEX).tobytes())
    return {recording: {name: kept[place] for name, place in places.items()} for recording, places in index.items()}
