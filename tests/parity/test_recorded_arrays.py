"""Arrays of recordings come back as they were, and equal ones are kept once."""

from __future__ import annotations

import numpy as np
import pytest
from parity.recorded_arrays import pack, recorded_arrays, unpack


def test_arrays_come_back_as_they_were() -> None:
    """With dtypes, shapes and the bits of NaN, under the names of their recordings; a longer list costs little."""
    odd = np.array([np.nan, -0.0, np.inf], dtype=np.float32)
    noise = np.random.default_rng(1).random(4000)
    recordings = {"one": {"a": odd, "b": noise}, "two": {"a": np.array(["x", "yz"]), "c": noise.copy(), "d": noise > 2}}

    content = pack(recordings)

    found = unpack(content)
    assert {name: list(arrays) for name, arrays in found.items()} == {"one": ["a", "b"], "two": ["a", "c", "d"]}
    for name, arrays in recordings.items():
        for place, array in arrays.items():
            back = found[name][place]
            assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert len(content) < 1.1 * len(pack({"one": recordings["one"]}))


def test_a_recording_that_is_not_there_is_an_error() -> None:
    """Named as it was asked for."""
    with pytest.raises(KeyError, match="no-such-run"):
        recorded_arrays("no-such-run")
