"""Rows as frameworks on top of TRL log them."""

from __future__ import annotations

from typing import Any

_OF_TRANSFORMERS = {"loss": 1.2, "grad_norm": 0.4, "learning_rate": 1e-6, "epoch": 0.1}
_OF_SWIFT = {
    "epoch": 0.1,
    "global_step/max_steps": "10/438",
    "elapsed_time": "1m 2s",
    "remaining_time": "2h 3m",
    "memory(GiB)": 31.25,
    "train_speed(s/it)": 6.25,
}
_OF_GRPO = {
    "reward": 0.5,
    "reward_std": 0.2,
    "rewards/accuracy/mean": 0.5,
    "rewards/accuracy/std": 0.2,
    "completions/mean_length": 120.5,
    "completions/min_length": 12.0,
    "completions/max_length": 256.0,
    "completions/clipped_ratio": 0.1,
    "frac_reward_zero_std": 0.25,
    "kl": 0.01,
    "clip_ratio/low_mean": 0.0,
    "clip_ratio/low_min": 0.0,
    "clip_ratio/high_mean": 0.0,
    "clip_ratio/high_max": 0.0,
    "clip_ratio/region_mean": 0.0,
}
ROWS: dict[str, dict[str, Any]] = {
    "ms-swift[GRPOTrainer]": {**_OF_TRANSFORMERS, **_OF_GRPO, **_OF_SWIFT, "rollout_correction/chi2_seq": 0.01},
    "ms-swift[Seq2SeqTrainer]": {**_OF_TRANSFORMERS, **_OF_SWIFT, "token_acc": 0.8},
    "axolotl[AxolotlTrainer]": {
        **_OF_TRANSFORMERS,
        "ppl": 3.32,
        "memory/max_active (GiB)": 12.5,
        "memory/max_allocated (GiB)": 12.5,
        "memory/device_reserved (GiB)": 14.0,
        "tokens/train_per_sec_per_gpu": 1234.5,
        "tokens/trainable": 4096,
        "tokens/total": 8192,
    },
    "llamafactory[CustomSeq2SeqTrainer]": {
        "current_steps": 10,
        "total_steps": 438,
        "loss": 1.2,
        "lr": 1e-6,
        "epoch": 0.1,
        "percentage": 2.28,
        "elapsed_time": "0:01:02",
        "remaining_time": "0:44:00",
    },
    "unsloth[GRPOTrainer]": {**_OF_TRANSFORMERS, **_OF_GRPO, "completion_length": 118.5, "num_tokens": 1000.0},
}
"""By the framework and trainer that logs them."""
