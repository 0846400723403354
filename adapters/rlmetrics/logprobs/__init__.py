"""Log-probabilities and entropies over a vocabulary, without anything of the size of the logits beside them.

==================================  ================================================================================
:func:`log_prob`                    Log-probability of each token, from logits ``[B, T, V]``.
:func:`entropy`                     Entropy of the next-token distribution at each token, from logits ``[B, T, V]``.
:func:`parallel_log_prob_entropy`   Both from logits whose words are split over the ranks of a process group.
:func:`head_log_prob`               The same from hidden states ``[B, T, H]`` and the head ``[V, H]``: no logits at all.
:func:`head_entropy`                The entropy from hidden states and the head.
:func:`head_log_prob_entropy`       Both in one pass, as fast as one of them.
:func:`head_statistics`             Both, with mean logits and whether each token is the most likely one.
==================================  ================================================================================

All are differentiable once. The logits of half-precision inputs are computed and reduced in float32. torch is imported
with the first name that needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlmetrics.lazy_imports import lazily

if TYPE_CHECKING:
    from ._head import HeadStatistics, head_entropy, head_log_prob, head_log_prob_entropy, head_statistics
    from ._logits import entropy, log_prob
    from ._parallel import parallel_log_prob_entropy

__all__ = [
    "HeadStatistics",
    "entropy",
    "head_entropy",
    "head_log_prob",
    "head_log_prob_entropy",
    "head_statistics",
    "log_prob",
    "parallel_log_prob_entropy",
]

__getattr__, __dir__ = lazily(
    globals(),
    _head=("HeadStatistics", "head_entropy", "head_log_prob", "head_log_prob_entropy", "head_statistics"),
    _logits=("entropy", "log_prob"),
    _parallel=("parallel_log_prob_entropy",),
)
