"""Records small numbers that verl's own functions compute: ``python record_verl.py RELEASE=FOLDER… > verl.json``.

FOLDER is the unpacked wheel of a release (``pip download --no-deps verl==RELEASE``); the packages that verl imports
must be installed. Each number is kept with what a user would say: the key, the release, the settings, and the tensors.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import ModuleType
from typing import Any

import torch

LOSSES = ("vanilla", "gspo", "gpg", "geo_mean", "sapo", "cispo")
Config = Mapping[str, Any]
Tensors = dict[str, torch.Tensor]

CORRECTION = "algorithm.rollout_correction."
ACTOR = "actor_rollout_ref.actor."
COMPARED: Config = {"actor_rollout_ref.rollout.calculate_log_probs": True}


def batches() -> dict[str, Tensors]:
    """Return the batches: responses of several lengths, without tokens, alone, far off the policy, all alike."""
    made = torch.Generator().manual_seed(20)

    def batch(lengths: Sequence[int], width: int, spread: float) -> Tensors:
        rows = len(lengths)

        def noise(size: float) -> torch.Tensor:
            return (size * torch.randn(rows, width, generator=made)).mul(1000).round().div(1000)

        old = -noise(1.0).abs()
        mask = torch.arange(width)[None, :] < torch.tensor(lengths)[:, None]
        return {
            "old_logprobs": old,
            "logprobs": old + noise(spread),
            "rollout_logprobs": old + noise(spread),
            "ref_logprobs": old + noise(spread),
            "advantages": noise(1.0),
            "returns": noise(1.0),
            "old_values": noise(1.0),
            "values": noise(1.0),
            "mask": mask,
        }

    return {
        "several lengths": batch([5, 3, 4, 1], 5, 0.4),
        "further lengths": batch([2, 5, 5, 3], 5, 0.4),
        "a response without tokens": batch([4, 0, 2, 5], 5, 0.5),
        "one response": batch([4], 5, 0.4),
        "one token": batch([1], 5, 0.4),
        "no token": batch([0, 0], 5, 0.4),
        "far off": batch([3, 5, 2], 5, 14.0),
    }


def numbers(release: str, tensors: Mapping[str, Tensors]) -> Iterator[dict[str, Any]]:
    """Yield each number of a release with its key, settings and batch."""
    for record in (_corrections, _losses, _others):
        for name, batch in tensors.items():
            for at, key, config, value in record(release, batch):
                yield {"at": at, "key": key, "config": dict(config), "batch": name, "value": float(value)}


Found = Iterator[tuple[str, str, Config, float]]


def _corrections(release: str, batch: Tensors) -> Found:
    """Yield what is said about importance weights, rejection and the distance from the rollout engine."""
    at = f"verl[rollout_correction]=={release}"
    given = {
        "old_log_prob": batch["old_logprobs"],
        "rollout_log_prob": batch["rollout_logprobs"],
        "response_mask": batch["mask"].float(),
    }
    if not batch["mask"].any():
        return
    if release < "0.6.0":
        return
    if release == "0.6.0":
        helper = importlib.import_module("verl.trainer.ppo.mismatch_helper")
        for level in ("token", "sequence", "geometric"):
            settings = {"rollout_is_level": level, "rollout_is_threshold": 1.5}
            found = helper.compute_rollout_importance_weights(**given, **settings)
            config = {**COMPARED, **{f"algorithm.{name}": value for name, value in settings.items()}}
            for key, value in found[-1].items():
                yield at, key, config, value
        return
    helper = importlib.import_module("verl.trainer.ppo.rollout_corr_helper")
    call = helper.compute_rollout_correction_and_rejection_mask
    taken = inspect.signature(call).parameters
    calls: list[dict[str, Any]] = [
        {"rollout_is": level, "rollout_is_threshold": bound, "rollout_is_batch_normalize": True}
        for level in ("token", "sequence")
        for bound in ([1.3] if release < "0.8.0" else [1.3, "0.7_1.4"])
    ]
    calls.append({"rollout_is": None})
    for settings in calls:
        config = {**COMPARED, **{f"{CORRECTION}{name}": value for name, value in settings.items() if name in taken}}
        try:
            found = call(**given, **settings)[-1]
        except ZeroDivisionError:  # all weights are 0
            continue
        for key, value in found.items():
            yield at, key, config, value


def _losses(release: str, batch: Tensors) -> Found:
    """Yield what each loss mode logs under each way of aggregation, of one micro-batch alone."""
    core = importlib.import_module("verl.trainer.ppo.core_algos")
    at = f"verl[actor]=={release}"
    modes = ["token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm"]
    modes += ["token-sum"] if release >= "0.9.0" else []
    tensors = {
        "old_log_prob": batch["old_logprobs"],
        "log_prob": batch["logprobs"],
        "advantages": batch["advantages"],
        "response_mask": batch["mask"].float(),
    }
    # Engine workers say how large the global batch is; the workers before them, until 0.7.1, do not.
    workers: list[tuple[bool, Config]] = [(release >= "0.8.0", {})]
    if "0.7.0" <= release < "0.8.0":
        workers.append((True, {"trainer.use_legacy_worker_impl": "disable"}))
    for mode, loss_mode, (is_told, worker) in product(modes, LOSSES, workers):
        config = {f"{ACTOR}policy_loss.loss_mode": loss_mode, f"{ACTOR}loss_agg_mode": mode, **worker}
        config["data.max_response_length"] = batch["mask"].shape[-1]
        for key, value in _loss(core, loss_mode, mode, tensors, is_told):
            yield at, key, config, value


def _loss(core: ModuleType, loss_mode: str, mode: str, tensors: Tensors, is_told: bool) -> Iterator[tuple[str, float]]:
    names = ("actor/pg_loss", "actor/pg_clipfrac", "actor/ppo_kl", "actor/pg_clipfrac_lower")
    registry = getattr(core, "POLICY_LOSS_REGISTRY", {})
    if loss_mode == "vanilla" and "vanilla" not in registry:
        found = core.compute_policy_loss(
            **tensors, cliprange=0.2, cliprange_low=0.2, cliprange_high=0.2, loss_agg_mode=mode
        )
    elif loss_mode not in registry or not hasattr(core, "ActorConfig"):
        return
    else:
        found = core.get_policy_loss_fn(loss_mode)(**tensors, loss_agg_mode=mode, config=_settings(tensors, is_told))
    if isinstance(found[1], dict):
        yield "actor/pg_loss", found[0]
        yield from found[1].items()
    else:
        yield from zip(names if loss_mode in ("vanilla", "geo_mean") else names[:1], found, strict=False)


def _settings(tensors: Tensors, is_told: bool) -> Any:
    """Return the actor's settings, with what its worker says of the global batch."""
    config = importlib.import_module("verl.workers.config").ActorConfig
    known = {field.name for field in dataclasses.fields(config)}
    settings = {"strategy": "fsdp", "rollout_n": 1, "ppo_micro_batch_size_per_gpu": 1, "use_dynamic_bsz": True}
    made = config(**{name: value for name, value in settings.items() if name in known})
    if is_told:
        made.global_batch_info.update(_whole(tensors["response_mask"]), loss_scale_factor=None)
    return made


def _whole(mask: torch.Tensor) -> dict[str, Any]:
    """Return what a worker tells of the global batch: this batch is all of it."""
    return {"dp_size": 1, "batch_num_tokens": mask.sum(), "global_batch_size": len(mask)}


def _others(release: str, batch: Tensors) -> Found:
    """Yield the value loss, divergences from the reference and the statistics of a batch."""
    core = importlib.import_module("verl.trainer.ppo.core_algos")
    mask = batch["mask"].float()
    taken = inspect.signature(core.compute_value_loss).parameters
    if "loss_agg_mode" in taken:
        whole = _whole(mask) if "global_batch_size" in taken else {}
        for mode in ("token-mean", "seq-mean-token-mean"):
            loss, clipped = core.compute_value_loss(
                batch["values"], batch["returns"], batch["old_values"], mask, 0.5, mode, **whole
            )
            config = {"critic.loss_agg_mode": mode, "data.max_response_length": mask.shape[-1]}
            yield f"verl[critic]=={release}", "critic/vf_loss", config, loss
            yield f"verl[critic]=={release}", "critic/vf_clipfrac", config, clipped


def _listed(tensor: torch.Tensor) -> list[list[float]]:
    """Return a tensor as lists, its numbers as short as float32 allows."""
    if tensor.dtype == torch.bool:
        return tensor.tolist()  # type: ignore[no-any-return]
    return [[float(f"{value:.8g}") for value in row] for row in tensor.double().tolist()]


def main() -> None:
    """Write the JSON of all releases; each is imported in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="+", metavar="RELEASE=FOLDER", help="a release and its unpacked wheel")
    parser.add_argument("--one", action="store_true", help="write the numbers of one release only")
    arguments = parser.parse_args()
    found: list[Any] = []
    for release, _, folder in (argument.partition("=") for argument in arguments.releases):
        if arguments.one:
            sys.path.insert(0, folder)
            print(json.dumps(list(numbers(release, batches()))))
            return
        command = [sys.executable, __file__, "--one", f"{release}={folder}"]
        written = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        found += json.loads(written.splitlines()[-1])
    configs = list({json.dumps(number["config"]): number["config"] for number in found}.values())
    rows = [
        (number["at"], number["key"], configs.index(number["config"]), number["batch"], float(f"{number['value']:.8g}"))
        for number in found
    ]
    tensors = {name: {word: _listed(tensor) for word, tensor in batch.items()} for name, batch in batches().items()}
    json.dump({"batches": tensors, "configs": configs, "numbers": rows}, sys.stdout)


if __name__ == "__main__":
    main()
