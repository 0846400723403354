"""Applies a known affine conversion to what an event holds: a number, a tensor or a histogram."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rlmetrics.logs.decimals import convert_decimal, convert_float
from rlmetrics.logs.kinds.tensorboard.tensorboard_messages import ndarray_of, tensor_util
from rlmetrics.names.tables.key_records import Transform

__all__ = ["convert_value"]

_SCALARS, _HISTOGRAMS = "scalars", "histograms"


def convert_value(value: Any, transform: Transform) -> None:
    """Convert one value of a summary in place.

    Raises:
        TypeError: If it is none that a conversion makes sense for, such as an image.
    """
    import numpy as np

    kind = value.WhichOneof("value")
    if kind == "simple_value":
        value.simple_value = _converted(np.float32(value.simple_value), transform)
    elif kind == "histo":
        _convert_histogram(value.histo, transform.scale, transform.offset)
    elif kind == "tensor" and value.metadata.plugin_data.plugin_name in (_SCALARS, _HISTOGRAMS, ""):
        _convert_tensor(value, transform)
    else:
        msg = f"a value of kind {kind} can't be converted by scale {transform.scale:g}"
        raise TypeError(msg)


def _converted(number: Any, transform: Transform) -> float:
    """Convert what an array holds: the shortest decimal that stands for it in its own precision."""
    return float(convert_decimal(Decimal(str(number)), transform.scale, transform.offset))


def _convert_histogram(histogram: Any, scale: float, offset: float) -> None:
    number, total, low, high = histogram.num, histogram.sum, histogram.min, histogram.max
    ends = sorted(convert_float(end, scale, offset) for end in (low, high))
    histogram.sum_squares = scale**2 * histogram.sum_squares + 2 * scale * offset * total + offset**2 * number
    histogram.sum = scale * total + offset * number
    histogram.min, histogram.max = ends
    limits = [convert_float(limit, scale, offset) for limit in histogram.bucket_limit]
    if scale < 0 and limits:
        # A bucket is known by its right edge; turned around, that is the right edge of the one before.
        limits = [*reversed(limits[:-1]), ends[1]]
        counts = list(reversed(histogram.bucket))
        del histogram.bucket[:]
        histogram.bucket.extend(counts)
    del histogram.bucket_limit[:]
    histogram.bucket_limit.extend(limits)


def _convert_tensor(value: Any, transform: Transform) -> None:
    """Convert a scalar, or the edges of a histogram: rows of left edge, right edge and count."""
    import numpy as np

    array = ndarray_of(value.tensor)
    if array is None:
        msg = f"a tensor that can't be read can't be converted by scale {transform.scale:g}"
        raise TypeError(msg)
    if array.dtype.kind not in "fiu":
        msg = f"a tensor of {array.dtype} can't be converted by scale {transform.scale:g}"
        raise TypeError(msg)
    if value.metadata.plugin_data.plugin_name == _HISTOGRAMS:
        converted = array.copy()
        converted[:, :2] = [[_converted(edge, transform) for edge in row] for row in array[:, :2]]
        if transform.scale < 0:
            converted = converted[::-1, [1, 0, 2]]
    elif array.ndim:
        msg = f"a tensor of shape {list(array.shape)} can't be converted by scale {transform.scale:g}"
        raise TypeError(msg)
    else:
        converted = np.asarray(_converted(array[()], transform))
    value.tensor.CopyFrom(tensor_util().make_tensor_proto(converted.astype(array.dtype)))
