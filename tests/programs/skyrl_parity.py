"""Records what SkyRL's own code makes of fixed tensors on a CPU.

``python -m programs.skyrl_parity TREE RELEASE OUT``, with ``tests`` on the path, writes ``OUT``.

TREE is the unpacked wheel. Advantages are divided, losses called for each micro-batch, and the numbers that a worker
reports of one reduced over micro-batches and mini-batches, all by its own functions; so are the critic's loss, the
estimators of the KL divergence and the numbers of generation. What their modules import and these runs never call is
replaced by empty modules.

Not run: models, optimizer steps, Megatron, and everything over several processes.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.abc
import importlib.machinery
import json
import sys
import types
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from programs.areal_parity import listed
from programs.openrlhf_parity import Nothing, batch

ABSENT = (
    "ray",
    "loguru",
    "jaxtyping",
    "omegaconf",
    "cloudpickle",
    "skyrl_gym",
    "skyrl.backends.skyrl_train.distributed",
    "skyrl.backends.skyrl_train.training_batch",
    "skyrl.backends.skyrl_train.utils.io",
    "skyrl.backends.skyrl_train.utils.sample_support",
    "skyrl.backends.skyrl_train.workers.worker",
    "skyrl.train.config",
    "skyrl.train.dataset",
    "skyrl.train.generators.base",
    "skyrl.train.generators.skyrl_gym_generator",
    "skyrl.backends.skyrl_train.inference_servers",
    "torchdata",
    "transformers",
    "flash_attn",
    "tensordict",
)
"""Modules that these runs never call."""

FOLDERS = (
    "skyrl",
    "skyrl.backends",
    "skyrl.backends.skyrl_train",
    "skyrl.backends.skyrl_train.utils",
    "skyrl.backends.skyrl_train.workers",
    "skyrl.train",
    "skyrl.train.generators",
    "skyrl.train.utils",
)
"""Packages whose own ``__init__`` imports everything."""

UTILITIES = "skyrl.backends.skyrl_train.utils"


class Uncalled(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that are not needed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find one of them."""
        wanted = any(name == each or name.startswith(f"{each}.") for each in ABSENT)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if wanted else None

    def create_module(self, spec: Any) -> types.ModuleType:
        """Make it."""
        module = Nothing(spec.name)
        if spec.name == "ray":
            module.remote = lambda item: item  # type: ignore[attr-defined]
            module.is_initialized = lambda: False  # type: ignore[attr-defined]
        if spec.name == "loguru":
            module.logger = SimpleNamespace(info=print, warning=lambda *_: None, error=print)  # type: ignore[attr-defined]
        if spec.name == "skyrl.train.generators.base":
            module.MetricsOutput = dict  # type: ignore[attr-defined]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing."""


def prepare(tree: str) -> None:
    """Have the modules of SkyRL found."""
    sys.meta_path.insert(0, Uncalled())
    for name in FOLDERS:
        module = types.ModuleType(name)
        module.__path__ = [str(Path(tree, *name.split(".")))]
        sys.modules[name] = module


def settings_of(settings: dict[str, Any]) -> SimpleNamespace:
    """Return a configuration: the release's defaults, and what differs."""
    correction = {
        "tis_ratio_type": None,
        "token_tis_ratio_clip_high": 1.1,
        "sequence_tis_ratio_clip_high": 1.2,
        "sequence_mask_metric": None,
        "geo_mask_high": 1.05,
        "geo_mask_low": 0.95,
        "product_mask_high": 1.2,
        "product_mask_low": 0.8,
        "outlier_token_is_threshold_low": None,
        "outlier_token_is_threshold_high": None,
        "token_mask_is_threshold_low": None,
        "token_mask_is_threshold_high": None,
    }
    own = {
        "policy_loss_type": "regular",
        "loss_reduction": "token_mean",
        "eps_clip_low": 0.2,
        "eps_clip_high": 0.2,
        "clip_ratio_c": 1.2,
        "value_clip": 0.5,
        "kl_estimator_type": "k3",
        "sapo": SimpleNamespace(tau_pos=1.0, tau_neg=1.05),
        "cispo": SimpleNamespace(cispo_anchor="old", cispo_eps_clip_low=0.2, cispo_eps_clip_high=0.2),
    }
    correction |= {name: value for name, value in settings.items() if name in correction}
    own |= {name: value for name, value in settings.items() if name in own}
    return SimpleNamespace(**own, off_policy_correction=SimpleNamespace(**correction))


SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"policy_loss_type": "dual_clip"},
    {"loss_reduction": "sequence_mean"},
    {"loss_reduction": "token_mean_legacy"},
    {"policy_loss_type": "gspo", "loss_reduction": "sequence_mean"},
    {"policy_loss_type": "sapo", "loss_reduction": "sequence_mean"},
    {"policy_loss_type": "cispo"},
    {"policy_loss_type": "rollout_is"},
    {"policy_loss_type": "importance_sampling"},
    {"tis_ratio_type": "token"},
    {"tis_ratio_type": "sequence"},
    {"token_mask_is_threshold_low": 0.9, "token_mask_is_threshold_high": 1.1},
    {"kl_estimator_type": "k1"},
    {"kl_estimator_type": "k2"},
    {"kl_estimator_type": "abs"},
)


def update(settings: dict[str, Any], minis: list[list[int]]) -> dict[str, Any]:
    """Return what a step logs of its mini-batches, with two responses in each micro-batch."""
    losses = importlib.import_module(f"{UTILITIES}.ppo_utils")
    masked_mean = importlib.import_module(f"{UTILITIES}.torch_utils").masked_mean
    reducing = importlib.import_module("skyrl.backends.skyrl_train.workers.worker_utils")
    finish = importlib.import_module("skyrl.train.utils.trainer_utils").finalize_minibatch_rollout_logprob_diff_std
    config = settings_of(settings)
    loss = losses.PolicyLossRegistry.get(config.policy_loss_type)
    steps: dict[str, list[float]] = {}
    arrays = []
    for at, lengths in enumerate(minis):
        whole = batch(lengths, max(lengths), 40 + 13 * at)
        whole["mask"] = whole["mask"].float()
        whole["entropies"] = -(whole["logits"].log_softmax(-1) * whole["logits"].softmax(-1)).sum(-1)
        kept = ("mask", "logprobs", "old_logprobs", "rollout_logprobs", "ref_logprobs", "advantages", "entropies")
        arrays.append(listed({name: whole[name] for name in kept}))
        divided = losses.apply_loss_reduction_to_advantages_minibatch(
            whole["advantages"], whole["mask"], config.loss_reduction, 2, 100
        )
        parts: dict[str, list[float]] = {}
        for start in range(0, len(lengths), 2):
            one = {name: values[start : start + 2] for name, values in whole.items()}
            mask = one["mask"]
            value, logged = loss(
                one["logprobs"],
                one["old_logprobs"],
                divided[start : start + 2],
                config=config,
                loss_mask=mask,
                rollout_logprobs=one["rollout_logprobs"],
            )
            divergence = losses.compute_approx_kl(
                one["logprobs"], one["ref_logprobs"], loss_mask=mask, kl_estimator_type=config.kl_estimator_type
            )
            # As PolicyWorkerBase._forward_backward_micro reports them.
            status = {
                "policy_loss": value.item(),
                "policy_entropy": masked_mean(one["entropies"], mask).item(),
                "policy_kl": masked_mean(divergence, mask, dim=-1).mean().item(),
                **{f"loss_metrics/{name}": number for name, number in logged.items()},
                **reducing.compute_minibatch_rollout_logprob_diff_metrics(
                    one["logprobs"], one["rollout_logprobs"], mask
                ),
            }
            for name, number in status.items():
                parts.setdefault(name, []).append(number)
        for name, number in reducing.reduce_metrics(parts, sum_loss_metrics=True).items():
            steps.setdefault(name, []).append(number)
    numbers = reducing.reduce_metrics(steps, sum_loss_metrics=False)
    finish(numbers)
    return {"name": "update", "settings": settings, "arrays": arrays, "numbers": numbers}


def critic(lengths: list[int]) -> dict[str, Any]:
    """Return what the critic's loss gives for micro-batches of two responses."""
    losses = importlib.import_module(f"{UTILITIES}.ppo_utils")
    masked_mean = importlib.import_module(f"{UTILITIES}.torch_utils").masked_mean
    reducing = importlib.import_module("skyrl.backends.skyrl_train.workers.worker_utils")
    whole = batch(lengths, max(lengths), 70)
    whole["mask"] = whole["mask"].float()
    parts: dict[str, list[float]] = {}
    for start in range(0, len(lengths), 2):
        one = {name: values[start : start + 2] for name, values in whole.items()}
        value, share = losses.ppo_critic_loss(
            one["values"], one["old_values"], one["returns"], settings_of({}), one["mask"]
        )
        mean = masked_mean(one["values"], one["mask"]).item()
        for name, number in {"critic_loss": value.item(), "values_clipfrac": share, "values_mean": mean}.items():
            parts.setdefault(name, []).append(number)
    kept = ("mask", "values", "old_values", "returns")
    arrays = [listed({name: whole[name] for name in kept})]
    return {"name": "critic", "settings": {}, "arrays": arrays, "numbers": reducing.reduce_metrics(parts)}


def generation() -> dict[str, Any]:
    """Return what is logged of responses and their rewards."""
    utilities = importlib.import_module("skyrl.train.generators.utils")
    lengths, rewards = [3, 5, 2, 6], [1.0, 0.0, -0.5, 0.5]
    masks = [[1] * 3, [1, 1, 0, 0, 1], [1, 1], [0] * 6]
    responses = [list(range(length)) for length in lengths]
    numbers = utilities.get_rollout_metrics(responses, rewards, loss_masks=masks)
    numbers |= utilities.get_metrics_from_generator_output({"rewards": rewards}, ["a", "a", "b", "b"])
    arrays = [{"lengths": lengths, "rewards": rewards, "masks": masks}]
    return {"name": "generation", "settings": {}, "arrays": arrays, "numbers": numbers}


def main() -> None:
    """Write the recording."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", help="the unpacked wheel, which holds skyrl/")
    parser.add_argument("release")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    prepare(options.tree)
    minis = [[4, 1, 2, 3], [1, 5, 3, 2]]
    events = [*(update(settings, minis) for settings in SETTINGS), critic([4, 1, 2, 3]), generation()]
    with gzip.GzipFile(options.out, "wb", mtime=0) as file:
        file.write(json.dumps({"release": options.release, "events": events}, separators=(",", ":")).encode())
    print(options.out.stat().st_size, "bytes,", sum(len(event["numbers"]) for event in events), "numbers")


if __name__ == "__main__":
    main()
