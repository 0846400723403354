"""Runs the loop of verl's ``RayPPOTrainer``: ``python fit_verl.py FOLDER JOBS``, where JOBS is a JSON list of runs.

The loop, its advantages, its metrics and its ``Tracking`` are those of the release. Only what lives on GPUs is written
here: responses, scores and what models say about them are drawn at random, the same in each run. A job has a ``name``,
``how`` numbers get in: ``name`` in ``trainer.logger``, ``call`` of `measure`, ``code`` of the documentation, or
``plain``; ``critic`` says whether there is one, ``aborted`` whether a response is empty, and ``config`` changes the
configuration. ``batch`` is code about the last batch, which leaves ``metrics``. What the workers were given to train on
is in ``step1.npz`` and its like of each folder, beside TensorBoard's files.
"""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false

from __future__ import annotations

import json
import os
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

STEPS, PROMPTS, GROUP = 2, 4, 4
ASKED, ANSWERED = 6, 9
EOS, PAD = 1, 0
PLUGIN = "rlmetrics.trainers.verl_plugin"


class Tokenizer:
    """What the loop asks of a tokenizer."""

    eos_token_id, pad_token_id = EOS, PAD


def passes(rows: int, seed: int, *names: str) -> dict[str, torch.Tensor]:
    """Return what models say about each token."""
    generator = torch.Generator().manual_seed(seed)
    return {name: -2 * torch.rand(rows, ANSWERED, generator=generator) for name in names}


class Workers:
    """In the place of the groups of workers: draws responses, and what models say about them."""

    world_size = 2

    def __init__(self, aborted: bool) -> None:
        self._dispatch_info = {"actor": [0, 1]}
        self.aborted = aborted
        self.step = 0
        self.entropies = torch.zeros(0)
        self.given: list[dict[str, Any]] = []

    def generate_sequences(self, asked: Any) -> Any:
        """Return responses of several turns, one of them empty, some of them cut off."""
        from verl import DataProto

        self.step += 1
        rows = len(asked)
        chosen = torch.Generator().manual_seed(self.step)
        lengths = torch.randint(2, ANSWERED + 1, (rows,), generator=chosen)
        lengths[:2] = ANSWERED
        if self.aborted:
            lengths[5] = 0
        place = torch.arange(ANSWERED)
        written = place < lengths.unsqueeze(1)
        ids = torch.randint(2, 30, (rows, ANSWERED), generator=chosen) * written
        ends = torch.rand(rows, generator=chosen) < 0.6
        ids[(place == lengths.unsqueeze(1) - 1) & ends.unsqueeze(1)] = EOS
        tools = (place >= 1) & (place < torch.randint(1, 5, (rows, 1), generator=chosen))
        prompts = torch.randint(2, 30, (rows, ASKED), generator=chosen)
        attention = torch.cat([torch.ones(rows, ASKED, dtype=torch.long), written.long()], 1)
        scores = torch.zeros(rows, ANSWERED)
        good = torch.randint(0, 3, (rows,), generator=chosen).float() / 2
        good[:GROUP] = 1.0
        scores[torch.arange(rows), (lengths - 1).clamp(min=0)] = good * (lengths > 0)
        self.scores = scores
        tensors = {
            "prompts": prompts,
            "responses": ids,
            "input_ids": torch.cat([prompts, ids], 1),
            "attention_mask": attention,
            "position_ids": attention.cumsum(1) - 1,
            "response_mask": (written & ~tools).long(),
            "rm_scores": scores,
            **passes(rows, 100 + self.step, "rollout_log_probs"),
        }
        others = {"multi_modal_inputs": np.array([{} for _ in range(rows)], dtype=object)}
        return DataProto.from_dict(tensors=tensors, non_tensors=others, meta_info={"timing": {}})

    def said(self, batch: Any, *names: str) -> Any:
        """Return what models say about a batch, each response the same wherever it stands."""
        from verl import DataProto

        keys = batch.batch["responses"].sum(1).tolist()
        rows = [passes(1, 1000 * self.step + 10 * int(key) + len(names), *names) for key in keys]
        return DataProto.from_dict(tensors={name: torch.cat([row[name] for row in rows]) for name in names})

    def compute_log_prob(self, batch: Any) -> Any:
        """Return the log-probabilities before the update."""
        found = self.said(batch, "old_log_probs", "entropys")
        found.batch["entropys"] = -found.batch["entropys"]
        self.entropies = found.batch["entropys"].clone()
        return found

    def compute_ref_log_prob(self, batch: Any) -> Any:
        """Return the log-probabilities of the reference."""
        return self.said(batch, "ref_log_prob")

    def compute_values(self, batch: Any) -> Any:
        """Return the values of the critic."""
        return self.said(batch, "values", "a", "b").select(batch_keys=["values"])

    def update_critic(self, batch: Any) -> Any:
        """Train nothing."""
        from verl import DataProto

        return DataProto(meta_info={"metrics": {"critic/lr": [0.1]}})

    def update_actor(self, batch: Any) -> Any:
        """Train nothing, but keep what there was to train on."""
        from verl import DataProto

        self.batch = batch
        held = {name: batch.batch[name].numpy() for name in batch.batch.keys()}  # noqa: SIM118
        uid = np.array(batch.non_tensor_batch["uid"], dtype=str)
        lengths = batch.batch["attention_mask"][:, ASKED:].sum(1).numpy()
        self.given.append({**held, "uid": uid, "entropy": self.entropies.numpy(), "lengths": lengths})
        return DataProto(meta_info={"metrics": {"actor/lr": [0.1]}})

    def update_weights(self, *_: Any) -> None:
        """Do nothing."""

    def sleep_replicas(self) -> None:
        """Do nothing."""


def configuration(job: dict[str, Any], trackers: list[str]) -> Any:
    """Return what the loop reads of its configuration."""
    from omegaconf import OmegaConf

    critic = job["critic"]
    whole = OmegaConf.create(
        {
            "trainer": {
                "project_name": "tiny", "experiment_name": job["name"], "logger": trackers, "total_epochs": 1,
                "val_before_train": False, "test_freq": -1, "save_freq": -1, "critic_warmup": 0, "profile_steps": None,
                "balance_batch": True, "esi_redundant_time": 0, "rlmetrics": job.get("settings", {}),
                "v1": {"trainer_mode": "sync", "sync": {}},
            },
            "algorithm": {
                "adv_estimator": "gae" if critic else "grpo", "gamma": 1.0, "lam": 0.9, "use_kl_in_reward": not critic,
                "kl_penalty": "kl", "norm_adv_by_std_in_grpo": True, "use_pf_ppo": False,
            },
            "actor_rollout_ref": {
                "actor": {
                    "loss_agg_mode": "token-mean", "loss_scale_factor": None, "policy_loss": {},
                    "ppo_mini_batch_size": PROMPTS,
                },
                "rollout": {"n": GROUP, "temperature": 1.0, "multi_turn": {"enable": True}},
            },
            "reward_model": {"launch_reward_fn_async": False},
            "global_profiler": {"steps": None, "profile_continuous_steps": False},
            "data": {"train_batch_size": PROMPTS, "gen_batch_size": PROMPTS},
            "skip": {},
        }
    )  # fmt: skip
    return OmegaConf.merge(whole, job.get("config", {}))


def loop_of(job: dict[str, Any], trackers: list[str], workers: Workers) -> Any:
    """Return the trainer of the installed release, without what only GPUs can do."""
    from verl.trainer.ppo import core_algos
    from verl.trainer.ppo.ray_trainer import RayPPOTrainer

    class Loop(RayPPOTrainer):  # type: ignore[misc]
        def __init__(self) -> None:
            self.config = configuration(job, trackers)
            self.tokenizer = Tokenizer()
            self.actor_rollout_wg = self.ref_policy_wg = self.critic_wg = workers
            self.async_rollout_manager = self.checkpoint_manager = workers
            self.async_rollout_mode = self.ref_in_actor = self.use_rm = False
            self.use_critic, self.use_reference_policy = job["critic"], True
            self.kl_ctrl_in_reward = core_algos.FixedKLController(0.05)
            self.total_training_steps = STEPS
            self.val_reward_fn = None
            self.reward_fn = lambda *_, **__: {"reward_tensor": workers.scores[self.order]}
            self.train_dataset = []
            self.use_legacy_worker_impl = "enable"
            self.resource_pool_manager = Pool()
            asked = torch.ones(PROMPTS, ASKED, dtype=torch.long)
            raw = np.array([[1]] * PROMPTS + [None], dtype=object)[:-1]
            rows = {"dummy_tensor": asked, "raw_prompt": raw}
            if not hasattr(RayPPOTrainer, "_get_gen_batch"):
                rows = {"input_ids": asked, "attention_mask": asked, "position_ids": asked, "raw_prompt_ids": raw}
            every: Any = [rows] * STEPS
            self.train_dataloader = torch.utils.data.DataLoader(every, batch_size=None, collate_fn=dict)
            if hasattr(RayPPOTrainer, "_init_dump_executor"):
                self._init_dump_executor()

        def _load_checkpoint(self) -> None:
            self.global_steps = 0

        def _start_profiling(self, *_: Any) -> None:
            """Do nothing."""

        def _stop_profiling(self, *_: Any, **__: Any) -> None:
            """Do nothing."""

        def _balance_batch(self, batch: Any, metrics: Any, *args: Any, **kwargs: Any) -> None:
            before = batch.batch["responses"].tolist()
            super()._balance_batch(batch, metrics, *args, **kwargs)
            self.order = [before.index(row) for row in batch.batch["responses"].tolist()]

        def _compute_old_log_prob(self, batch: Any) -> Any:
            return workers.compute_log_prob(batch), 0.0

        def _compute_ref_log_prob(self, batch: Any) -> Any:
            return workers.compute_ref_log_prob(batch)

        def _compute_values(self, batch: Any) -> Any:
            return workers.compute_values(batch)

        def _update_actor(self, batch: Any) -> Any:
            return workers.update_actor(batch)

        def _update_critic(self, batch: Any) -> Any:
            return workers.update_critic(batch)

    return Loop()


class Pool:
    """Says how many GPUs there are."""

    def get_n_gpus(self) -> int:
        """Return how many."""
        return 2


def run(folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Make one run, and return what it found."""
    folder.mkdir()
    os.chdir(folder)
    os.environ["TENSORBOARD_DIR"] = str(folder / "tensorboard")
    workers = Workers(job["aborted"])
    trainer = loop_of(job, ["console", "tensorboard", *(["rlmetrics"] if job["how"] == "name" else [])], workers)
    driver = None
    if job["how"] == "code":
        exec(compile(job["code"], job["name"], "exec"), {"trainer": trainer})
    else:
        if job["how"] == "call":
            from rlmetrics.trainers.verl_suites import measure

            driver = measure(trainer)
        trainer.fit()
    names: dict[str, Any] = {"batch": workers.batch, "metrics": {}}
    exec(compile(job.get("batch", ""), job["name"], "exec"), names)
    for step, given in enumerate(workers.given, 1):
        np.savez(folder / f"step{step}.npz", **given)
    return {
        "metrics": {name: float(value) for name, value in names["metrics"].items()},
        "missing": None if driver is None else driver.missing,
        "faults": None if driver is None else [driver.faults.count, driver.faults.last],
    }


def main() -> int:
    """Make all runs."""
    base, jobs = Path(sys.argv[1]).resolve(), json.loads(sys.argv[2])
    os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "VERL_USE_EXTERNAL_PLUGINS": "none"}
    warnings.simplefilter("ignore")
    import_module("verl")
    import_module(PLUGIN)
    for job in jobs:
        torch.manual_seed(7)
        (base / job["name"]).with_suffix(".json").write_text(json.dumps(run(base / job["name"], job)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
