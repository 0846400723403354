"""Runs of TRL's GRPOTrainer on the toy language."""

# pyright: reportMissingImports=false

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import planted_faults
import toy
from datasets import Dataset
from plan import Part

RATE = 1e-3
SCENARIOS: dict[str, dict[str, Any]] = {
    "healthy": {},
    "healthy_beta_zero": {"beta": 0.0},
    "healthy_two_iterations": {"num_iterations": 2, "learning_rate": 5e-4},
    "healthy_low_entropy": {"sharp": 2.0},
    "healthy_resumed": {"resumed": True},
    "healthy_thinned": {"logging_steps": 5},
    "healthy_curriculum": {"pay": "curriculum"},
    "nan_loss": {"fault": planted_faults.nan_loss},
    "nan_reward": {"pay": "nan"},
    "zero_rewards": {"pay": "zero"},
    "constant_rewards": {"pay": "constant"},
    "all_right": {"pay": "one"},
    "lr_x1000": {"learning_rate": 1000 * RATE},
    "empty_mask": {"fault": planted_faults.empty_mask},
    "wrong_mask": {"fault": planted_faults.wrong_mask},
    "reversed_advantages": {"fault": planted_faults.reversed_advantages},
    "stale_reference": {"reference": "other"},
    "stale_old_policy": {"fault": planted_faults.stale_old_policy, "num_iterations": 2},
    "cut_short": {"limit": 3},
    "never_ends": {"never_ends": True},
    "length_pays": {"pay": "length", "limit": 32},
}


def scenarios(trainer: str) -> list[str]:
    """Return the names of the runs of a trainer."""
    return list(SCENARIOS)


def train(part: Part, scenario: str, seed: int, steps: int, cache: Path) -> list[dict[str, Any]]:
    """Train and return what was logged."""
    import trl

    trainer_name = part.trainer

    given = dict(SCENARIOS[scenario])
    pay = planted_faults.Pay(given.pop("pay", "plain"))
    fault = given.pop("fault", None)
    reference, resumed = given.pop("reference", None), given.pop("resumed", False)
    made = toy.model(seed, cache, given.pop("sharp", 1.0))
    if given.pop("never_ends", False):
        planted_faults.never_ends(made)
    settings = {
        "learning_rate": RATE,
        "logging_steps": 1,
        "max_completion_length": given.pop("limit", toy.LIMIT),
        "beta": 0.02,
        "num_generations": 4,
    } | given
    words = Dataset.from_list([{"prompt": prompt} for prompt in toy.prompts(256, seed)])
    with tempfile.TemporaryDirectory() as folder:

        def trainer_of(model: Any) -> Any:
            found = getattr(trl, trainer_name)(
                model=model,
                reward_funcs=[pay],
                train_dataset=words,
                processing_class=toy.tokenizer(),
                args=getattr(trl, trainer_name.replace("Trainer", "Config"))(
                    output_dir=folder,
                    max_steps=steps,
                    per_device_train_batch_size=16,
                    report_to="none",
                    save_strategy="steps" if resumed else "no",
                    save_steps=steps // 2,
                    seed=seed,
                    use_cpu=True,
                    bf16=False,
                    disable_tqdm=True,
                    **settings,
                ),
            )
            pay.trainer = found
            if reference is not None:
                toy.noised(found.ref_model)
            return found

        trainer = trainer_of(made)
        if fault is not None:
            fault(trainer)
        trained(trainer)
        if not resumed:
            return list(trainer.state.log_history)
        again = trainer_of(toy.model(seed, cache))
        again.train(resume_from_checkpoint=f"{folder}/checkpoint-{steps // 2}")
        return [row for row in again.state.log_history if row["step"] > steps // 2]


def trained(trainer: Any) -> None:
    """Train as far as it goes; a broken run may stop itself."""
    try:
        trainer.train()
    except Exception as error:
        print(f"  stopped by {type(error).__name__}: {str(error)[:100]}", flush=True)
