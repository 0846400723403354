"""verl: the training loops log one flat dict; the key's prefix and its place say which component it belongs to."""

from __future__ import annotations

import re

from ..settings import Ignored, Settings

_COMPONENTS: tuple[tuple[str, str], ...] = (
    (r"(actor/)?distillation/.*", "distillation"),
    (r"(actor/)?(rollout_corr|mismatch)/.*|training/rollout_(probs|actor_probs)_.*", "rollout_correction"),
    (r"((actor|critic)/)?perf/.*|mfu/.*|checkpoint_engine/.*", "throughput"),
    (r"critic/(score|rewards|advantages|returns|values)/.*|critic/vf_explained_var", "data"),
    (r"critic/kl(_coeff)?|actor/.*", "actor"),
    (r"critic/.*", "critic"),
    (r"timing(_s|_per_token_ms)?/.*|rollouter/.*", "timing"),
    (r"val(-core|-aux)?/.*", "validation"),
    (r"(fully_async|dynamic_resource)/.*", "fully_async"),
    (r"moe/.*", "veomni_engine"),
    (r"training/num_turns/.*", "data"),
    (r"(training|separate_async)/.*", "training"),
)
"""Which component of the spec a key belongs to; the first pattern that matches decides, and the rest is data."""


def component(key: str, path: str, owner: str) -> str:
    """Return the component of a key: all that a trainer of supervised fine-tuning logs itself is ``sft``."""
    found = next((name for pattern, name in _COMPONENTS if re.fullmatch(pattern, key)), "data")
    return "sft" if "SFT" in owner and found != "veomni_engine" else found


SETTINGS = Settings(
    framework="verl",
    package="verl",
    excluded_paths=("verl/third_party/", "verl/models/", "verl/utils/reward_score/"),
    initializers=("__init__", "init_model"),
    component=component,
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
    plumbing_conditions=("rank", "is_logging", "is_mp_src_rank_with_outputs", "is_last_stage", "isinstance(value"),
    open_sources={"result['reward_extra_info']": "variable", "reward_extra_info": "variable"},
    impossible={
        r"actor/distillation/t_corr/.+": "bypass mode's loss reads policy_loss from the configuration it is given, and "
        "that of distillation has none: it raises before it logs",
    },
    ignored=(
        Ignored(
            "verl/experimental/separation/ray_trainer.py",
            "SeparateRayPPOTrainer._fit_postprocess_step",
            "the fully asynchronous rollouter inherits the end of a trainer's step and never takes one",
        ),
        Ignored(
            "verl/utils/torch_functional.py",
            "allgather_dict_into_dict",
            "what other ranks measured has the keys of what this rank did, which are followed; a forward pass without "
            "a loss function is given nothing to gather",
        ),
        Ignored(
            "verl/experimental/separation/ray_trainer.py",
            "SeparateRayPPOTrainer._fit_generate",
            "the timings of two batches that were generated together: those of a single batch, which are followed",
        ),
    ),
    returned={
        "MoERouterMonitor.compute_metrics": (
            "moe/expert_load_heatmap",
            *(f"moe/{kind}_vio/{part}" for kind in ("max", "min", "avg") for part in ("layer_{layer}", "max", "avg")),
        )
    },
    writers={"track_mtp_metrics": ("mtp_{layer} loss",)},
    messages={"rollout_status": "FullyAsyncRollouter.get_statistics"},
    indirect={
        "distillation_loss_fn": ("@register_distillation_loss",),
        "policy_loss_fn": ("@register_policy_loss", "compute_policy_loss"),
    },
)
