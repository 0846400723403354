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
    workers={
        "actor_rollout_wg": ("ActorRolloutRefWorker", "AsyncActorRolloutRefWorker"),
        "actor_wg": ("ActorRolloutRefWorker", "AsyncActorRolloutRefWorker"),
        "rollout_wg": ("ActorRolloutRefWorker", "AsyncActorRolloutRefWorker"),
        "ref_policy_wg": ("ActorRolloutRefWorker",),
        "critic_wg": ("CriticWorker", "TrainingWorker"),
        "rm_wg": ("RewardModelWorker",),
        "training_client": ("TrainingWorker",),
    },
    not_by_name=("verl/utils/checkpoint/", "verl/tools/", "verl/interactions/"),
    plumbing_conditions=("rank", "is_logging", "is_mp_src_rank_with_outputs", "is_last_stage"),
    open_sources={"result['reward_extra_info']": "variable", "reward_extra_info": "variable"},
    impossible={
        r"actor/distillation/t_corr/.+": "the loss of bypass mode reads policy_loss from the configuration it gets, "
        "and that of distillation has none: it raises before it logs",
    },
    messages={"rollout_status": "FullyAsyncRollouter.get_statistics"},
    indirect={
        "distillation_loss_fn": ("@register_distillation_loss",),
        "policy_loss_fn": ("@register_policy_loss", "compute_policy_loss"),
    },
)
