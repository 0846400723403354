"""Runs of TRL's DPOTrainer and SFTTrainer on the toy language."""

# pyright: reportMissingImports=false

from __future__ import annotations

import random
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import planted_faults
import toy
from datasets import Dataset
from online import trained
from plan import Part

DPO_RATE, SFT_RATE = 5e-4, 1e-3
DPO: dict[str, dict[str, Any]] = {
    "healthy": {},
    "healthy_beta": {"beta": 0.5, "learning_rate": 2e-4},
    "healthy_slow": {"learning_rate": 1e-4},
    "healthy_low_entropy": {"sharp": 2.0, "learning_rate": 2e-4},
    "healthy_resumed": {"resumed": True},
    "healthy_thinned": {"logging_steps": 5},
    "nan_loss": {"fault": planted_faults.nan_loss},
    "lr_x1000": {"learning_rate": 1000 * DPO_RATE},
    "empty_mask": {"fault": partial(planted_faults.masked_labels, names=("completion_mask", "labels"), value=0)},
    "stale_reference": {"reference": "other"},
    "frozen": {"learning_rate": 0.0},
}
SFT: dict[str, dict[str, Any]] = {
    "healthy": {},
    "healthy_slow": {"learning_rate": 1e-4},
    "healthy_low_entropy": {"sharp": 2.0},
    "healthy_resumed": {"resumed": True},
    "healthy_thinned": {"logging_steps": 5},
    "nan_loss": {"fault": planted_faults.nan_loss},
    "lr_x1000": {"learning_rate": 1000 * SFT_RATE},
    "empty_mask": {"fault": partial(planted_faults.masked_labels, names=("labels",), value=-100)},
    "frozen": {"learning_rate": 0.0},
}


def pairs(seed: int) -> Dataset:
    """Return pairs of texts, of which the preferred one has more good letters."""
    drawn = random.Random(f"pairs {seed}")
    return Dataset.from_list(
        [
            {"prompt": prompt, "chosen": toy.text(drawn, 0.6), "rejected": toy.text(drawn, 0.2)}
            for prompt in toy.prompts(512, seed)
        ]
    )


def texts(seed: int) -> Dataset:
    """Return texts with more good letters than those that the model knows."""
    drawn = random.Random(f"texts {seed}")
    return Dataset.from_list([{"text": prompt + toy.text(drawn, 0.8)} for prompt in toy.prompts(1024, seed)])


def scenarios(trainer: str) -> list[str]:
    """Return the names of the runs of a trainer."""
    return list(DPO if trainer == "DPOTrainer" else SFT)


def train(part: Part, scenario: str, seed: int, steps: int, cache: Path) -> list[dict[str, Any]]:
    """Train and return what was logged."""
    import trl

    trainer_name = part.trainer

    is_dpo = trainer_name == "DPOTrainer"
    given = dict((DPO if is_dpo else SFT)[scenario])
    fault, resumed = given.pop("fault", None), given.pop("resumed", False)
    other, sharp = given.pop("reference", None), given.pop("sharp", 1.0)
    settings = {"learning_rate": DPO_RATE if is_dpo else SFT_RATE, "logging_steps": 1} | given
    if is_dpo:
        settings.setdefault("beta", 0.1)
    with tempfile.TemporaryDirectory() as folder:

        def trainer_of() -> Any:
            options: dict[str, Any] = {}
            if is_dpo:
                reference = toy.model(seed, cache, sharp)
                options["ref_model"] = toy.noised(reference) if other else reference
            found = getattr(trl, trainer_name)(
                model=toy.model(seed, cache, sharp),
                train_dataset=pairs(seed) if is_dpo else texts(seed),
                processing_class=toy.tokenizer("left" if is_dpo else "right"),
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
                **options,
            )
            if fault is not None:
                fault(found)
            return found

        trainer = trainer_of()
        trained(trainer)
        if not resumed:
            return list(trainer.state.log_history)
        again = trainer_of()
        again.train(resume_from_checkpoint=f"{folder}/checkpoint-{steps // 2}")
        return [row for row in again.state.log_history if row["step"] > steps // 2]
