"""CRC-32C (Castagnoli) of messages, masked as TensorFlow's record files do."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["masked", "masked_many"]

_MASK_DELTA = 0xA282EAD8
_FULL = 0xFFFFFFFF


@cache
def _crc() -> Callable[[bytes], int]:
    """Return a compiled CRC-32C, or where none is installed TensorBoard's own, which takes a hundred times as long."""
    try:
        import google_crc32c as library
    except ImportError:
        from tensorboard.compat.tensorflow_stub import pywrap_tensorflow

        slow: Callable[[bytes], int] = pywrap_tensorflow.crc32c
        return slow
    fast: Callable[[bytes], int] = library.value
    return fast


@lru_cache(maxsize=4096)
def masked(message: bytes) -> int:
    """Return the masked CRC of one message, such as the length of a record."""
    crc = _crc()(message)
    return ((crc >> 15 | crc << 17) + _MASK_DELTA) & _FULL


def masked_many(buffer: bytes, starts: list[int], ends: list[int]) -> NDArray[np.uint32]:
    """Return the masked CRCs of ``buffer[start:end]`` for each pair of bounds."""
    import numpy as np

    crc = _crc()
    sums = (crc(buffer[start:end]) for start, end in zip(starts, ends, strict=True))
    crcs = np.fromiter(sums, np.uint32, len(starts))
    return ((crcs >> np.uint32(15)) | (crcs << np.uint32(17))) + np.uint32(_MASK_DELTA)
