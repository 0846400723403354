"""The registry of policy losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

POLICY_LOSS_REGISTRY: dict[str, Callable[..., Any]] = {}


def register_policy_loss(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Keep a loss under a name."""

    def decorator(func: Callable[..., Any]) -> Callable[..., Any]:
        POLICY_LOSS_REGISTRY[name] = func
        return func

    return decorator


def get_policy_loss_fn(name: str) -> Callable[..., Any]:
    """Return the loss of a name."""
    return POLICY_LOSS_REGISTRY[name]


@register_policy_loss("vanilla")
def compute_policy_loss_vanilla(
    old_log_prob: Tensor,
    log_prob: Tensor,
    advantages: Tensor,
    response_mask: Tensor,
    loss_agg_mode: str = "token-mean",
    config: Any = None,
    rollout_is_weights: Tensor | None = None,
) -> tuple[Tensor, dict[str, Any]]:
    """Return an unclipped loss and no metrics."""
    return -((log_prob - old_log_prob).exp() * advantages)[response_mask].mean(), {}
