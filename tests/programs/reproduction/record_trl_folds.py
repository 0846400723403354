"""Records how TRL puts parts together: ``python record_trl_folds.py RELEASE=FOLDER=PYTHON… > trl_folds.json``.

FOLDER is the unpacked wheel of a release (``pip download --no-deps trl==RELEASE``), PYTHON an interpreter with the
transformers that it runs with. The release's own code is run on given tensors: the asynchronous trainer's loss,
collator and log over a window of steps of micro-batches, the groups that its worker scores, what the oldest PPO
trainer gathers and logs over two processes and of single responses, and tiny models in training and evaluation. Where
a number is made in the midst of a training loop, those statements of the file are run. Each number stands with the
batches of which it is made, each by its place at every level.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from programs.reproduction.folded_parts import WIDTH, Number, Placed, Tensors, batch, statements, table, written
from programs.reproduction.trl_trainings import chunks, evaluation, optimizer_steps

STEPS, MICRO_BATCHES = 3, 2


def asynchronous(release: str) -> Iterator[Number]:
    """Yield what the asynchronous trainer logs of a window of three steps."""
    import transformers  # pyright: ignore[reportMissingImports]
    from trl.experimental.async_grpo import async_grpo_trainer as module  # pyright: ignore[reportMissingImports]
    from trl.experimental.async_grpo.packing import TreeRow  # pyright: ignore[reportMissingImports]

    importlib.import_module("accelerate").PartialState()  # loggers ask for it
    logged: dict[str, float] = {}
    own_log = transformers.Trainer.log
    transformers.Trainer.log = lambda self, logs, *_: logged.update(logs)
    trainer = object.__new__(module.AsyncGRPOTrainer)
    metrics: dict[str, dict[str, list[Any]]] = {"train": defaultdict(list), "eval": defaultdict(list)}
    one = SimpleNamespace(
        num_processes=1, is_main_process=True, reduce=lambda value, reduction: value, gather=lambda value: value
    )
    own = {"_metrics": metrics, "accelerator": one, "epsilon_low": 0.2, "epsilon_high": 0.2, "aux_loss_enabled": False}
    own |= {
        "current_gradient_accumulation_steps": MICRO_BATCHES,
        "rollout_worker": None,
        "model": torch.nn.Linear(1, 1),
    }
    steps = ("forward_tokens", "trained_tokens", "seq_len_weighted", "samples", "forward_s")
    for name, value in {**own, **{f"_step_{name}": 0.0 for name in steps}}.items():
        object.__setattr__(trainer, name, value)
    collator = module.DataCollatorForRollout(pad_token_id=0, metrics=metrics["train"], token_budget=40)
    losses: list[Placed] = []
    samples: list[Placed] = []
    for at in range(STEPS * MICRO_BATCHES):
        place = {"window": at // MICRO_BATCHES, "micro_batch": at % MICRO_BATCHES}
        lengths = [(5, 3), (1, 4), (2, 2), (4, 5), (3, 1), (5, 5)][at]
        tensors = batch(80 + at, lengths)
        tensors["advantages"] = -tensors["advantages"][:, :1].abs().expand(-1, WIDTH).clone()
        tensors["logprobs"] = tensors["logprobs"] - 0.5 - 0.1 * at  # some token of each response is clipped
        if at == 3:
            tensors["logprobs"] = -tensors["logprobs"]
            tensors["advantages"] = -tensors["advantages"]
        losses.append((place, tensors))
        _loss(trainer, tensors)
        scored = _scored(module, at)
        row = TreeRow()
        for sample in scored:
            row.add(sample)
        rewards = [sample["metrics"]["reward"] for sample in scored]
        collator._log_metrics([row], scored, torch.ones(1, len(row.tokens) + at))
        trained = [int(sample["completion_mask"].sum()) for sample in scored]
        prompts = [len(sample["input_ids"]) - count for sample, count in zip(scored, trained, strict=True)]
        samples.append(
            (
                place,
                {
                    "rewards": torch.tensor(rewards),
                    "group_ids": torch.zeros(len(rewards), dtype=torch.long),
                    "lengths": torch.tensor(trained),
                    "prompt_lengths": torch.tensor(prompts),
                    "trained_tokens": torch.tensor(trained),
                    "row_tokens": torch.tensor([len(row.tokens)]),
                },
            )
        )
    worker: list[Placed] = []
    pushed = [([5, 9], [1, 4], [0, 2]), ([3, 8], [2, 2], [1, 0]), ([7, 2], [3, 1], [0, 4])]
    for window, (lengths_of, turns, unknown) in enumerate(pushed):
        for key, value in (
            ("completions/max_length", max(lengths_of)), ("completions/min_length", min(lengths_of)),
            ("rollout/turns_max", max(turns)), ("tools/unknown_name_total", sum(unknown)),
        ):  # fmt: skip
            metrics["train"][key].append(float(value))
        made = {"lengths": lengths_of, "model_turns": turns, "unknown_tool_calls": unknown}
        worker.append(({"window": window}, {name: torch.tensor(values) for name, values in made.items()}))
    module.AsyncGRPOTrainer.log(trainer, {})
    transformers.Trainer.log = own_log
    at, settings = f"trl[AsyncGRPOTrainer]=={release}", {"world_size": 1}
    for keys, given in (
        (("kl", "ratio", "clip_ratio/low_mean", "clip_ratio/low_min", "clip_ratio/high_max"), losses),
        (("reward_std", "sample/forwarded_tokens_max", "batch/masked_token_frac", "batch/row_tokens_max"), samples),
        (("completions/max_length", "completions/min_length", "rollout/turns_max", "tools/unknown_name_total"), worker),
    ):
        yield from ((at, key, settings, given, logged[key]) for key in keys)


def _loss(trainer: Any, tensors: Tensors) -> None:
    """Have the trainer compute the loss of a micro-batch of responses behind one another."""
    mask = tensors["mask"]
    chosen = {name: tensors[name][mask] for name in ("logprobs", "old_logprobs", "advantages", "token_entropy")}
    count = int(mask.sum())
    flat = torch.arange(count)[None]
    inputs = {
        "input_ids": flat, "attention_mask": torch.ones_like(flat), "position_ids": flat, "shift_labels": flat,
        "token_index": flat, "old_log_probs": chosen["old_logprobs"][None], "advantages": chosen["advantages"][None],
        "segment_id": torch.arange(len(mask))[:, None].expand_as(mask)[mask][None],
        "tree_kv_index": flat, "tree_cu_seqlens_q": flat, "tree_cu_seqlens_k": flat,
        "tree_max_seqlens": torch.ones(1, 2, dtype=torch.long), "global_n_tokens": torch.tensor([float(count)]),
        "global_n_forward_tokens": torch.tensor([float(count)]), "mean_seq_len": torch.tensor([count / len(mask)]),
    }  # fmt: skip
    outputs = SimpleNamespace(log_probs=chosen["logprobs"], entropy=chosen["token_entropy"])
    trainer.compute_loss(lambda **_: outputs, inputs)


def _scored(module: Any, at: int) -> list[dict[str, Any]]:
    """Return the responses of a group as the worker scores them."""
    import numpy
    from trl.experimental.async_grpo import async_rollout_worker as worker  # pyright: ignore[reportMissingImports]

    rewards = [[1.0, 0.0, 0.5], [2.0, 1.5, 0.0], [0.25, 0.75, 1.0], [3.0, 0.0, 1.0], [0.0, 0.5, 0.0], [1.0, 2.0, 4.0]][
        at
    ]
    lengths = [[4, 6, 3], [5, 5, 9], [2, 7, 4], [8, 3, 3], [6, 6, 2], [3, 9, 5]][at]
    sequences = [
        [SimpleNamespace(input_ids=numpy.arange(size) + 10 * place, completion_mask=numpy.arange(size) > at % 2,
                         old_log_probs=numpy.zeros(size))]
        for place, size in enumerate(lengths)
    ]  # fmt: skip
    group = SimpleNamespace(
        completions=["text"] * 3, prompts=["prompt"] * 3, completions_ids=[[]] * 3, reward_kwargs={}, env_rewards=[],
        rollout_rewards=[], tool_call_counts=[0] * 3, tool_failure_counts=[0] * 3, completions_sequences=sequences,
        model_version=0, group_id=at,
    )  # fmt: skip
    itself = SimpleNamespace(
        reward_funcs=[lambda **_: rewards], _env_reward_types=[], _provides_rollout_reward=False,
        reward_func_names=["reward"],
    )  # fmt: skip
    loop = next(kind for kind in vars(worker).values() if hasattr(kind, "_score_group"))
    found = asyncio.run(loop._score_group(itself, group))
    return [{name: getattr(sample, name) for name in sample.__dataclass_fields__} for sample in found]


def rewards_over_processes(release: str) -> Iterator[Number]:
    """Yield the spread of rewards that were averaged over two processes, place by place."""
    import torch.multiprocessing as processes

    vars(importlib.import_module("transformers"))["top_k_top_p_filtering"] = None  # imported, and never called here
    given = [torch.tensor([1.0, 0.0, 2.0, 4.0]), torch.tensor([3.0, 1.0, 1.0, 0.0])]
    context = processes.get_context("fork")
    results = context.Queue()
    started = [context.Process(target=_log_rewards, args=(rank, given[rank].clone(), results)) for rank in range(2)]
    for process in started:
        process.start()
    logged = results.get()
    for process in started:
        process.join()
    parts = [({"rank": rank}, {"scores": values}) for rank, values in enumerate(given)]
    for key in ("env/reward_std",):
        yield f"trl[PPOTrainer]=={release}", key, {"world_size": 2}, parts, logged[key]


def _log_rewards(rank: int, rewards: torch.Tensor, results: Any) -> None:
    from trl.trainer.ppo_trainer import PPOTrainer  # pyright: ignore[reportMissingImports]

    place = f"file:///tmp/rewards-{os.getppid()}"
    torch.distributed.init_process_group("gloo", init_method=place, rank=rank, world_size=2)
    kept: dict[str, float] = {}
    accelerator = SimpleNamespace(
        is_main_process=rank == 0,
        num_processes=2,
        log=lambda logs, **_: kept.update({"env/reward_std": logs["env/reward_std"]}),
    )
    itself = SimpleNamespace(
        accelerator=accelerator, is_distributed=True, config=SimpleNamespace(log_with=None), current_device="cpu"
    )
    PPOTrainer.log_stats(itself, {}, {"query": [], "response": []}, rewards)
    if rank == 0:
        results.put(kept)
    torch.distributed.destroy_process_group()


def shown(release: str, folder: str) -> Iterator[Number]:
    """Yield the advantages of an update as they are shown, of which one is no number."""
    path = Path(folder, "trl", "trainer", "ppo_trainer.py")
    tensors = batch(95)
    tensors["advantages"][0, 2] = float("nan")
    padding = importlib.import_module("trl.core").WANDB_PADDING
    names = {
        "torch": torch,
        "WANDB_PADDING": padding,
        "train_stats": {"policy/advantages": tensors["advantages"].clone()},
    }
    statements(path, "train_stats['policy/advantages'] = torch", names)
    logged = names["train_stats"]["policy/advantages"].flatten().tolist()
    given = {"advantages": tensors["advantages"]}
    yield f"trl[PPOTrainer]=={release}", "ppo/policy/advantages", {"world_size": 1}, [({}, given)], logged


def speed(release: str, folder: str) -> Iterator[Number]:
    """Yield episodes a second, which are cut to a whole number."""
    path = Path(folder, "trl", "trainer", "rloo_trainer.py")
    clock = SimpleNamespace(time=lambda: 14.0)
    for finished in (64, 7):
        names = {"self": SimpleNamespace(state=SimpleNamespace(episode=finished)), "time": clock, "start_time": 4.0}
        statements(path, "eps = int(", names)
        given = {"finished": torch.tensor(finished), "run_seconds": torch.tensor(10.0)}
        yield f"trl[RLOOTrainer]=={release}", "eps", {"world_size": 1}, [({}, given)], names["eps"]


def ended(release: str, folder: str) -> Iterator[Number]:
    """Yield the share of responses with an end token over a window of two micro-batches."""
    path = Path(folder, "trl", "experimental", "online_dpo", "online_dpo_trainer.py")
    stats: dict[str, list[float]] = {"val/contain_eos_token": []}
    given = []
    for window, ends in enumerate(((True, False, False, True), (True, True, True, False))):
        tensor = torch.tensor(ends)
        names = {"self": SimpleNamespace(stats=stats), "contain_eos_token": tensor}
        statements(path, "self.stats['val/contain_eos_token'].append", names)
        given.append(({"window": window}, {"terminated": tensor}))
    logs: dict[str, float] = {}
    for key, val in stats.items():
        statements(path, "logs[key] = sum(val) / len(val)", {"logs": logs, "key": key, "val": val})
    key = "val/contain_eos_token"
    yield f"trl[OnlineDPOTrainer]=={release}", key, {"world_size": 1}, given, logs[key]


def divergence(release: str, folder: str) -> Iterator[Number]:
    """Yield a divergence that is averaged over the tokens of a response, and then over responses."""
    path = Path(folder, "trl", "trainer", "grpo_trainer.py")
    kept: dict[str, list[float]] = defaultdict(list)
    given = []
    for window, lengths in enumerate(((5, 2), (1, 4))):
        tensors = batch(90 + window, lengths)
        own = SimpleNamespace(_metrics=kept, accelerator=SimpleNamespace(gather_for_metrics=lambda value: value))
        names = {"self": own, "torch": torch, "per_token_logps": tensors["logprobs"], "mode": "train"}
        names |= {"ref_per_token_logps": tensors["ref_logprobs"], "completion_mask": tensors["mask"].int()}
        for text in ("per_token_kl = ", "mean_kl = ", "['kl'].append"):
            statements(path, text, names)
        given.append(({"window": window}, tensors))
    names = {"self": SimpleNamespace(_metrics=kept), "mode": "train"}
    statements(path, "metrics = {key: sum(val) / len(val)", names)
    yield f"trl[GRPOTrainer]=={release}", "kl", {"world_size": 1}, given, names["metrics"]["kl"]


def numbers(release: str, folder: str) -> Iterator[Number]:
    """Yield the numbers of a release."""
    if release.startswith("0.11"):
        yield from shown(release, folder)
    elif release.startswith("0.7"):
        yield from rewards_over_processes(release)
        yield from chunks(release, folder)
    elif release.startswith("0.19"):
        yield from speed(release, folder)
    elif release.startswith("0.15"):
        yield from divergence(release, folder)
    else:
        yield from asynchronous(release)
        yield from ended(release, folder)
        yield from evaluation(release)
        yield from optimizer_steps(release)


def main() -> None:
    """Write the JSON of all releases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="+", metavar="RELEASE=FOLDER=PYTHON", help="what to run")
    parser.add_argument("--one", action="store_true", help="write the numbers of one release only")
    arguments = parser.parse_args()
    found: list[Any] = []
    for argument in arguments.releases:
        release, folder, python = argument.split("=")
        if arguments.one:
            sys.path.insert(0, folder)
            print(json.dumps(written(list(numbers(release, folder)))))
            return
        command = [python, __file__, "--one", argument]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        found += json.loads(done.splitlines()[-1])
    json.dump(table("trl folds", found), sys.stdout)


if __name__ == "__main__":
    main()
