"""Records how verl puts numbers of parts together: ``python record_verl_folds.py RELEASE=FOLDER… > verl_folds.json``.

FOLDER is the unpacked wheel of a release (``pip download --no-deps verl==RELEASE``); PyTorch, tensordict, omegaconf and
codetiming must be installed, and what these runs never call is replaced by empty modules. The release's own code is
run: whole updates of the actor, of which only the model and the optimizer step are given, in epochs, mini-batches and
micro-batches; a step of supervised fine-tuning; what gathers the numbers of processes and of a synchronisation cycle.
Where a number is made in the midst of a training loop, those statements of the file are run. Each number stands with
the batches of which it is made, each by its place at every level.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.machinery
import itertools
import json
import os
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from programs.reproduction.folded_parts import (
    WIDTH,
    Number,
    Opened,
    Placed,
    Tensors,
    Uncalled,
    batch,
    statements,
    table,
    written,
)
from programs.reproduction.verl_cycles import cycles

RANKS, EPOCHS, MINI_BATCHES, MICRO_BATCHES, ROWS = 2, 2, 2, 2, 2
ACTOR = "actor_rollout_ref.actor."
MEMORY = ("memory_allocated", "memory_reserved", "max_memory_allocated", "max_memory_reserved", "mem_get_info")
"""What is asked of an accelerator."""


def parts() -> list[Placed]:
    """Return the micro-batches of an update by their places; the policy moves from one epoch to the next."""
    shape = (range(RANKS), range(EPOCHS), range(MINI_BATCHES), range(MICRO_BATCHES))
    levels = ("rank", "epoch", "mini_batch", "micro_batch")
    found = []
    for seed, place in enumerate(itertools.product(*shape)):
        lengths = [(5, 3), (1, 4), (2, 2), (4, 5)][(seed + seed // 4) % 4]
        found.append((dict(zip(levels, place, strict=True)), batch(seed, lengths)))
    return found


def updates(release: str) -> Iterator[Number]:
    """Yield what the actor of a release before the engine's workers logs of an update."""
    given, update = parts(), importlib.import_module("verl.workers.actor.dp_actor")
    protocol = importlib.import_module("verl").DataProto
    metric = _reducing(release)
    torch.cuda.current_device = lambda: "cpu"  # type: ignore[assignment]
    if hasattr(update, "get_device_id"):
        update.get_device_id = lambda: "cpu"  # type: ignore[attr-defined]
    config = Opened(
        ppo_epochs=EPOCHS, ppo_mini_batch_size=ROWS * MICRO_BATCHES, ppo_micro_batch_size_per_gpu=ROWS,
        use_kl_loss=True, kl_loss_type="low_var_kl", kl_loss_coef=0.01, use_dynamic_bsz=False, clip_ratio=0.2,
        clip_ratio_low=0.2, clip_ratio_high=0.2, clip_ratio_c=3.0, entropy_coeff=0.01, loss_agg_mode="token-mean",
        policy_loss=Opened(loss_mode="vanilla"),
    )  # fmt: skip
    results = []
    for rank in range(RANKS):
        own = [tensors for place, tensors in given if place["rank"] == rank]
        coming = iter(own)
        norms = iter([0.5, 2.0, 1.0, 4.0])

        def forward(coming: Iterator[Tensors] = coming, **_: Any) -> tuple[torch.Tensor, torch.Tensor]:
            tensors = next(coming)
            return tensors["token_entropy"], tensors["logprobs"].clone().requires_grad_()

        actor = SimpleNamespace(
            actor_module=torch.nn.Linear(1, 1),
            actor_optimizer=SimpleNamespace(zero_grad=lambda: None),
            config=config,
            ulysses_sequence_parallel_size=1,
            _forward_micro_batch=forward,
            _optimizer_step=lambda norms=norms: torch.tensor(next(norms)),
        )
        first = own[: MINI_BATCHES * MICRO_BATCHES]
        for later, tensors in zip(own[len(first) :], first, strict=True):
            for name in set(tensors) - {"logprobs", "token_entropy"}:
                later[name] = tensors[name]  # an epoch goes over the same responses
        whole = {name: torch.cat([tensors[name] for tensors in first]) for name in first[0]}
        mask = whole["mask"].long()
        data = protocol.from_dict(
            {
                "responses": mask,
                "input_ids": mask,
                "attention_mask": mask,
                "position_ids": mask,
                "response_mask": mask,
                "old_log_probs": whole["old_logprobs"],
                "ref_log_prob": whole["ref_logprobs"],
                "advantages": whole["advantages"],
            },
            meta_info={"temperature": 1.0},
        )
        metrics = update.DataParallelPPOActor.update_policy(actor, data)
        results.append(protocol(batch=None, meta_info={"metrics": metrics}))
    logged = metric(protocol.concat(results).meta_info["metrics"])
    norms_of = [
        ({"rank": rank, "epoch": at // 2, "mini_batch": at % 2}, {"gradient_norms": torch.tensor([norm])})
        for rank in range(RANKS)
        for at, norm in enumerate([0.5, 2.0, 1.0, 4.0])
    ]
    settings = {f"{ACTOR}use_kl_loss": True, f"{ACTOR}kl_loss_type": "low_var_kl", f"{ACTOR}entropy_coeff": 0.01}
    settings |= {"data.max_response_length": WIDTH}
    for key in ("actor/pg_loss", "actor/pg_clipfrac", "actor/ppo_kl", "actor/kl_loss"):
        yield f"verl[actor]=={release}", key, settings, given, logged[key]
    yield f"verl[actor]=={release}", "actor/grad_norm", settings, norms_of, logged["actor/grad_norm"]


def _reducing(release: str) -> Callable[[Any], Any]:
    """Return what makes one number of a list in the trainer."""
    if release < "0.4":
        return importlib.import_module("verl.trainer.ppo.metric_utils").reduce_metrics  # type: ignore[no-any-return]
    return importlib.import_module("verl.utils.metric").reduce_metrics  # type: ignore[no-any-return]


def engine_updates(release: str) -> Iterator[Number]:
    """Yield what the engine's workers log of an update in which the loss itself corrects for the rollout engine."""
    given = [one for one in parts() if (one[0]["mini_batch"], one[0]["micro_batch"]) != (1, 1)]  # steps are uneven
    core = importlib.import_module("verl.trainer.ppo.core_algos")
    worker = importlib.import_module("verl.workers.engine_workers").TrainingWorker
    metric = importlib.import_module("verl.utils.metric")
    tu = importlib.import_module("verl.utils.tensordict_utils")
    correction = {"rollout_is": "token", "rollout_is_threshold": 2.0}
    config = Opened(
        clip_ratio=0.2, clip_ratio_low=0.2, clip_ratio_high=0.2, clip_ratio_c=3.0, global_batch_info={},
        policy_loss=Opened(rollout_correction=Opened(**correction), loss_mode="bypass_mode"),
        loss_agg_mode="token-mean",
    )  # fmt: skip
    update = iter(itertools.product(range(EPOCHS), range(MINI_BATCHES)))

    def train_batch(_: Any) -> Any:
        epoch, mini = next(update)
        gathered: dict[str, list[Any]] = {}
        for rank in range(RANKS):
            own: dict[str, Any] = {}
            for place, tensors in given:
                if (place["rank"], place["epoch"], place["mini_batch"]) == (rank, epoch, mini):
                    _, found = core.get_policy_loss_fn("bypass_mode")(
                        old_log_prob=tensors["old_logprobs"],
                        log_prob=tensors["logprobs"],
                        advantages=tensors["advantages"],
                        response_mask=tensors["mask"].float(),
                        config=config,
                    )
                    importlib.import_module("verl.utils.py_functional").append_to_dict(
                        own, metric.Metric.from_dict(found, aggregation=metric.AggregationType.MEAN)
                    )
            for key, value in own.items():
                gathered.setdefault(key, []).append(value)
        return tu.get_tensordict(tensor_dict={}, non_tensor_dict={"metrics": gathered})

    engine = SimpleNamespace(
        get_data_parallel_size=lambda: RANKS,
        get_data_parallel_rank=lambda: 0,
        train_mode=lambda **_: nullcontext(),
        is_mp_src_rank_with_outputs=lambda: True,
    )
    itself = SimpleNamespace(engine=engine, train_batch=train_batch, profiler=SimpleNamespace(step=lambda: None))
    rows = ROWS * MICRO_BATCHES
    data = tu.get_tensordict(
        tensor_dict={"responses": torch.zeros(rows * MINI_BATCHES, WIDTH)},
        non_tensor_dict={"mini_batch_size": rows * RANKS, "epochs": EPOCHS},
    )
    output = worker.train_mini_batch.__wrapped__(itself, data)
    renamed = importlib.import_module("verl.utils.py_functional").rename_dict(tu.get(output, "metrics"), "actor/")
    logged = metric.reduce_metrics(renamed)
    settings = {f"{ACTOR}policy_loss.loss_mode": "bypass_mode", "data.max_response_length": WIDTH}
    settings |= {f"{ACTOR}policy_loss.rollout_correction.{name}": value for name, value in correction.items()}
    for key, value in logged.items():
        if key.startswith("actor/rollout_corr/"):
            own = [(place, _against_rollout(tensors)) for place, tensors in given]
            yield f"verl[rollout_correction]=={release}", key, settings, own, value
    yield f"verl[actor]=={release}", "actor/pg_clipfrac", settings, given, logged["actor/pg_clipfrac"]


def _against_rollout(tensors: Tensors) -> Tensors:
    """Return the tensors of a batch whose old policy is what the rollout engine computed."""
    return {"old_logprobs": tensors["logprobs"], "rollout_logprobs": tensors["old_logprobs"], "mask": tensors["mask"]}


def normalisers(release: str) -> Iterator[Number]:
    """Yield the mean weight over the responses of two processes, by which each of them divides."""
    import torch.multiprocessing as processes

    for level in ("token", "sequence"):
        given = [batch(60 + rank, lengths) for rank, lengths in enumerate(((5, 2), (1, 3)))]
        context = processes.get_context("fork")
        results = context.Queue()
        started = [context.Process(target=_normalised, args=(rank, level, given[rank], results)) for rank in range(2)]
        for process in started:
            process.start()
        value = dict(results.get() for _ in started)[0]
        for process in started:
            process.join()
        correction = {"rollout_is": level, "rollout_is_threshold": 2.0, "rollout_is_batch_normalize": True}
        settings = {f"{ACTOR}policy_loss.loss_mode": "bypass_mode", "data.max_response_length": WIDTH}
        settings |= {f"{ACTOR}policy_loss.rollout_correction.{name}": setting for name, setting in correction.items()}
        own = [({"rank": rank}, _against_rollout(tensors)) for rank, tensors in enumerate(given)]
        key = "actor/rollout_corr/rollout_is_batch_norm_factor"
        yield f"verl[rollout_correction]=={release}", key, settings, own, value


def _normalised(rank: int, level: str, tensors: Tensors, results: Any) -> None:
    torch.distributed.init_process_group(
        "gloo", init_method=f"file:///tmp/normalisers-{level}-{os.getppid()}", rank=rank, world_size=2
    )
    helper = importlib.import_module("verl.trainer.ppo.rollout_corr_helper")
    helper.verl_F.get_device_name = lambda: "cpu"
    _, _, found = helper.compute_rollout_correction_and_rejection_mask(
        old_log_prob=tensors["logprobs"], rollout_log_prob=tensors["old_logprobs"],
        response_mask=tensors["mask"].float(), rollout_is=level, rollout_is_threshold=2.0,
        rollout_is_batch_normalize=True,
    )  # fmt: skip
    results.put((rank, float(found["rollout_corr/rollout_is_batch_norm_factor"])))
    torch.distributed.destroy_process_group()


def critic_updates(release: str) -> Iterator[Number]:
    """Yield the loss of the critic, which engine workers add up over micro-batches and average over processes."""
    worker = importlib.import_module("verl.workers.engine_workers").TrainingWorker
    metric = importlib.import_module("verl.utils.metric")
    losses = torch.tensor([[0.5, 0.25, 1.0], [2.0, 0.125, 0.5]], dtype=torch.float64)
    kept: list[float] = []
    for of_step in losses:
        engine = SimpleNamespace(get_data_parallel_group=lambda: None, is_mp_src_rank_with_outputs=lambda: True)
        itself = SimpleNamespace(engine=engine, device_name="cpu", flops_counter=None)
        output = worker._postprocess_output(
            itself, {"metrics": {}, "loss": of_step.tolist(), "model_output": {}},
            global_token_num=None, delta_time=1.0, forward_only=False, images_seqlens=None,
        )  # fmt: skip
        kept.append(importlib.import_module("verl.utils.tensordict_utils").get(output, "metrics")["loss"])
    logged = metric.reduce_metrics({"critic/loss": kept})
    given = [
        ({"mini_batch": step, "micro_batch": micro}, {"critic_loss": losses[step, micro]})
        for step, micro in itertools.product(range(2), range(3))
    ]
    settings = {"trainer.use_legacy_worker_impl": "disable"} if release < "0.8" else {}
    yield f"verl[critic]=={release}", "critic/loss", settings, given, logged["critic/loss"]


def statistics(release: str, folder: str) -> Iterator[Number]:
    """Yield a divergence in which a response has no token, and the spread of one of several rewards."""
    if release < "0.4":
        trainer = importlib.import_module("verl.trainer.ppo.ray_trainer")
        tensors = batch(40, (4, 0, 2))
        mask = tensors["mask"].long()
        names = {"responses": mask, "attention_mask": mask, "token_level_scores": torch.zeros(3, WIDTH)}
        names |= {"old_log_probs": tensors["old_logprobs"], "ref_log_prob": tensors["ref_logprobs"]}
        control = SimpleNamespace(value=0.1, update=lambda **_: None)
        _, found = trainer.apply_kl_penalty(importlib.import_module("verl").DataProto.from_dict(names), control)
        yield f"verl[data]=={release}", "critic/kl", {}, [({}, tensors)], found["critic/kl"]
    else:
        import numpy

        yield from _of_scores(release)
        rewards, found = numpy.array([0.5, 1.0, 0.0, 0.25], dtype=numpy.float32), {}
        path = Path(folder, "verl", "trainer", "ppo", "ray_trainer.py")
        statements(
            path, "metrics[f'gdpo/{key}/std']", {"np": numpy, "vals": rewards, "metrics": found, "key": "format"}
        )
        settings = {"algorithm.adv_estimator": "gdpo", "algorithm.gdpo_reward_keys": ["format"]}
        tensors = {"function_rewards": torch.tensor(rewards)}
        yield f"verl[data]=={release}", "gdpo/format/std", settings, [({}, tensors)], found["gdpo/format/std"]


def _of_scores(release: str) -> Iterator[Number]:
    """Yield statistics of a batch in which a response has no token."""
    metrics = importlib.import_module("verl.trainer.ppo.metric_utils")
    mask = torch.arange(WIDTH)[None, :] < torch.tensor([4, 0, 2])[:, None]
    scores = torch.zeros(3, WIDTH)
    scores[:, 0] = torch.tensor([1.0, 4.0, 3.0])
    words = torch.ones(3, 2 + WIDTH, dtype=torch.long)
    words[:, 2:] = mask.long()
    names = {"responses": mask.long(), "prompts": words[:, :2], "attention_mask": words, "response_mask": mask.long()}
    names |= dict.fromkeys(("token_level_scores", "token_level_rewards", "advantages", "returns"), scores)
    logged = metrics.compute_data_metrics(importlib.import_module("verl").DataProto.from_dict(names), use_critic=False)
    given = {"scores": scores.sum(-1), "lengths": mask.sum(-1)}
    for key in ("critic/score/mean", "critic/score/max"):
        yield f"verl[data]=={release}", key, {}, [({}, given)], logged[key]


def fine_tuning(release: str) -> Iterator[Number]:
    """Yield the loss of a step of three micro-batches: only the last one's, divided by their number."""
    trainer = importlib.import_module("verl.trainer.fsdp_sft_trainer").FSDPSFTTrainer
    split = importlib.import_module("tensordict").TensorDict
    given, all_logits, words = [], [], torch.tensor([[1, 2, 0, 3, 1, 2], [3, 0, 1, 1, 2, 0]])
    made = torch.Generator().manual_seed(5)
    for micro, lengths in enumerate(((5, 2), (1, 3), (4, 4))):
        logits = torch.randn(2, WIDTH + 1, 4, generator=made).requires_grad_()
        mask = torch.arange(WIDTH)[None, :] < torch.tensor(lengths)[:, None]
        shares = logits[:, :-1].log_softmax(-1).gather(-1, words[:, 1:, None])[..., 0].detach()
        given.append(({"rank": 0, "micro_batch": micro}, {"logprobs": shares, "mask": mask}))
        all_logits.append(logits)
    coming = iter(all_logits)
    masks = torch.cat([torch.nn.functional.pad(tensors["mask"].long(), (0, 1)) for _, tensors in given])
    whole = split({"input_ids": words.repeat(3, 1), "attention_mask": masks, "position_ids": masks}, [6])
    whole["loss_mask"] = masks

    class Model:
        """Gives prepared logits."""

        def train(self) -> None:
            """Do nothing."""

        def clip_grad_norm_(self, max_norm: float) -> None:
            """Do nothing."""

        def __call__(self, **_: Any) -> Any:
            return SimpleNamespace(logits=next(coming))

    step = SimpleNamespace(zero_grad=lambda: None, step=lambda: None, get_last_lr=lambda: [1e-4])
    itself = SimpleNamespace(
        fsdp_model=Model(), optimizer=step, lr_scheduler=step,
        config=Opened(data=Opened(micro_batch_size=2, balance_dp_token=False), optim=Opened(clip_grad=1.0)),
        model=SimpleNamespace(config=SimpleNamespace(vocab_size=4)),
    )  # fmt: skip
    itself._compute_loss = types.MethodType(trainer._compute_loss, itself)
    torch.Tensor.cuda = lambda self: self  # type: ignore[method-assign]
    logged = trainer.training_step(itself, whole)
    yield f"verl[fsdp_sft]=={release}", "train/loss", {}, given, logged["train/loss"]


def numbers(release: str, folder: str) -> Iterator[Number]:
    """Yield the numbers of a release."""
    if release < "0.2":
        yield from fine_tuning(release)
    elif release < "0.6":
        yield from updates(release)
    if "0.3" <= release < "0.4" or release >= "0.9":
        yield from statistics(release, folder)
    if "0.7" <= release < "0.9":
        yield from critic_updates(release)
    if release >= "0.9":
        yield from engine_updates(release)
        yield from normalisers(release)
        yield from cycles(release)


def main() -> None:
    """Write the JSON of all releases; each is imported in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="+", metavar="RELEASE=FOLDER", help="a release and its unpacked wheel")
    parser.add_argument("--one", action="store_true", help="write the numbers of one release only")
    arguments = parser.parse_args()
    found: list[Any] = []
    for release, _, folder in (argument.partition("=") for argument in arguments.releases):
        if arguments.one:
            sys.meta_path.insert(0, Uncalled())
            for name in MEMORY:
                setattr(torch.cpu, name, lambda *_, of=name: (0, 0) if of == "mem_get_info" else 0)
            sys.path.insert(0, folder)
            print(json.dumps(written(list(numbers(release, folder)))))
            return
        command = [sys.executable, __file__, "--one", f"{release}={folder}"]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        found += json.loads(done.splitlines()[-1])
    json.dump(table("verl folds", found), sys.stdout)


if __name__ == "__main__":
    main()
