"""Mean 0 and variance 1 over the selected tokens."""

from __future__ import annotations

from torch import Tensor

from rlmetrics.state.ops import same_shape

from ._checks import entrance, in_dtype_of, truth


def whiten(
    advantages: Tensor, mask: Tensor, *, ddof: int = 1, epsilon: float = 1e-8, shift_mean: bool = True
) -> Tensor:
    r"""Return advantages shifted and scaled to mean 0 and variance 1 over the selected tokens of the batch.

    .. math:: \frac{A - \bar A}{\sqrt{\mathrm{var}(A) + \epsilon}}

    Args:
        advantages: Advantage of each token ``[B, T]``, float.
        mask: Which tokens count ``[B, T]``, bool or int.
        ddof: Degrees of freedom by which the number of tokens is reduced in the variance. With fewer tokens it counts
            as 0: a single token becomes 0, where frameworks stop with an error or return NaN.
        epsilon: Added to the variance, so that constant advantages become 0; 1e-8 in TRL and verl.
        shift_mean: Whether the mean is subtracted; if not, the result keeps the mean of the input.

    Returns:
        Whitened advantages ``[B, T]``, 0 outside the mask, without gradient, in the dtype of the input or float32 if
        that is wider.

    Raises:
        TypeError: A tensor has the wrong dtype.
        ValueError: The shapes differ.
    """
    same_shape(2, advantages=advantages, mask=mask)
    mask = truth(mask)
    (values,) = entrance(mask, advantages=advantages)
    count = mask.sum()
    mean = values.sum() / count.clamp(min=1)
    deviation = (values - mean).masked_fill(~mask, 0)
    variance = deviation.square().sum() / (count - ddof).clamp(min=1)
    result = deviation * (variance + epsilon).rsqrt()
    if not shift_mean:
        result = result + mean
    return in_dtype_of(advantages, result.masked_fill(~mask, 0))
