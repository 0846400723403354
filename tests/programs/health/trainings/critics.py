"""Runs of TRL's two PPOTrainers on the toy language: the one with ``step`` (to 0.11) and the one with ``train``."""

# pyright: reportMissingImports=false

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import planted_faults
import torch
import toy
from datasets import Dataset
from online import trained
from plan import Part
from transformers import LlamaForSequenceClassification, set_seed

RATE = 3e-4
SCENARIOS: dict[str, dict[str, Any]] = {
    "healthy": {},
    "healthy_no_penalty": {"penalty": 0.0},
    "healthy_one_epoch": {"epochs": 1},
    "healthy_low_entropy": {"sharp": 2.0},
    "healthy_curriculum": {"pay": "curriculum"},
    "nan_reward": {"pay": "nan"},
    "nan_loss": {"nan_loss": True},
    "zero_rewards": {"pay": "zero", "penalty": 0.0},
    "constant_rewards": {"pay": "constant", "penalty": 0.0},
    "lr_x1000": {"learning_rate": 1000 * RATE},
    "stale_reference": {"reference": "other"},
    "never_ends": {"never_ends": True},
    "dead_critic": {"dead_critic": True},
}


class Judge(torch.nn.Module):
    """A reward model that is a rule: what its backbone passes on is the texts themselves."""

    base_model_prefix = "backbone"

    def __init__(self, pay: planted_faults.Pay) -> None:
        super().__init__()
        self.pay = pay
        self.backbone = self._texts

    def _texts(self, input_ids: torch.Tensor, **_: Any) -> SimpleNamespace:
        return SimpleNamespace(hidden_states=[input_ids])

    def score(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the reward of each text at each of its tokens."""
        earned = [self.pay.one("".join(toy.LETTERS[at - 4] for at in row[3:].tolist() if at >= 4)) for row in ids]
        return torch.tensor(earned)[:, None, None].expand(-1, ids.shape[1], 1)


def scenarios(trainer: str) -> list[str]:
    """Return the names of the runs of a trainer."""
    return list(SCENARIOS)


def train(part: Part, scenario: str, seed: int, steps: int, cache: Path) -> list[dict[str, Any]]:
    """Train and return what was logged."""
    given = {"pay": "plain", "penalty": 0.05, "epochs": 2, "learning_rate": RATE, "sharp": 1.0} | SCENARIOS[scenario]
    policy = toy.model(seed, cache, given["sharp"])
    reference = toy.model(seed, cache, given["sharp"])
    if given.get("reference"):
        toy.noised(reference)
    if given.get("never_ends"):
        planted_faults.never_ends(policy)
    run = _stepwise if part.release.startswith("0.11") else _looped
    return run(given, policy, reference, seed, steps, cache)


def _looped(given: dict[str, Any], policy: Any, reference: Any, seed: int, steps: int, _: Path) -> list[dict[str, Any]]:
    from trl import PPOConfig, PPOTrainer

    pay = planted_faults.Pay(given["pay"])
    names = toy.tokenizer()
    set_seed(seed)
    critic = LlamaForSequenceClassification(_one_label())
    critic.model.load_state_dict(policy.model.state_dict())
    if given.get("dead_critic"):
        for parameter in critic.parameters():
            parameter.requires_grad_(False)
    rows = Dataset.from_list([{"input_ids": names(prompt)["input_ids"]} for prompt in toy.prompts(256, seed)])
    with tempfile.TemporaryDirectory() as folder:
        trainer = PPOTrainer(
            args=PPOConfig(
                output_dir=folder,
                per_device_train_batch_size=16,
                num_mini_batches=2,
                num_ppo_epochs=given["epochs"],
                total_episodes=16 * steps,
                response_length=toy.LIMIT,
                stop_token="eos",
                learning_rate=given["learning_rate"],
                kl_coef=given["penalty"],
                num_sample_generations=0,
                local_rollout_forward_batch_size=16,
                report_to="none",
                save_strategy="no",
                seed=seed,
                use_cpu=True,
                bf16=False,
                disable_tqdm=True,
            ),
            processing_class=names,
            model=policy,
            ref_model=reference,
            reward_model=Judge(pay),
            value_model=critic,
            train_dataset=rows,
            eval_dataset=rows.select(range(16)),
            data_collator=lambda batch: {"input_ids": torch.tensor([row["input_ids"] for row in batch])},
        )
        pay.trainer = trainer
        if given.get("nan_loss"):
            plain = trainer.accelerator.backward
            trainer.accelerator.backward = lambda loss, **options: plain(
                loss * math.nan if trainer.state.global_step == planted_faults.BREAKS else loss, **options
            )
        trained(trainer)
        return list(trainer.state.log_history)


def _one_label() -> Any:
    found = toy.config()
    found.num_labels = 1
    return found


def _stepwise(
    given: dict[str, Any], policy: Any, reference: Any, seed: int, steps: int, _: Path
) -> list[dict[str, Any]]:
    from trl import AutoModelForCausalLMWithValueHead, PPOConfig, PPOTrainer

    pay = planted_faults.Pay(given["pay"])
    names = toy.tokenizer()
    set_seed(seed)
    trainer = PPOTrainer(
        PPOConfig(
            learning_rate=given["learning_rate"],
            batch_size=16,
            mini_batch_size=8,
            ppo_epochs=given["epochs"],
            init_kl_coef=given["penalty"],
            adap_kl_ctrl=given["penalty"] > 0,
            seed=seed,
        ),
        AutoModelForCausalLMWithValueHead.from_pretrained(policy),
        AutoModelForCausalLMWithValueHead.from_pretrained(reference),
        names,
    )
    if given.get("dead_critic"):
        for parameter in trainer.model.v_head.parameters():
            torch.nn.init.zeros_(parameter)
            parameter.requires_grad_(False)
    rows: list[dict[str, Any]] = []
    trainer.accelerator.log = lambda logs, **_: rows.append(_numbers(logs))
    pay.trainer = SimpleNamespace(state=SimpleNamespace(global_step=0))
    prompts = toy.prompts(16 * steps, seed)
    if given.get("nan_loss"):
        plain = trainer.accelerator.backward
        trainer.accelerator.backward = lambda loss, **options: plain(
            loss * math.nan if pay.step == planted_faults.BREAKS else loss, **options
        )
    try:
        for step in range(steps):
            pay.trainer.state.global_step = step
            queries = [torch.tensor(names(prompt)["input_ids"]) for prompt in prompts[16 * step : 16 * step + 16]]
            responses = trainer.generate(
                queries,
                return_prompt=False,
                max_new_tokens=toy.LIMIT,
                do_sample=True,
                top_k=0,
                top_p=1.0,
                pad_token_id=toy.PAD,
                eos_token_id=toy.EOS,
            )
            texts = [names.decode(response, skip_special_tokens=True) for response in responses]
            scores = [torch.tensor(pay.one(text)) for text in texts]
            stats = trainer.step(queries, responses, scores)
            trainer.log_stats(stats, {"query": queries, "response": texts}, scores)
    except Exception as error:
        print(f"  stopped by {type(error).__name__}: {str(error)[:100]}", flush=True)
    return rows


def _numbers(logs: dict[str, Any]) -> dict[str, Any]:
    """Keep what is one number; histograms and texts are left out."""
    found = {}
    for key, value in logs.items():
        size = math.prod(getattr(value, "shape", ()))
        if isinstance(value, int | float | np.generic | np.ndarray | torch.Tensor) and size == 1:
            found[key] = float(value)
    return found
