"""Tiny models that TRL's own trainers train and evaluate, and the oldest PPO trainer's chunks of single responses."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from programs.reproduction.folded_parts import WIDTH, Number, Placed, batch, statements

__all__ = ["chunks", "evaluation", "optimizer_steps"]

EPOCHS, MINI_BATCHES, MICRO_BATCHES, WINDOWS = 2, 2, 2, 2
WORDS = 10
COEFFICIENT = 0.5
"""What the balance of a router counts in the loss."""


def optimizer_steps(release: str) -> Iterator[Number]:
    """Yield the norm of the last of eight optimizer steps, which two generations of responses take."""
    from datasets import Dataset  # pyright: ignore[reportMissingImports]
    from transformers import Qwen2Config, Qwen2ForCausalLM  # pyright: ignore[reportMissingImports]
    from trl import GRPOConfig, GRPOTrainer  # pyright: ignore[reportMissingImports]

    norms: list[Placed] = []

    class Kept(GRPOTrainer):  # type: ignore[misc]
        """A trainer that keeps the gradient of each step as it is before it is clipped."""

        def _clip_grad_norm(self, model: Any) -> Any:
            squares = [one.grad.double().square().sum() for one in model.parameters() if one.grad is not None]
            norms.append((_place(len(norms)), {"gradient_norms": torch.stack(squares).sum().sqrt()[None]}))
            return super()._clip_grad_norm(model)

    settings = {
        "num_generations": 2, "max_completion_length": WIDTH, "num_iterations": EPOCHS, "learning_rate": 0.05,
        "gradient_accumulation_steps": MICRO_BATCHES, "steps_per_generation": MINI_BATCHES * MICRO_BATCHES,
    }  # fmt: skip
    steps = WINDOWS * EPOCHS * MINI_BATCHES
    with tempfile.TemporaryDirectory() as folder:
        made = Kept(
            model=Qwen2ForCausalLM(_sizes(Qwen2Config)),
            reward_funcs=lambda completions, **_: [float(len(text) % 7) for text in completions],
            args=GRPOConfig(**_common(folder), **settings, max_steps=steps, logging_steps=steps),
            train_dataset=Dataset.from_dict({"prompt": ["w1 w2", "w3 w4 w5", "w6", "w7 w8"] * 4}),
            processing_class=_tokenizer(),
        )
        made.train()
    row = next(row for row in made.state.log_history if "grad_norm" in row)
    config = {"num_iterations": EPOCHS, "world_size": 1}
    yield f"trl[GRPOTrainer]=={release}", "grad_norm", config, norms, row["grad_norm"]


def _place(step: int) -> dict[str, int]:
    window, within = divmod(step, EPOCHS * MINI_BATCHES)
    return {"window": window, "epoch": within // MINI_BATCHES, "mini_batch": within % MINI_BATCHES}


def evaluation(release: str) -> Iterator[Number]:
    """Yield the loss of a mixture of experts in an evaluation in which that of one batch is no number."""
    from datasets import Dataset  # pyright: ignore[reportMissingImports]
    from transformers import MixtralConfig, MixtralForCausalLM  # pyright: ignore[reportMissingImports]
    from trl import SFTConfig, SFTTrainer  # pyright: ignore[reportMissingImports]

    seen: list[Placed] = []

    class Kept(SFTTrainer):  # type: ignore[misc]
        """A trainer that keeps what its losses are computed of."""

        def compute_loss(self, model: Any, inputs: Any, *rest: Any, **more: Any) -> Any:
            given = {name: inputs[name] for name in ("input_ids", "attention_mask")}
            with torch.no_grad():
                found = model(**given, output_router_logits=True)
            labels = inputs["labels"][:, 1:]
            shares = found.logits[:, :-1].double().log_softmax(-1)
            logprobs = shares.gather(-1, labels.clamp(min=0)[..., None])[..., 0]
            wide = (0, WIDTH - labels.shape[1])
            tensors = {
                "logprobs": torch.nn.functional.pad(logprobs, wide),
                "mask": torch.nn.functional.pad(labels != -100, wide),
                "router_balance": COEFFICIENT * found.aux_loss.double(),
            }
            seen.append(({"rank": 0, "micro_batch": len(seen)}, tensors))
            return super().compute_loss(model, inputs, *rest, **more)

    experts = {"num_local_experts": 4, "num_experts_per_tok": 2, "router_aux_loss_coef": COEFFICIENT}
    model = MixtralForCausalLM(_sizes(MixtralConfig, **experts, output_router_logits=True))
    model.get_input_embeddings().weight.data[9] = float("nan")
    texts = [[1, 2, 3, 4, 5], [6, 7], [8, 9, 1], [2, 2, 4], [5, 5, 6, 1], [7, 3, 8, 2]]
    with tempfile.TemporaryDirectory() as folder:
        made = Kept(
            model=model,
            args=SFTConfig(**_common(folder), per_device_eval_batch_size=2),
            train_dataset=(data := Dataset.from_dict({"input_ids": texts})),
            eval_dataset=data,
            processing_class=_tokenizer(),
        )
        logged = made.evaluate()
    yield f"trl[SFTTrainer]=={release}", "eval_loss", {"world_size": 1}, seen, logged["eval_loss"]


def _sizes(kind: Any, **more: Any) -> Any:
    torch.manual_seed(7)
    sizes = {"vocab_size": 12, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "pad_token_id": 10}
    return kind(**sizes, num_attention_heads=2, num_key_value_heads=2, **more)


def _tokenizer() -> Any:
    from tokenizers import Tokenizer  # pyright: ignore[reportMissingImports]
    from tokenizers.models import WordLevel  # pyright: ignore[reportMissingImports]
    from tokenizers.pre_tokenizers import Whitespace  # pyright: ignore[reportMissingImports]
    from transformers import PreTrainedTokenizerFast  # pyright: ignore[reportMissingImports]

    places = {f"w{index}": index for index in range(WORDS)} | {"<pad>": WORDS, "<eos>": WORDS + 1}
    words = Tokenizer(WordLevel(places, "w0"))
    words.pre_tokenizer = Whitespace()
    special = {"eos_token": "<eos>", "pad_token": "<pad>", "bos_token": "<eos>", "unk_token": "w0"}
    return PreTrainedTokenizerFast(tokenizer_object=words, **special)


def _common(folder: str) -> dict[str, Any]:
    os.environ["ACCELERATE_USE_CPU"] = "true"
    off = dict.fromkeys(("bf16", "gradient_checkpointing", "disable_tqdm"), False)
    return {
        "output_dir": folder, "report_to": [], "save_strategy": "no", "use_cpu": True, "seed": 5,
        "per_device_train_batch_size": 2, **off,
    }  # fmt: skip


def chunks(release: str, folder: str) -> Iterator[Number]:
    """Yield what the oldest PPO trainer logs of a step of three responses, each of which is a chunk of its own."""
    from trl.core import stack_dicts  # pyright: ignore[reportMissingImports]
    from trl.trainer.ppo_trainer import PPOTrainer  # pyright: ignore[reportMissingImports]

    config = SimpleNamespace(cliprange=0.2, cliprange_value=0.2, vf_coef=0.1, ratio_threshold=10.0)
    given = [_epoch(seed) for seed in (101, 102)]
    found: list[Any] = []
    for tensors in given:
        for row in range(len(tensors["mask"])):
            one = {name: tensor[row : row + 1] for name, tensor in tensors.items()}
            itself = SimpleNamespace(config=config)
            _, _, stats = PPOTrainer.loss(
                itself, one["old_logprobs"], one["values"], one["logits"], one["predictions"], one["logprobs"],
                one["mask"].float(), one["advantages"], one["returns"],
            )  # fmt: skip
            found.append({name: value for name, value in stats.items() if value.dim() == 0})
    stats: dict[str, torch.Tensor] = {}
    path = Path(folder, "trl", "trainer", "ppo_trainer.py")
    for key, values in stack_dicts(found).items():
        statements(path, "stats[f'ppo/{k}'] = torch.mean", {"stats": stats, "torch": torch, "k": key, "v": values})
    settings = {"world_size": 1, "batch_size": 3, "mini_batch_size": 1, "ppo_epochs": len(given)}
    names = ("logprobs", "old_logprobs", "logits", "mask")
    kept = [({"epoch": at}, {name: tensors[name] for name in names}) for at, tensors in enumerate(given)]
    for key in ("ppo/policy/approxkl", "ppo/policy/entropy", "ppo/policy/policykl"):
        yield f"trl[PPOTrainer]=={release}", key, settings, kept, stats[key]


def _epoch(seed: int) -> dict[str, torch.Tensor]:
    """Return the responses of a step as one epoch sees them."""
    made = torch.Generator().manual_seed(seed)
    tensors = batch(seed, (5, 2, 1))
    shape = tensors["mask"].shape
    noise = {name: torch.randn(shape, generator=made) for name in ("values", "predictions", "returns")}
    return {**tensors, **noise, "logits": torch.randn(*shape, 4, generator=made).mul(100).round().div(100)}
