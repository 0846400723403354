"""TRL: every trainer or callback class is a component; its methods run on one shared object."""

from __future__ import annotations

from ..settings import Settings

SETTINGS = Settings(
    framework="trl",
    package="trl",
    excluded_paths=("trl/commands/", "trl/scripts/", "trl/cli/", "trl/templates/"),
    entry_names=("log", "compute_loss", "training_step", "prediction_step", "evaluate", "train", "step", "log_stats"),
    plumbing_conditions=(
        "is_main_process",
        "is_world_process_zero",
        "process_index",
        "hasattr(self, 'state')",
        "_buffered_inputs",
        "self._step %",
    ),
    decorators=("profiling_decorator",),
    returns_logged={"PPOTrainer.log_stats:stats": "step"},
    open_parameters=("logs",),
)
