"""From logits, a few rows at a time."""

from __future__ import annotations

import torch
from torch import Tensor

from rlmetrics.state import ops


def log_prob(logits: Tensor, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return the log-probability of each token.

    Logits and tokens stand at the same place: logits that predict the *next* token are shifted by the caller.

    Args:
        logits: Unnormalised log-probabilities ``[B, T, V]``, float.
        tokens: Token ids ``[B, T]``, int.
        mask: Which places count ``[B, T]``, bool or int; the others are computed as if their logits were 0 and their
            token 0, so that padding may hold anything, and get no gradient.

    Returns:
        Log-probabilities in nats ``[B, T]``, in float32 or the wider dtype of the logits.

    Raises:
        TypeError: A tensor has the wrong dtype, or is none.
        ValueError: The shapes do not fit, or the tensors lie on different devices.
    """
    check_logits(logits, tokens=tokens, **_given(mask))
    return ops.log_prob(logits, tokens, None if mask is None else mask.bool())


def entropy(logits: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return the entropy of the distribution at each place.

    Args:
        logits: Unnormalised log-probabilities ``[B, T, V]``, float. Minus infinity stands for a probability of 0.
        mask: Which places count ``[B, T]``, bool or int; the others are computed as if their logits were 0, so that
            padding may hold anything, and get no gradient.

    Returns:
        Entropies in nats ``[B, T]``, in float32 or the wider dtype of the logits.

    Raises:
        TypeError: A tensor has the wrong dtype, or is none.
        ValueError: The shapes do not fit, or the tensors lie on different devices.
    """
    check_logits(logits, **_given(mask))
    return ops.entropy(logits, None if mask is None else mask.bool())


def check_ids(tokens: Tensor) -> None:
    """Check that token ids are whole numbers.

    Raises:
        TypeError: They are not.
    """
    if tokens.is_floating_point() or tokens.is_complex() or tokens.dtype == torch.bool:
        msg = f"tokens: expected an int tensor [B, T], got {tokens.dtype}"
        raise TypeError(msg)


def check_mask(mask: Tensor) -> None:
    """Check that a mask holds truth values, or integers, of which anything but 0 is true.

    Raises:
        TypeError: It holds floats, which may be weights.
    """
    if mask.is_floating_point() or mask.is_complex():
        msg = f"mask: expected a bool tensor [B, T], got {mask.dtype}; pass mask.bool() if that is what it means"
        raise TypeError(msg)


def _given(mask: Tensor | None) -> dict[str, Tensor]:
    return {} if mask is None else {"mask": mask}


def check_logits(logits: Tensor, **tensors: Tensor) -> None:
    """Check logits, and tokens and a mask beside them.

    Raises:
        TypeError: A tensor has the wrong dtype, or is none.
        ValueError: The shapes do not fit, or the tensors lie on different devices.
    """
    ops.on_one_device(logits=logits, **tensors)
    if not logits.is_floating_point():
        msg = f"logits: expected a float tensor [B, T, V], got {logits.dtype}"
        raise TypeError(msg)
    if logits.dim() != 3:
        msg = f"logits: expected 3 dimensions [B, T, V], got shape {tuple(logits.shape)}"
        raise ValueError(msg)
    for name, tensor in tensors.items():
        if tensor.shape != logits.shape[:2]:
            msg = f"{name}: expected shape {tuple(logits.shape[:2])} as in logits, got {tuple(tensor.shape)}"
            raise ValueError(msg)
        if name == "tokens":
            check_ids(tensor)
        if name == "mask":
            check_mask(tensor)
