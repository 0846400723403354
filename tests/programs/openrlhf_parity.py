"""Records what OpenRLHF's own code makes of fixed tensors on a CPU.

``python -m programs.openrlhf_parity TREE RELEASE OUT``, with ``tests`` on the path, writes ``OUT``; with
``--corrected`` only what the policy loss of a release up to 0.11.1 gives with weights between trainer and engine.

TREE is the unpacked wheel. Its modules are imported as they are; what they import and these runs never call (Ray, vLLM,
DeepSpeed, Transformers and others) is replaced by empty modules. The losses, estimators, entropies and advantages are
called with tensors; a whole update of the actor, ``ActorPPOTrainer.ppo_train``, goes over micro-batches, with an actor
that returns prepared log-probabilities and logits. ``torch.cuda.current_device``, which is asked for, answers ``cpu``.

Not run: the critic's update, which needs a model, and everything over several processes.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import importlib.abc
import importlib.machinery
import json
import math
import random
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

ABSENT = (
    "ray",
    "vllm",
    "deepspeed",
    "transformers",
    "peft",
    "flash_attn",
    "datasets",
    "ring_flash_attn",
    "bitsandbytes",
    "torchdata",
    "optree",
    "aiohttp",
    "pylatexenc",
    "tqdm",
    "loralib",
    "accelerate",
    "PIL",
    "wandb",
)
"""Packages that these runs never call."""


class Nothing(types.ModuleType):
    """A module of which every name is a class that does nothing."""

    __path__ = []  # noqa: RUF012

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(
            name, (), {"__class_getitem__": classmethod(lambda cls, _: cls), "__getattr__": lambda self, _: None}
        )
        setattr(self, name, made)
        return made


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the packages that are not needed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find one of them."""
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.split(".")[0] in ABSENT else None

    def create_module(self, spec: Any) -> types.ModuleType:
        """Make it."""
        module = Nothing(spec.name)
        if spec.name == "ray":
            module.remote = lambda *a, **k: a[0] if a and isinstance(a[0], type) else (lambda cls: cls)  # type: ignore[attr-defined]
        if spec.name == "tqdm":
            module.tqdm = Bar  # type: ignore[attr-defined]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing."""


class Bar:
    """A progress bar that shows nothing."""

    def __init__(self, items: Any, **_: Any) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def set_postfix(self, *_: Any) -> None:
        """Show nothing."""


def spread(size: tuple[int, ...], seed: int, low: float = -1.0, high: float = 1.0) -> torch.Tensor:
    """Return numbers that are the same wherever they are made."""
    draw = random.Random(seed)
    values = [draw.uniform(low, high) for _ in range(math.prod(size))]
    return torch.tensor(values, dtype=torch.float32).reshape(size)


def batch(lengths: Sequence[int], width: int, seed: int) -> dict[str, torch.Tensor]:
    """Return the tensors of some responses."""
    rows = len(lengths)
    mask = torch.tensor([[float(at < length) for at in range(width)] for length in lengths])
    old = spread((rows, width), seed, -3, -0.1) * mask
    return {
        "mask": mask,
        "old_logprobs": old,
        "logprobs": (old + spread((rows, width), seed + 1, -0.6, 0.6)) * mask,
        "ref_logprobs": (old + spread((rows, width), seed + 2, -0.5, 0.5)) * mask,
        "rollout_logprobs": (old + spread((rows, width), seed + 3, -0.2, 0.2)) * mask,
        "advantages": spread((rows, width), seed + 4, -2, 2) * mask,
        "values": spread((rows, width), seed + 5) * mask,
        "old_values": spread((rows, width), seed + 6) * mask,
        "returns": spread((rows, width), seed + 7, -2, 2) * mask,
        "logits": spread((rows, width, 5), seed + 8, -3, 3),
    }


def theirs(module: str) -> Any:
    """Import a module of OpenRLHF."""
    return importlib.import_module(f"openrlhf.{module}")


def entropy_of(utils: Any) -> Any:
    """Return its entropy as it is written, without compilation."""
    return getattr(utils.compute_entropy, "__wrapped__", utils.compute_entropy)


def listed(value: Any) -> Any:
    """Return tensors as lists of numbers, with all their digits."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return {key: listed(each) for key, each in value.items()}
    return [listed(each) for each in value] if isinstance(value, (list, tuple)) else value


def called() -> list[dict[str, Any]]:
    """Call functions and losses on one batch."""
    losses, utils = theirs("models.loss"), theirs("models.utils")

    made = batch([4, 1, 3], 4, 11)
    events: list[dict[str, Any]] = []

    def note(name: str, settings: dict[str, Any], numbers: dict[str, Any], arrays: dict[str, Any] = made) -> None:
        kept = {key: value for key, value in numbers.items() if value is not None}
        events.append({"name": name, "settings": settings, "arrays": listed(arrays), "numbers": listed(kept)})

    choices: list[dict[str, Any]] = [
        {},
        {"dual_clip": 1.5},
        {"policy_loss_type": "gspo", "clip_eps_low": 0.1, "clip_eps_high": 0.1},
    ]
    choices += [
        {"is_correction_level": level, "is_correction_mode": mode, "is_correction_threshold": [0.9, 1.1]}
        for level, mode in (("token", "mask"), ("token", "clip"), ("seq", "mask"))
    ]
    choices += [{"token_level_loss": False}]
    for settings in choices:
        found = losses.PolicyLoss(**settings)(
            made["logprobs"], made["old_logprobs"], made["advantages"], made["mask"], made["rollout_logprobs"]
        )
        note(
            "policy",
            settings,
            dict(zip(("loss", "clip_ratio", "ppo_kl", "vllm_kl", "is_filter_ratio"), found, strict=True)),
        )
    for clip in (None, 0.2):
        loss = losses.ValueLoss(clip)(made["values"], made["old_values"], made["returns"], made["mask"])
        note("value", {"clip_eps": clip}, {"loss": loss})
    note("sft", {}, {"loss": losses.SFTLoss()(made["logprobs"], made["mask"])})
    for estimator in ("k1", "k2", "k3"):
        note(
            "kl",
            {"estimator": estimator},
            {"tokens": utils.compute_approx_kl(made["logprobs"], made["ref_logprobs"], kl_estimator=estimator)},
        )
    entropy = entropy_of(utils)(made["logits"])
    note("entropy", {}, {"tokens": entropy})
    chosen, rejected = spread((4,), 31, -9, -1), spread((4,), 32, -9, -1)
    ref_chosen, ref_rejected = spread((4,), 33, -9, -1), spread((4,), 34, -9, -1)
    pairs = {
        "chosen_logprobs": chosen,
        "rejected_logprobs": rejected,
        "ref_chosen_logprobs": ref_chosen,
        "ref_rejected_logprobs": ref_rejected,
    }
    for settings in ({"beta": 0.1}, {"beta": 0.1, "label_smoothing": 0.2}, {"beta": 0.1, "ipo": True}):
        loss, good, bad = losses.DPOLoss(**settings)(chosen, rejected, ref_chosen, ref_rejected)  # type: ignore[arg-type]
        note(
            "dpo",
            settings,
            {
                "loss": loss,
                "chosen_reward": good.mean(),
                "reject_reward": bad.mean(),
                "acc": (good > bad).float().mean(),
            },
            pairs,
        )
    scores = {"chosen_scores": spread((4,), 41), "rejected_scores": spread((4,), 42)}
    note(
        "rm",
        {},
        {
            "loss": losses.PairWiseLoss()(scores["chosen_scores"], scores["rejected_scores"]),
            "acc": (scores["chosen_scores"] > scores["rejected_scores"]).float().mean(),
        },
        scores,
    )
    return events


def corrected() -> list[dict[str, Any]]:
    """Call the policy loss with and without weights between trainer and engine, for both kinds of loss."""
    policy_loss = theirs("models.loss").PolicyLoss
    made = batch([4, 1, 3], 4, 11)
    events = []
    for kind in ("ppo", "gspo"):
        for correction in (False, True):
            found = policy_loss(
                policy_loss_type=kind,
                enable_vllm_is_correction=correction,
                vllm_is_truncated_threshold=[0.5, 5.0],
            )(made["logprobs"], made["old_logprobs"], made["advantages"], made["mask"], made["rollout_logprobs"])
            numbers = dict(zip(("loss", "clip_ratio", "ppo_kl", "vllm_kl"), found, strict=True))
            kept = {key: value for key, value in numbers.items() if value is not None}
            settings = {"policy_loss_type": kind, "correction": correction}
            events.append({"name": "corrected", "settings": settings, "arrays": listed(made), "numbers": listed(kept)})
    return events


def namespace(settings: dict[str, Any]) -> Any:
    """Return nested settings as OpenRLHF has them."""
    return SimpleNamespace(
        **{key: namespace(value) if isinstance(value, dict) else value for key, value in settings.items()}
    )


def advantages() -> list[dict[str, Any]]:
    """Turn rewards into returns with each estimator."""
    Experience = theirs("trainer.ppo_utils.experience").Experience  # noqa: N806
    maker_of = theirs("trainer.ppo_utils.experience_maker").RemoteExperienceMaker

    events = []
    for estimator in ("reinforce", "rloo", "reinforce_baseline", "group_norm", "dr_grpo"):
        made = batch([4, 2, 3, 1], 4, 51)
        rewards, kl = torch.tensor([1.0, 0.0, 0.5, 2.0]), (made["logprobs"] - made["ref_logprobs"])
        args = namespace(
            {
                "algo": {"advantage": {"estimator": estimator, "gamma": 1.0, "lambd": 1.0, "no_std_norm": False}},
                "rollout": {"n_samples_per_prompt": 2, "max_new_tokens": 4},
                "reward": {"clip_range": (-10, 10)},
                "data": {"max_len": 8},
            }
        )
        maker = maker_of(None, None, None, None, SimpleNamespace(value=0.1), SimpleNamespace(args=args), None)
        parts = [
            Experience(
                sequences=torch.zeros(2, 4),
                action_mask=made["mask"][at : at + 2].bool(),
                kl=kl[at : at + 2].clone(),
                rewards=rewards[at : at + 2].clone(),
                index=[at, at + 1],
                info={"reward": rewards[at : at + 2].clone()},
            )
            for at in (0, 2)
        ]
        done = maker.compute_advantages_and_returns(parts)
        numbers = {
            key: torch.cat([part.info[key] for part in done]).mean() for key in ("return", "reward", "group_reward_std")
        }
        arrays = {"rewards": rewards, "kl": kl, "mask": made["mask"]}
        events.append(
            {
                "name": "returns",
                "settings": {"estimator": estimator, "kl": 0.1, "responses": 2},
                "arrays": listed(arrays),
                "numbers": listed(numbers),
            }
        )
    return events


def update(lengths: Sequence[Sequence[int]], **settings: Any) -> dict[str, Any]:
    """Let the actor's trainer go over micro-batches, and return what it reports.

    Args:
        lengths: Lengths of the responses of each micro-batch; together they are one optimizer step.
        settings: ``kl_in_loss``, ``estimator``, ``constant_entropy``.
    """
    width = max(max(row) for row in lengths)
    parts = [batch(row, width, 71 + 10 * at) for at, row in enumerate(lengths)]
    one = settings.get("constant_entropy")
    entropies = [
        torch.full(part["mask"].shape, one) if one is not None else entropy_of(theirs("models.utils"))(part["logits"])
        for part in parts
    ]
    status = reported(parts, entropies, **settings)
    kept = ("mask", "logprobs", "old_logprobs", "ref_logprobs", "advantages")
    arrays = [
        {**{name: part[name] for name in kept}, "entropies": entropy}
        for part, entropy in zip(parts, entropies, strict=True)
    ]
    return {"name": "update", "settings": settings, "arrays": listed(arrays), "numbers": listed(status)}


def reported(
    parts: Sequence[dict[str, torch.Tensor]], entropies: Sequence[torch.Tensor], **settings: Any
) -> dict[str, Any]:
    """Return what the actor's trainer reports of micro-batches, which are one optimizer step."""
    module, losses = theirs("trainer.ray.ppo_actor"), theirs("models.loss")
    Experience = theirs("trainer.ppo_utils.experience").Experience  # noqa: N806

    args = namespace(
        {
            "train": {"dynamic_batch_enable": False},
            "ds": {"tensor_parallel_size": 1},
            "algo": {
                "kl": {
                    "use_loss": settings.get("kl_in_loss", False),
                    "init_coef": 0.01,
                    "estimator": settings.get("estimator", "k1"),
                    "unbiased_gradient": False,
                }
            },
            "actor": {"entropy_coef": 0.0, "aux_loss_coef": 0},
        }
    )
    strategy = SimpleNamespace(
        args=args,
        ring_attn_group=None,
        accumulated_gradient=len(parts),
        is_rank_0=lambda: False,
        all_reduce=lambda status: status,
        backward=lambda *_: None,
        optimizer_step=lambda *_, **__: None,
        get_grad_norm=lambda _: 0.5,
    )
    trainer = object.__new__(module.ActorPPOTrainer)
    trainer.strategy, trainer.args, trainer.max_epochs, trainer.ema_model, trainer.aux_loss = (
        strategy,
        args,
        1,
        None,
        False,
    )
    trainer.actor_optim = trainer.actor_scheduler = SimpleNamespace(get_last_lr=lambda: [1e-6])
    trainer.actor_loss_fn, trainer.dataloader_pin_memory = losses.PolicyLoss(), False

    class Actor:
        """Returns prepared tensors."""

        def train(self) -> None:
            """Do nothing."""

        def __call__(self, sequences: torch.Tensor, *_: Any, **__: Any) -> Any:
            at = int(sequences[0, 0])
            return parts[at]["logprobs"], SimpleNamespace(entropy=entropies[at])

    trainer.actor = Actor()
    items = [
        Experience(
            sequences=torch.full((len(part["mask"]), part["mask"].shape[1] + 1), at),
            action_mask=part["mask"].bool(),
            attention_mask=None,
            action_log_probs=part["old_logprobs"],
            base_action_log_probs=part["ref_logprobs"] if settings.get("kl_in_loss") else None,
            advantages=part["advantages"],
            response_length=part["mask"].sum(1),
            info={"reward": spread((len(part["mask"]),), 91 + at)},
        )
        for at, part in enumerate(parts)
    ]

    class Loader(list[Any]):
        """In place of the data loader, which shuffles."""

        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__(items)

    module.DataLoader, module.tqdm = Loader, Bar
    trainer.replay_buffer = SimpleNamespace(sample_batch_size=1, collate_fn=None)
    return dict(trainer.ppo_train(0.01))


def whole_updates() -> list[dict[str, Any]]:
    """Let the actor go over micro-batches of several sizes, with several settings."""
    sizes = ([[1], [3]], [[1], [1], [1], [9]], [[2, 2], [2, 2]], [[4, 1], [2, 3], [1, 1]])
    return [
        update(one, **settings)
        for one in sizes
        for settings in (
            {"constant_entropy": 1.0},
            {},
            {"kl_in_loss": True, "estimator": "k3"},
            {"kl_in_loss": True, "estimator": "k2"},
        )
    ]


def record(
    events: Callable[[], list[dict[str, Any]]],
    about: str | None,
    weighed: Callable[[], list[dict[str, Any]]] | None = None,
) -> None:
    """Read the command line, import the release, and write what events, or those that are weighed, say of it."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("tree", help="the unpacked wheel, which holds openrlhf/")
    parser.add_argument("release")
    parser.add_argument("out", type=Path)
    if weighed is not None:
        parser.add_argument("--corrected", action="store_true", help="the policy loss with weights of the engine alone")
    options = parser.parse_args()
    sys.meta_path.append(Absent())
    sys.path.insert(0, options.tree)
    torch.cuda.current_device = lambda: "cpu"  # type: ignore[assignment]
    made = weighed() if weighed is not None and options.corrected else events()
    with gzip.GzipFile(options.out, "wb", mtime=0) as file:
        file.write(json.dumps({"release": options.release, "events": made}, separators=(",", ":")).encode())
    print(options.out.stat().st_size, "bytes,", sum(len(event["numbers"]) for event in made), "numbers")


if __name__ == "__main__":
    record(lambda: [*called(), *advantages(), *whole_updates()], __doc__, corrected)
