"""Inputs beside responses and policies: pairs token by token, counts, times and shares that hang together.

What is a part of something is never more than it: failed tool calls are tool calls, and time that computed is time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

__all__ = ["side_inputs"]

_PARTS = 6
"""Numbers in a list that is not of responses, such as one for each process or event."""


def side_inputs(
    draws: Random, lengths: Sequence[int], limit: int, pairs: Mapping[str, Sequence[float]]
) -> Mapping[str, Any]:
    """Return inputs by name.

    Args:
        draws: What they are drawn from.
        lengths: Tokens of each response.
        limit: The most tokens that a response can have.
        pairs: Log-probabilities of whole responses of a pair, as ``chosen_logprobs``.
    """
    rows = len(lengths)

    def reals(low: float, high: float, count: int = rows) -> list[float]:
        return [draws.uniform(low, high) for _ in range(count)]

    def wholes(low: int, high: int, count: int = rows) -> list[int]:
        return [draws.randint(low, high) for _ in range(count)]

    def flags(share: float = 0.6) -> list[bool]:
        return [draws.random() < share for _ in range(rows)]

    def below(tops: Sequence[int], least: int = 0) -> list[int]:
        return [draws.randint(min(least, top), top) for top in tops]

    def under(tops: Sequence[float]) -> list[float]:
        return [draws.uniform(0, top) for top in tops]

    def tokens(low: float, high: float) -> list[list[float]]:
        return [reals(low, high, limit) for _ in range(rows)]

    def token_flags() -> list[list[bool]]:
        return [[draws.random() < 0.6 for _ in range(limit)] for _ in range(rows)]

    calls, drafted, turns = wholes(0, 3), wholes(4, 9), wholes(2, 7)
    transitions = [max(turn - 1, 1) for turn in turns]
    forks, drift = below(transitions), wholes(0, 5)
    oldest, feedback = wholes(3, 6), flags()
    step_times, allocated, version_times = reals(4, 9, _PARTS), reals(4, 9, _PARTS), reals(4, 9, _PARTS)
    is_busy = draws.random() < 0.3  # all the time
    slots, transferred, row_tokens = wholes(4, 9, _PARTS), wholes(50, 90, _PARTS), wholes(2, limit, _PARTS)
    labels = [[-draws.expovariate(1) for _ in range(limit)] for _ in range(rows)]
    denoised = [[-draws.expovariate(1) for _ in range(limit)] for _ in range(rows)]
    return {
        **_pair_tokens(draws, limit, pairs),
        # Counts of responses and conversations.
        "prompt_lengths": wholes(3, 9),
        "trained_tokens": [*lengths],
        "tool_calls": calls,
        "tool_failures": below(calls),
        "unknown_tool_calls": below(calls),
        "calls_per_message": wholes(1, 3, _PARTS),
        "turns": turns,
        "model_turns": wholes(1, 4),
        "training_sequences": wholes(1, 3),
        "turn_transitions": transitions,
        "turn_forks": forks,
        "turn_realignments": below([all_ - part for all_, part in zip(transitions, forks, strict=True)]),
        "drift_tokens": drift,
        "largest_drift": below(drift),
        "loop_exhausted": flags(),
        "accepted_draft_tokens": below(drafted, 1),
        "drafted_tokens": drafted,
        "verify_steps": wholes(1, 4),
        "oldest_version": oldest,
        "newest_version": [version + draws.randint(0, 2) for version in oldest],
        "evicted_spans": reals(2, 5, _PARTS),
        "episode_lengths": wholes(1, 9),
        "episode_returns": reals(-1, 2),
        "successes": flags(),
        "tokens": [wholes(0, 3, limit) for _ in range(rows)],
        # Validation, and what judges say.
        "sample_values": reals(0, 1),
        "solved": flags(),
        "answers": wholes(0, 2),
        "matches_before": [float(flag) for flag in flags()],
        "matches_after": [float(flag) for flag in flags()],
        "judged_wins": flags(),
        "win_probabilities": reals(0.05, 0.95),
        "opponent_scores": reals(-1, 2),
        "own_scores": reals(-1, 2),
        # Distillation and selection.
        "optimal_values": reals(0, 1),
        "has_solution": flags(),
        "has_feedback": feedback,
        "uses_feedback": [flag and draws.random() < 0.7 for flag in feedback],
        "kept_tokens": token_flags(),
        "penalised_tokens": token_flags(),
        "of_teacher": token_flags(),
        "position_weights": tokens(1, 3),
        "distillation_losses": tokens(0, 2),
        "student_mass": tokens(0.2, 0.99),
        "teacher_mass": tokens(0.5, 0.99),
        "overlap_counts": [wholes(0, 4, limit) for _ in range(rows)],
        "overlap_advantages": tokens(-1, 0),
        "multi_token_logprobs": tokens(-4, 0),
        "step_label_logprobs": labels,
        "step_is_right": [[x > -math.log(2) for x in row] for row in labels],
        "step_mask": token_flags(),
        "desirable": [row % 2 == 0 for row in range(rows)],
        "image_advantages": reals(-1, 1),
        "denoising_logprobs": denoised,
        "old_denoising_logprobs": [[x + draws.gauss(0, 0.05) for x in row] for row in denoised],
        # The machine: tokens, times, operations.
        "rank_tokens": wholes(20, 40, _PARTS),
        "chunk_tokens": wholes(20, 40, _PARTS),
        "row_tokens": row_tokens,
        "row_sequence_tokens": [count + draws.randint(0, 3) for count in row_tokens],
        "row_samples": wholes(1, 4, _PARTS),
        "row_costs": reals(4, 60, _PARTS),
        "expert_assignments": wholes(0, 9, _PARTS),
        "layer_violations": reals(0.1, 1, _PARTS),
        "event_seconds": reals(0.1, 2, _PARTS),
        "generation_seconds": reals(1, 4),
        "tool_seconds": reals(0, 2),
        "score_seconds": reals(0, 1),
        "step_seconds": draws.uniform(8, 12),
        "stage_seconds": draws.uniform(1, 4),
        "run_seconds": draws.uniform(50, 90),
        "finished": draws.randint(20, 400),
        "step_times": step_times,
        "wait_times": under(step_times),
        "allocated_times": allocated,
        "compute_times": under(allocated),
        "version_times": version_times,
        "active_times": version_times if is_busy else under(version_times),
        "interval_seconds": reals(0.1, 2, _PARTS),
        "request_slots": slots,
        "active_requests": below(slots),
        "train_utilisation": draws.uniform(0.2, 0.9),
        "rollout_utilisation": draws.uniform(0.2, 0.9),
        "lent_fraction": draws.uniform(0, 0.5),
        "model_flops": reals(1e12, 3e12, _PARTS),
        "transferred_weights": transferred,
        "changed_weights": below(transferred),
        "sent_bytes": wholes(100, 900, _PARTS),
        # Numbers of optimizer steps and parts.
        "learning_rate": draws.uniform(1e-6, 1e-5),
        "critic_learning_rate": draws.uniform(1e-6, 1e-5),
        "critic_loss": draws.uniform(0.1, 1),
        "critic_gradient_norm": draws.uniform(0.1, 1),
        "kl_coefficient": draws.uniform(0.01, 0.2),
        "ratio_means": reals(0.9, 1.1, _PARTS),
        "part_losses": reals(0.1, 2, _PARTS),
        "part_weights": reals(0.1, 1, _PARTS),
        "step_losses": reals(0.1, 2, _PARTS),
        "batch_mean_rewards": reals(-1, 2, _PARTS),
        "user_values": reals(-1, 2, _PARTS),
    }


def _pair_tokens(draws: Random, limit: int, pairs: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Return the responses of pairs token by token; their log-probabilities add up to those of the whole responses."""
    found: dict[str, Any] = {}
    for side in ("chosen", "rejected", "gold"):
        whole = pairs[f"{'chosen' if side == 'gold' else side}_logprobs"]
        lengths = [draws.randint(1, limit) for _ in whole]
        logprobs = [[total / length] * limit for total, length in zip(whole, lengths, strict=True)]
        found |= {
            f"{side}_lengths": lengths,
            f"{side}_mask": [[t < length for t in range(limit)] for length in lengths],
            f"{side}_token_logprobs": logprobs,
            f"{side}_log_square_sums": logprobs,
            f"{side}_mean_logits": [[draws.gauss(0, 1) for _ in range(limit)] for _ in whole],
            f"{side}_is_top1": [[draws.random() < 0.6 for _ in range(limit)] for _ in whole],
        }
    found["mean_logits"] = [[draws.gauss(0, 1) for _ in range(limit)] for _ in pairs["chosen_logprobs"]]
    return found
