"""Which runs are made, which half each belongs to, and what names its ailment: fixed before any of them was made.

A run's right causes are those whose diagnoses name the fault in a check: the learning rate, the rewards, the mask, the
reference. Nothing here needs PyTorch.
"""

from __future__ import annotations

from dataclasses import dataclass

STEPS = 100
BREAKS = 40

CAUSES: dict[str, frozenset[str]] = {
    "nan_loss": frozenset({"non_finite"}),
    "nan_reward": frozenset({"non_finite"}),
    "zero_rewards": frozenset({"no_learning_signal"}),
    "constant_rewards": frozenset({"no_learning_signal"}),
    "all_right": frozenset({"no_learning_signal"}),
    "lr_x1000": frozenset(
        {"update_too_large", "gradient_pathology", "kl_explosion", "entropy_collapse", "preference_degeneration"}
    ),
    "empty_mask": frozenset({"no_learning_signal", "non_finite"}),
    "wrong_mask": frozenset({"no_learning_signal", "entropy_explosion"}),
    "reversed_advantages": frozenset({"reward_plateau"}),
    "stale_reference": frozenset({"preference_degeneration", "kl_explosion"}),
    "stale_old_policy": frozenset({"update_too_large", "engine_mismatch", "stale_rollouts"}),
    "cut_short": frozenset({"truncation"}),
    "never_ends": frozenset({"truncation"}),
    "length_pays": frozenset({"length_exploit", "truncation"}),
    "frozen": frozenset({"no_learning_signal", "preference_degeneration"}),
    "dead_critic": frozenset({"critic_failure"}),
}
ONSETS = {"nan_loss": BREAKS, "nan_reward": BREAKS}
"""Where a fault does not begin with the first step."""


@dataclass(frozen=True)
class Part:
    """A trainer at a release, and the seeds for which each of its scenarios is run."""

    trainer: str
    release: str
    seeds: tuple[int, ...]
    half: str

    @property
    def source(self) -> str:
        """Return the source that logs these runs."""
        if self.trainer == "verl":
            return f"verl=={self.release}"
        return f"trl[{self.trainer}]=={self.release}"


BLIND = (
    Part("GRPOTrainer", "1.16.0", (221,), "blind"),
    Part("DPOTrainer", "0.18.2", (222,), "blind"),
    Part("PPOTrainer", "0.11.4", (223,), "blind"),
    Part("SFTTrainer", "0.18.2", (224,), "blind"),
    Part("verl", "0.5.0", (225,), "blind"),
)
DEVELOPMENT = (
    Part("GRPOTrainer", "0.18.2", (321,), "development"),
    Part("DPOTrainer", "1.16.0", (322,), "development"),
    Part("PPOTrainer", "0.18.2", (323,), "development"),
    Part("SFTTrainer", "1.16.0", (324,), "development"),
)
FRESH = (
    Part("GRPOTrainer", "0.23.1", (422,), "fresh"),
    Part("DPOTrainer", "0.23.1", (424,), "fresh"),
    Part("SFTTrainer", "0.18.2", (426,), "fresh"),
)
PARTS = (*BLIND, *DEVELOPMENT, *FRESH)
