"""Advantage estimators: the inputs of metrics such as ``advantage/mean``, computed from rewards and values.

An estimator is not a metric: it keeps the shape of the batch, and its result is a constant of the update, so no
gradient flows through it. What it takes goes by the same words as everywhere (``token_rewards``, ``values``, ``mask``,
``group_ids``), sums are kept in float64, the code does not depend on values, and results come back in the
dtype of the rewards, in float32 for narrower ones. Tokens outside the mask are never read, so garbage in padding does
no harm.

==========================  ========================================================================================
:func:`gae`                 Advantages and returns by generalised advantage estimation, from a value function.
:func:`discounted_returns`  Discounted reward from each token on, as in REINFORCE++ and ReMax.
:func:`group_relative`      Reward against the other responses to the same prompt, as in GRPO, Dr. GRPO and OPO.
:func:`best_of_group`       Lead of the best response of each group, for training on pass@k.
:func:`leave_one_out`       Reward against the mean of the *other* responses to the same prompt, RLOO.
:func:`whiten`              Advantages of mean 0 and variance 1 over the mask.
:func:`per_token`           One advantage per response spread over its tokens.
==========================  ========================================================================================

Each has a counterpart of the same name in :mod:`rlmetrics.advantages.reference`, written in plain Python. torch is
imported with the first name that needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlmetrics.lazy_imports import lazily

if TYPE_CHECKING:
    from ._grouped import Alone, Std, best_of_group, group_relative, leave_one_out, per_token
    from ._temporal import Estimate, discounted_returns, gae
    from ._whiten import whiten

__all__ = [
    "Alone",
    "Estimate",
    "Std",
    "best_of_group",
    "discounted_returns",
    "gae",
    "group_relative",
    "leave_one_out",
    "per_token",
    "whiten",
]

__getattr__, __dir__ = lazily(
    globals(),
    _grouped=("Alone", "Std", "best_of_group", "group_relative", "leave_one_out", "per_token"),
    _temporal=("Estimate", "discounted_returns", "gae"),
    _whiten=("whiten",),
)
