"""Runs of verl's own actor update, advantages and metrics on the toy language, on a CPU and without Ray.

verl's trainer itself needs Ray workers and a rollout engine. This loop stands in for both: texts are sampled with
transformers, and each step calls, in the order of verl's trainer, its ``compute_log_prob``, ``compute_advantage``,
``update_policy``, ``compute_data_metrics``, ``compute_timing_metrics`` and ``reduce_metrics``.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import planted_faults
import torch
import toy
from plan import Part

RATE = 1e-3
SCENARIOS: dict[str, dict[str, Any]] = {
    "healthy": {},
    "healthy_no_reference": {"reference": None},
    "healthy_two_epochs": {"epochs": 2, "rate": 5e-4},
    "healthy_low_entropy": {"sharp": 2.0},
    "healthy_thinned": {"every": 5},
    "healthy_curriculum": {"pay": "curriculum"},
    "nan_loss": {"nan_loss": True},
    "nan_reward": {"pay": "nan"},
    "zero_rewards": {"pay": "zero"},
    "constant_rewards": {"pay": "constant"},
    "all_right": {"pay": "one"},
    "lr_x1000": {"rate": 1000 * RATE},
    "empty_mask": {"mask": "empty"},
    "wrong_mask": {"mask": "wrong"},
    "reversed_advantages": {"sign": -1},
    "stale_reference": {"reference": "other"},
    "stale_old_policy": {"stale": True},
    "cut_short": {"limit": 3},
    "never_ends": {"never_ends": True},
    "length_pays": {"pay": "length", "limit": 32},
}
PROMPTS, GROUP = 4, 4


def scenarios(trainer: str) -> list[str]:
    """Return the names of the runs of a trainer."""
    return list(SCENARIOS)


def train(_: Part, scenario: str, seed: int, steps: int, cache: Path) -> list[dict[str, Any]]:
    """Train and return what was logged."""
    given = {
        "pay": "plain", "reference": "own", "rate": RATE, "epochs": 1, "sharp": 1.0, "limit": toy.LIMIT, "every": 1,
        "sign": 1,
    } | SCENARIOS[scenario]  # fmt: skip
    rows: list[dict[str, Any]] = []
    try:
        _loop(given, seed, steps, cache, rows)
    except Exception as error:
        print(f"  stopped by {type(error).__name__}: {str(error)[:200]}", flush=True)
    return rows


def _group() -> None:
    # verl writes the memory of its device to a debug log, which a CPU does not tell.
    device: Any = torch.cpu
    device.memory_allocated = device.memory_reserved = lambda *_: 0
    device.mem_get_info = lambda *_: (0, 0)
    if not torch.distributed.is_initialized():
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29871", "RANK": "0", "WORLD_SIZE": "1"}
        torch.distributed.init_process_group("gloo")


def _actor(model: Any, rate: float | None, epochs: int, *, with_reference: bool) -> Any:
    from omegaconf import OmegaConf
    from verl.workers.actor.dp_actor import DataParallelPPOActor

    config = OmegaConf.create(
        {
            "ulysses_sequence_parallel_size": 1, "entropy_from_logits_with_chunking": False, "use_torch_compile": False,
            "entropy_checkpointing": False, "grad_clip": 1.0, "use_kl_loss": with_reference, "kl_loss_coef": 0.02,
            "kl_loss_type": "low_var_kl", "ppo_mini_batch_size": PROMPTS * GROUP, "ppo_epochs": epochs,
            "use_dynamic_bsz": False, "ppo_micro_batch_size_per_gpu": PROMPTS * GROUP, "clip_ratio": 0.2,
            "clip_ratio_low": None, "clip_ratio_high": None, "entropy_coeff": 0.0, "loss_agg_mode": "token-mean",
            "policy_loss": {"loss_mode": "vanilla"},
        }
    )  # fmt: skip
    optimizer = None if rate is None else torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    return DataParallelPPOActor(config, model, optimizer)


def _loop(given: dict[str, Any], seed: int, steps: int, cache: Path, rows: list[dict[str, Any]]) -> None:
    from verl import DataProto
    from verl.trainer.ppo.core_algos import agg_loss
    from verl.trainer.ppo.metric_utils import compute_data_metrics, compute_timing_metrics
    from verl.trainer.ppo.ray_trainer import compute_advantage
    from verl.utils.metric import reduce_metrics

    _group()
    names = toy.tokenizer()
    model = toy.model(seed, cache, given["sharp"])
    if given.get("never_ends"):
        planted_faults.never_ends(model)
    with_reference = given["reference"] is not None
    actor = _actor(model, given["rate"], given["epochs"], with_reference=with_reference)
    other = toy.model(seed, cache, given["sharp"])
    reference = _actor(toy.noised(other) if given["reference"] == "other" else other, None, 1, with_reference=False)
    stale = _actor(toy.model(seed, cache, given["sharp"]), None, 1, with_reference=False)
    pay = planted_faults.Pay(given["pay"])
    pay.trainer = SimpleNamespace(state=SimpleNamespace(global_step=0))
    prompts = toy.prompts(PROMPTS * steps, seed)
    torch.manual_seed(seed)
    for step in range(1, steps + 1):
        pay.trainer.state.global_step = step
        timing: dict[str, float] = {}
        began = time.perf_counter()
        asked = [prompt for prompt in prompts[PROMPTS * (step - 1) : PROMPTS * step] for _ in range(GROUP)]
        heads = torch.tensor([names(prompt)["input_ids"] for prompt in asked])
        with torch.no_grad():
            whole = model.generate(
                heads, attention_mask=torch.ones_like(heads), max_new_tokens=given["limit"], do_sample=True, top_k=0,
                top_p=1.0, pad_token_id=toy.PAD, eos_token_id=toy.EOS,
            )  # fmt: skip
        whole = torch.nn.functional.pad(whole, (0, heads.shape[1] + given["limit"] - whole.shape[1]), value=toy.PAD)
        timing["gen"] = time.perf_counter() - began
        responses = whole[:, heads.shape[1] :]
        mask = (whole != toy.PAD).long()
        batch = DataProto.from_dict(
            tensors={
                "responses": responses, "input_ids": whole, "attention_mask": mask,
                "position_ids": (mask.cumsum(1) - 1).clamp(min=0), "response_mask": mask[:, heads.shape[1] :],
            },
            non_tensors={"uid": np.array([str(at // GROUP) for at in range(PROMPTS * GROUP)], dtype=object)},
            meta_info={"micro_batch_size": PROMPTS * GROUP, "temperature": 1.0, "use_dynamic_bsz": False},
        )  # fmt: skip
        if given.get("mask") == "empty":
            batch.batch["response_mask"] = torch.zeros_like(responses)
        elif given.get("mask") == "wrong":
            batch.batch["response_mask"] = 1 - batch.batch["response_mask"]
        metrics: dict[str, Any] = {}
        old, entropy = actor.compute_log_prob(batch, calculate_entropy=True)
        metrics["actor/entropy"] = agg_loss(entropy, batch.batch["response_mask"], "token-mean").item()
        batch.batch["old_log_probs"] = stale.compute_log_prob(batch)[0] if given.get("stale") else old
        if with_reference:
            batch.batch["ref_log_prob"] = reference.compute_log_prob(batch)[0]
        texts = [names.decode(row, skip_special_tokens=True) for row in responses]
        earned = torch.zeros(responses.shape)
        ends = mask[:, heads.shape[1] :].sum(1) - 1
        earned[torch.arange(len(texts)), ends.clamp(min=0)] = torch.tensor([pay.one(text) for text in texts])
        batch.batch["token_level_scores"] = batch.batch["token_level_rewards"] = earned
        batch = compute_advantage(batch, "grpo", num_repeat=GROUP)
        batch.batch["advantages"] = given["sign"] * batch.batch["advantages"]
        if given.get("nan_loss") and step == planted_faults.BREAKS:
            batch.batch["advantages"] = batch.batch["advantages"] * math.nan
        began = time.perf_counter()
        metrics.update(reduce_metrics({**actor.update_policy(batch), "actor/lr": [given["rate"]]}))
        timing["update_actor"] = time.perf_counter() - began
        timing["step"] = sum(timing.values())
        metrics |= compute_data_metrics(batch, use_critic=False) | compute_timing_metrics(batch, timing)
        if step % given["every"] == 0:
            rows.append({"step": step} | {key: float(value) for key, value in metrics.items()})
