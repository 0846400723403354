"""Runs the loop of verl 0.9's ``PPOTrainer``: ``python fit_verl_v1.py FOLDER JOBS``, with the jobs of ``fit_verl.py``.

Ray and the TransferQueue, in which batches are kept, are real. Some sessions have two outputs, so that rows are filled
up to what can be split over workers.
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
from zlib import crc32

import numpy as np
import torch

GROUP, PROMPTS, STEPS = 4, 4, 2
EOS = 1


def nested(rows: list[torch.Tensor]) -> torch.Tensor:
    """Return rows of different lengths as verl keeps them."""
    return torch.nested.as_nested_tensor(rows, layout=torch.jagged)


class Workers:
    """In the place of the groups of workers and of the buffer of responses."""

    reward_loop_worker_handles = ()

    def __init__(self) -> None:
        self._dispatch_info = {"actor": [0, 1]}
        self.step = 0
        self.given: list[dict[str, Any]] = []
        self.futures: list[Any] = []

    def sample(self, **_: Any) -> Any:
        """Put a batch of responses where verl keeps them, and return what it is called."""
        import transfer_queue as tq
        from verl.utils import tensordict_utils as tu

        self.step += 1
        keys = [f"p{prompt}_{session}_0" for prompt in range(PROMPTS) for session in range(GROUP)]
        keys += ["p1_2_1", "p3_0_1"]
        chosen = torch.Generator().manual_seed(self.step)

        def drawn(low: int, high: int, *size: int) -> torch.Tensor:
            return torch.randint(low, high, size, generator=chosen)

        answers = [drawn(2, 30, int(drawn(2, 10, 1))) for _ in keys]
        for row in answers[::3]:
            row[-1] = EOS
        asked = [drawn(2, 30, 3) for _ in keys]
        masks = [torch.cat([torch.ones(1), drawn(0, 2, len(row) - 1)]).long() for row in answers]
        scores = [torch.zeros(len(row)) for row in answers]
        for place, row in enumerate(scores):
            row[-1] = 1.0 if place < GROUP else int(drawn(0, 3, 1)) / 2
        fields = {
            "prompts": nested(asked),
            "responses": nested(answers),
            "response_mask": nested(masks),
            "rm_scores": nested(scores),
            "rollout_log_probs": nested([-2 * torch.rand(len(row), generator=chosen) for row in answers]),
            "input_ids": nested([torch.cat(pair) for pair in zip(asked, answers, strict=True)]),
            "position_ids": nested([torch.arange(3 + len(row)) for row in answers]),
            "uid": [key.partition("_")[0] for key in keys],
            "num_turns": [1] * len(keys),
        }
        steps = {"min_global_steps": self.step, "max_global_steps": self.step}
        tags = [{"seq_len": 3 + len(row), **steps} for row in answers]
        return tq.kv_batch_put(keys=keys, partition_id="train", fields=tu.get_tensordict(fields), tags=tags), {}

    def _say(self, batch: Any, **names: int) -> Any:
        """Put what models say about each token of some rows."""
        import transfer_queue as tq
        from verl.utils import tensordict_utils as tu

        data = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=["input_ids"])
        lengths = data["input_ids"].offsets().diff().tolist()
        fields = {}
        for name, sign in names.items():
            rows = []
            for key, length in zip(batch.keys, lengths, strict=True):
                seeds = key.startswith("pad"), self.step, name, key, len(names)
                chosen = torch.Generator().manual_seed(crc32(repr(seeds).encode()))
                rows.append(sign * 2 * torch.rand(length, generator=chosen))
            fields[name] = nested(rows)
        tq.kv_batch_put(keys=batch.keys, partition_id=batch.partition_id, fields=tu.get_tensordict(fields))
        return batch

    def compute_log_prob(self, batch: Any) -> Any:
        """Put the log-probabilities before the update, and entropies."""
        return self._say(batch, log_probs=-1, entropy=1)

    def compute_ref_log_prob(self, batch: Any) -> Any:
        """Put the log-probabilities of the reference."""
        return self._say(batch, log_probs=-1)

    def infer_batch(self, batch: Any) -> Any:
        """Put the values of the critic."""
        self._say(batch, values=1)
        return self

    def train_mini_batch(self, _: Any) -> Any:
        """Train nothing."""
        return self

    def get(self) -> dict[str, Any]:
        """Return what training the critic gives."""
        return {"metrics": {"mfu": [0.0], "lr": [0.1]}}

    def update_actor(self, batch: Any) -> dict[str, Any]:
        """Train nothing, but keep what there was to train on, without what fills it up."""
        import transfer_queue as tq

        keys = [key for key in batch.keys if not key.startswith("pad")]
        assert len(keys) < len(batch.keys), "nothing was filled up"
        data = tq.kv_batch_get(keys=keys, partition_id=batch.partition_id)
        lengths = data["responses"].offsets().diff()
        kept = {}
        for name in data.keys():  # noqa: SIM118
            value = data[name]
            if isinstance(value, torch.Tensor) and value.is_nested and torch.equal(value.offsets().diff(), lengths):
                kept[name] = value.to_padded_tensor(0.0).numpy()
        uid = np.array(list(data["uid"]))
        turns = np.array([int(key.rpartition("_")[2]) for key in keys])
        sessions = np.array([key.rpartition("_")[0] for key in keys])
        self.given.append({**kept, "lengths": lengths.numpy(), "uid": uid, "turns": turns, "sessions": sessions})
        return {"metrics": {"mfu": [0.0], "lr": [0.1]}}


class Pool:
    """Says how many GPUs there are."""

    def get_n_gpus(self) -> int:
        """Return how many."""
        return 2


class Tokenizer:
    """What the loop asks of a tokenizer."""

    eos_token_id = EOS


def loop_of(job: dict[str, Any], trackers: list[str], workers: Workers) -> Any:
    """Return the trainer of the installed release, without what only GPUs can do."""
    from fit_verl import configuration
    from omegaconf import OmegaConf
    from verl.trainer.ppo import core_algos
    from verl.trainer.ppo.v1 import PPOTrainer

    class Loop(PPOTrainer):  # type: ignore[misc]
        def __init__(self) -> None:
            more = {
                "actor_rollout_ref": {
                    "actor": {
                        "ppo_mini_batch_size": 1, "calculate_entropy": False, "entropy_coeff": 0.0, "ppo_epochs": 1,
                        "data_loader_seed": 1, "shuffle": False,
                    },
                    "rollout": {"calculate_log_probs": True},
                    "model": {},
                },
                "critic": {"ppo_mini_batch_size": 1, "ppo_epochs": 1, "data_loader_seed": 1, "shuffle": False},
            }  # fmt: skip
            config = OmegaConf.merge(configuration(job, trackers), more)
            self.config = config
            self.use_critic, self.use_reference_policy, self.ref_in_actor = job["critic"], True, False
            self.kl_ctrl_in_reward = core_algos.FixedKLController(0.05)
            self.trainer_mode, self.parameter_sync_step, self.local_trigger_step = "sync", 1, 0
            self.tokenizer = Tokenizer()
            self.reward_loop_manager = self.replay_buffer = workers
            self.actor_rollout_wg = self.ref_policy_wg = self.critic_wg = workers
            self.resource_pool_manager = Pool()
            self._rollout_moe_lb_metrics_accumulator = None
            self.global_steps, self.steps_per_epoch, self.total_training_steps = 0, STEPS, STEPS
            self._init_dump_executor()

        def prepare_step(self) -> dict[str, Any]:
            return {}

        def on_step_end(self) -> None:
            """Do nothing."""

        def on_sample_end(self) -> None:
            """Do nothing."""

        def _start_profiling(self) -> None:
            """Do nothing."""

        def _stop_profiling(self) -> None:
            """Do nothing."""

    return Loop()


def run(folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Make one run, and return what it found."""
    folder.mkdir()
    os.chdir(folder)
    os.environ["TENSORBOARD_DIR"] = str(folder / "tensorboard")
    workers = Workers()
    trainer = loop_of(job, ["console", "tensorboard", *(["rlmetrics"] if job["how"] == "name" else [])], workers)
    driver = None
    if job["how"] == "call":
        from rlmetrics.trainers.verl_suites import measure

        driver = measure(trainer)
    trainer.fit(None)
    for step, given in enumerate(workers.given, 1):
        np.savez(folder / f"step{step}.npz", **given)
    return {
        "missing": None if driver is None else driver.missing,
        "faults": None if driver is None else [driver.faults.count, driver.faults.last],
    }


def main() -> int:
    """Make all runs."""
    base, jobs = Path(sys.argv[1]).resolve(), json.loads(sys.argv[2])
    os.environ |= {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "VERL_USE_EXTERNAL_PLUGINS": "none"}
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "TRANSFER_QUEUE_ENABLE": "1"}
    warnings.simplefilter("ignore")
    import ray

    ray.init(num_cpus=4, include_dashboard=False, object_store_memory=100 * 2**20, log_to_driver=False)
    try:
        import transfer_queue as tq

        tq.init()
        import_module("verl")
        import_module("rlmetrics.trainers.verl_plugin")
        for job in jobs:
            torch.manual_seed(7)
            (base / job["name"]).with_suffix(".json").write_text(json.dumps(run(base / job["name"], job)))
        tq.close()
    finally:
        ray.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
