"""TRL: every trainer or callback class is a component; its methods run on one shared object."""

from __future__ import annotations

from ..settings import Settings

_TRANSFORMERS = (
    "loss",
    "grad_norm",
    "learning_rate",
    "epoch",
    "step",
    "global_step",
    "num_input_tokens_seen",
    "total_flos",
    "train_loss",
    "train_runtime",
    "train_samples_per_second",
    "train_steps_per_second",
    "train_tokens_per_second",
    "eval_loss",
    "eval_runtime",
    "eval_samples_per_second",
    "eval_steps_per_second",
    "eval_model_preparation_time",
    "eval_jit_compilation_time",
    "eval_{eval_dataset}_loss",
    "eval_{eval_dataset}_runtime",
    "eval_{eval_dataset}_samples_per_second",
    "eval_{eval_dataset}_steps_per_second",
    "{stage}_mem_{device}_{what}_delta",
    "before_init_mem_{device}",
    "init_mem_{device}_{what}_delta",
)
"""What transformers' Trainer logs on its own: its loss and step, and the totals of training and evaluation."""

_TRAINER_ATTRIBUTES = ("args", "state", "control", "accelerator", "model", "train_dataset", "eval_dataset", "optimizer")

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
        "self.rollout_worker",
    ),
    inherited={"transformers.Trainer": _TRANSFORMERS, "transformers.trainer.Trainer": _TRANSFORMERS},
    given_attributes={
        "transformers.Trainer": _TRAINER_ATTRIBUTES,
        "transformers.trainer.Trainer": _TRAINER_ATTRIBUTES,
    },
    decorators=("profiling_decorator",),
    returns_logged={"PPOTrainer.log_stats:stats": "step"},
    open_sources={
        "self.scorers": "scorer_name",
        "metrics.pop('tool_calls_by_name')": "name",
        "metrics.pop('tool_failures_by_name')": "name",
    },
    user_logs={"PPOTrainer.step": "log_stats"},
    training_entries={"training_step": ("self.model.training",)},
    message_fields={"metrics": "RolloutSample"},
    used_methods=("__iter__", "__call__", "torch_call"),
    scripts=("trl/experimental/",),
    open_parameters=("logs",),
)
