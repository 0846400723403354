"""Records what AReaL's own code makes of fixed tensors on a CPU.

``python -m programs.areal_parity TREE RELEASE OUT``, with ``tests`` on the path, writes ``OUT``.

TREE is the unpacked wheel. ``grpo_loss_fn`` and the critic's ``ppo_loss_fn`` are called once for each micro-batch, with
the real statistics tracker, which then exports what a training step logs; the estimators of the KL penalty are called
with tensors. What their modules import and these runs never call (engines, controllers, configuration classes) is
replaced by empty modules.

Not run: the engines' optimizer steps, rollouts, the trainer's loop, and everything over several processes.
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
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from programs.openrlhf_parity import Nothing, batch

ABSENT = (
    "areal.api",
    "areal.infra",
    "areal.experimental",
    "areal.utils.logging",
    "areal.utils.perf_tracer",
    "areal.utils.math",
    "torchdata",
    "numba",
    "einops",
)
"""Modules that these runs never call."""

FOLDERS = ("areal", "areal.utils", "areal.trainer", "areal.trainer.ppo")
"""Packages whose own ``__init__`` imports everything."""


class Unneeded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that are not needed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find one of them."""
        wanted = any(name == each or name.startswith(f"{each}.") for each in ABSENT)
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if wanted else None

    def create_module(self, spec: Any) -> types.ModuleType:
        """Make it."""
        module = Nothing(spec.name)
        if spec.name == "areal.utils.perf_tracer":
            module.trace_perf = lambda *_, **__: lambda function: function  # type: ignore[attr-defined]
        if spec.name == "numba":
            module.njit = lambda function: function  # type: ignore[attr-defined]
        if spec.name == "areal.utils.logging":
            quiet = SimpleNamespace(info=print, warning=print, error=print)
            module.getLogger = lambda *_: quiet  # type: ignore[attr-defined]
        if spec.name == "areal.infra.platforms":
            module.current_platform = SimpleNamespace(is_initialized=lambda: False)  # type: ignore[attr-defined]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing."""


def prepare(tree: str) -> None:
    """Have the modules of AReaL found."""
    sys.meta_path.insert(0, Unneeded())
    for name in FOLDERS:
        module = types.ModuleType(name)
        module.__path__ = [str(Path(tree, *name.split(".")))]
        sys.modules[name] = module


def listed(values: dict[str, Any]) -> dict[str, Any]:
    """Return tensors as lists."""
    return {name: value.tolist() if isinstance(value, torch.Tensor) else value for name, value in values.items()}


SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"eps_clip_higher": 0.3},
    {"c_clip": 1.2},
    {"importance_sampling_level": "sequence"},
    {"use_sapo_loss": True},
    {"rejects": "mask"},
    {"rejects": "clamp"},
)


def update(settings: dict[str, Any], sizes: list[list[int]]) -> dict[str, Any]:
    """Return what is exported after a loss for each micro-batch; where it rejects, the engine sampled."""
    parts = [batch(lengths, max(lengths), 30 + 11 * at) for at, lengths in enumerate(sizes)]
    # As positions beyond the mask would be in a run: of any size.
    entropies = [-(part["logits"].log_softmax(-1) * part["logits"].softmax(-1)).sum(-1) for part in parts]
    kept = ("mask", "logprobs", "old_logprobs", "rollout_logprobs", "advantages")
    arrays = [
        listed({**{name: part[name] for name in kept}, "entropies": entropy})
        for part, entropy in zip(parts, entropies, strict=True)
    ]
    return {
        "name": "update",
        "settings": settings,
        "arrays": arrays,
        "numbers": exported(parts, entropies, settings),
    }


def exported(
    parts: Sequence[dict[str, torch.Tensor]], entropies: Sequence[torch.Tensor], settings: dict[str, Any]
) -> dict[str, Any]:
    """Return what the tracker holds after the loss of each micro-batch."""
    actor = importlib.import_module("areal.trainer.ppo.actor")
    tracker = importlib.import_module("areal.utils.stats_tracker")
    rejects = settings.get("rejects")
    bounds = SimpleNamespace(level="token", action=rejects, metric="ratio", agg="mean", upper=1.1, lower=0.9)
    given = {"eps_clip": 0.2, "eps_clip_higher": None, "c_clip": None}
    given |= {name: value for name, value in settings.items() if name != "rejects"}
    for part, entropy in zip(parts, entropies, strict=True):
        mask = part["mask"].bool()
        data = {
            "logprobs": part["rollout_logprobs"] if rejects else part["old_logprobs"],
            "prox_logp": part["old_logprobs"],
            "advantages": part["advantages"],
            "loss_mask": mask,
            "attention_mask": torch.ones_like(mask),
            "versions": torch.where(mask, 3, -1),
        }
        actor.grpo_loss_fn(
            part["logprobs"],
            entropy,
            data,
            rejection_sampling=bounds if rejects else None,
            use_decoupled_loss=bool(rejects),
            current_version=5,
            **given,
        )
    return dict(tracker.export_all())


def critic(sizes: list[list[int]]) -> dict[str, Any]:
    """Return what the critic's loss exports."""
    module = importlib.import_module("areal.trainer.ppo.critic")
    tracker = importlib.import_module("areal.utils.stats_tracker")
    parts = [batch(lengths, max(lengths), 70 + 11 * at) for at, lengths in enumerate(sizes)]
    for part in parts:
        data = {"values": part["old_values"], "returns": part["returns"], "loss_mask": part["mask"]}
        module.ppo_loss_fn(part["values"].unsqueeze(-1), data, eps_clip=0.5)
    kept = ("mask", "values", "old_values", "returns")
    arrays = [listed({name: part[name] for name in kept}) for part in parts]
    return {"name": "critic", "settings": {}, "arrays": arrays, "numbers": tracker.export_all()}


def penalties() -> list[dict[str, Any]]:
    """Return the KL estimates of tokens."""
    estimator = importlib.import_module("areal.utils.data").KLEstimator
    part = batch([4, 2], 4, 7)
    arrays = listed({name: part[name] for name in ("mask", "old_logprobs", "ref_logprobs")})
    return [
        {
            "name": "penalty",
            "settings": {"estimator": name},
            "arrays": arrays,
            "numbers": {"tokens": estimator(name)(part["old_logprobs"], part["ref_logprobs"]).tolist()},
        }
        for name in ("k1", "k2", "k3")
    ]


def main() -> None:
    """Write the recording."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", help="the unpacked wheel, which holds areal/")
    parser.add_argument("release")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    prepare(options.tree)
    sizes: list[list[int]] = [[4, 1], [2], [3, 2, 1]]
    events = [*(update(settings, sizes) for settings in SETTINGS), critic(sizes), *penalties()]
    with gzip.GzipFile(options.out, "wb", mtime=0) as file:
        file.write(json.dumps({"release": options.release, "events": events}, separators=(",", ":")).encode())
    print(options.out.stat().st_size, "bytes,", sum(len(event["numbers"]) for event in events), "numbers")


if __name__ == "__main__":
    main()
