"""What generated code calls: masked reductions with static shapes, no synchronisation, safe gradients.

Shapes: token ``[B, T]``, vocab ``[B, T, V]``, sequence ``[B]``. A population is a boolean tensor of the domain of what
it selects from; without one, every element counts. What a population leaves out is replaced before it is reduced, so
NaN or infinity in padding reaches neither the value nor the gradient. Sums are kept in float64.

Group values have the static shape ``[B]``: one place for every group that a batch of B sequences could have, in
ascending order of group id; :func:`group_exists` tells which places are taken.
"""

from __future__ import annotations

from ._chunks import argmax_equals, entropy, in_chunks, log_prob, logsumexp, row_entropy, row_log_prob
from ._finalize import (
    correlation,
    covariance,
    histogram_result,
    last_value,
    mean_of,
    or_nan,
    quantile,
    standard_deviation,
    unless_empty,
    value_at_max,
    variance,
)
from ._groups import (
    group_count,
    group_exists,
    group_index,
    group_max,
    group_mean,
    group_min,
    group_std,
    group_sum,
    group_var,
    pad_groups,
    per_sequence,
)
from ._inputs import (
    as_float,
    choose,
    masked,
    on_one_device,
    per_token,
    per_vocab,
    same_rows,
    same_shape,
    scalar,
    wide_dtype,
)
from ._reduce import at_max, comoments, count, histogram, kept, largest, last, moments, number_of, smallest, total
from ._sequences import (
    seq_all,
    seq_any,
    seq_count,
    seq_first,
    seq_last,
    seq_max,
    seq_mean,
    seq_min,
    seq_sum,
)

__all__ = [
    "argmax_equals",
    "as_float",
    "at_max",
    "choose",
    "comoments",
    "correlation",
    "count",
    "covariance",
    "entropy",
    "group_count",
    "group_exists",
    "group_index",
    "group_max",
    "group_mean",
    "group_min",
    "group_std",
    "group_sum",
    "group_var",
    "histogram",
    "histogram_result",
    "in_chunks",
    "kept",
    "largest",
    "last",
    "last_value",
    "log_prob",
    "logsumexp",
    "masked",
    "mean_of",
    "moments",
    "number_of",
    "on_one_device",
    "or_nan",
    "pad_groups",
    "per_sequence",
    "per_token",
    "per_vocab",
    "quantile",
    "row_entropy",
    "row_log_prob",
    "same_rows",
    "same_shape",
    "scalar",
    "seq_all",
    "seq_any",
    "seq_count",
    "seq_first",
    "seq_last",
    "seq_max",
    "seq_mean",
    "seq_min",
    "seq_sum",
    "smallest",
    "standard_deviation",
    "total",
    "unless_empty",
    "value_at_max",
    "variance",
    "wide_dtype",
]
