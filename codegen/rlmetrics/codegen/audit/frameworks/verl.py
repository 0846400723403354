"""verl: the training loops log one flat dict; the key's prefix and its place say which component it belongs to."""

from __future__ import annotations

from ..settings import Settings

SETTINGS = Settings(
    framework="verl",
    package="verl",
    excluded_paths=("verl/third_party/", "verl/models/", "verl/utils/reward_score/"),
    initializers=("__init__", "init_model"),
    trackers=("Tracking",),
    not_entries=("verl/utils/",),
    by_name=True,
    not_by_name=("verl/utils/checkpoint/", "verl/tools/", "verl/interactions/"),
    plumbing_conditions=("rank", "is_logging", "is_mp_src_rank_with_outputs", "is_last_stage"),
    indirect={
        "policy_loss_fn": ("@register_policy_loss", "compute_policy_loss"),
    },
)
