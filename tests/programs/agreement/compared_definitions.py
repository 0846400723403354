"""What each framework's definition makes of the reference steps, by ``as_logged``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from programs.agreement.agreement_recording import FOLDER
from programs.agreement.compared_steps import Numbers, Step, token_entropy
from rlmetrics import as_logged

__all__ = ["CLOSE", "DEFINITIONS", "Definition", "Recording", "recordings"]

CLOSE = 2e-6
"""What two numbers may differ by that agree: both are computed in float32."""

_DERIVED: Mapping[str, tuple[str, dict[str, Any]]] = {
    "policy_loss": ("loss", {"epsilon": 0.2, "transformers": 5}),
    "kl_reference": ("kl", {"beta": 0.04}),
    "entropy": ("entropy", {}),
}


@dataclass(frozen=True)
class Definition:
    """The key of a quantity in a release, and the settings under which the steps were run."""

    source: str
    keys: Mapping[str, tuple[str, Mapping[str, Any]]] = field(default_factory=lambda: _DERIVED)

    def logged(self, quantity: str) -> Any:
        """Return the function of a quantity, or none where the framework logs no such number."""
        if quantity not in self.keys:
            return None
        key, config = self.keys[quantity]
        return as_logged(key, at=self.source, config=config)

    def numbers(self, parts: Step) -> Numbers:
        """Return the number of each quantity."""
        return {quantity: _value(self.logged(quantity), parts) for quantity in self.keys}


DEFINITIONS: Mapping[str, Definition] = {
    "trl": Definition("trl[GRPOTrainer]==1.16.0"),
    "verl": Definition(
        "verl==0.9.1",
        {
            "policy_loss": ("actor/pg_loss", {}),
            "kl_reference": ("actor/kl_loss", {"actor_rollout_ref.actor.use_kl_loss": True}),
            "kl_old": ("actor/ppo_kl", {}),
            "entropy": ("actor/entropy", {}),
        },
    ),
    "openrlhf": Definition(
        "openrlhf==0.11.2",
        {
            "policy_loss": ("policy_loss", {}),
            "kl_reference": ("kl", {"algo.kl.use_loss": True, "algo.kl.estimator": "k3"}),
            "kl_old": ("ppo_kl", {}),
            "entropy": ("entropy_loss", {}),
        },
    ),
    "areal": Definition(
        "areal==1.0.4",
        {
            "policy_loss": ("ppo_actor/update/actor_loss/avg", {}),
            "kl_old": ("ppo_actor/update/approx_kl/avg", {}),
            "entropy": ("ppo_actor/update/entropy/avg", {}),
        },
    ),
    "unsloth": Definition(
        "unsloth[GRPOTrainer]==2026.10.9+trl1.15.0",
        {quantity: found for quantity, found in _DERIVED.items() if quantity != "entropy"},
    ),
    "ms-swift": Definition(
        "ms-swift[GRPOTrainer]==4.6.0+trl0.29.1",
        {
            **_DERIVED,
            "policy_loss": ("loss", {"epsilon": 0.2, "beta": 0}),
            "entropy": ("entropy/mean", {"log_entropy": True}),
        },
    ),
    "axolotl": Definition("axolotl[AxolotlGRPOTrainer]==0.21.0"),
}
"""By framework. LLaMA-Factory is none of them: of what is described of it nothing updates a policy by rewards."""


@dataclass(frozen=True)
class Recording:
    """What a framework's own code made of the steps."""

    framework: str
    release: str
    numbers: Mapping[str, Numbers]


def recordings() -> list[Recording]:
    """Return the recordings in the order of the definitions."""
    return [
        Recording(name, **json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))) for name in DEFINITIONS
    ]


def _value(function: Any, parts: Step) -> float:
    named = [{word: _tensor(part, word) for word in function.inputs} for part in parts]
    cut = [level for level in function.levels if level in ("micro_batch",)]
    data: Any = named if cut else _joined(named)
    for _ in function.levels[: -1 if cut else None]:
        data = [data]
    return float(function(data))


def _tensor(part: Mapping[str, torch.Tensor], word: str) -> torch.Tensor:
    if word == "token_entropy":
        return token_entropy(part)
    found = part[{"old_logits": "logits"}.get(word, word)]
    return found.bool() if word == "mask" else found


def _joined(parts: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    width = max(part["mask"].shape[1] for part in parts)
    return {word: torch.cat([_padded(part[word], width) for part in parts]) for word in parts[0]}


def _padded(tensor: torch.Tensor, width: int) -> torch.Tensor:
    missing = width - tensor.shape[1]
    return torch.nn.functional.pad(tensor, (0, 0, 0, missing) if tensor.dim() == 3 else (0, missing))
