"""Records small numbers that TRL's GRPO trainer logs: ``python record_trl.py RELEASE=FOLDER=PYTHON… > trl.json``.

FOLDER is the unpacked wheel of a release (``pip download --no-deps trl==RELEASE``), PYTHON an interpreter whose
packages it runs with: transformers 4 rounds, 5 does not. A real training with a tiny model is run, whose batches and
log-probabilities are given, so that every tensor is known; loss, gradient accumulation, averages and rounding are the
trainer's own. Each number is kept with the key, the release, the settings, and the micro-batches of each step.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import logging
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

KEYS = ("loss", "kl", "entropy", "clip_ratio/low_mean", "clip_ratio/high_mean", "clip_ratio/region_mean")

STEPS, ACCUMULATED, LIMIT = 2, 2, 8
"""Optimizer steps of a logging window, micro-batches of a step, and ``max_completion_length``."""

WINDOWS: Mapping[str, Sequence[str]] = {
    "several lengths": ("first", "second", "third", "fourth"),
    "a response without tokens": ("first", "empty", "third", "second"),
    "a loss that is not a number": ("first", "second", "broken", "fourth"),
}
"""The micro-batches of each logging window, in order."""

Tensors = dict[str, torch.Tensor]


def batches() -> dict[str, Tensors]:
    """Return the micro-batches."""
    made = torch.Generator().manual_seed(20)

    def batch(lengths: Sequence[int], width: int = 6) -> Tensors:
        rows = len(lengths)

        def noise(size: float, *shape: int) -> torch.Tensor:
            return (size * torch.randn(*shape, generator=made)).mul(1000).round().div(1000)

        old = -noise(1.0, rows, width).abs()
        mask = torch.arange(width)[None, :] < torch.tensor(lengths)[:, None]
        advantages = noise(1.0, rows)
        return {
            "old_logprobs": old,
            "logprobs": old + noise(0.4, rows, width),
            "ref_logprobs": old + noise(0.4, rows, width),
            "advantages": advantages[:, None].expand(rows, width),
            "sequence_advantages": advantages,
            "token_entropy": noise(1.0, rows, width).abs(),
            "mask": mask,
        }

    found = {
        "first": batch([6, 3]),
        "second": batch([2, 5]),
        "third": batch([4, 4]),
        "fourth": batch([1, 6]),
        "empty": batch([0, 5]),
        "broken": batch([3, 4]),
    }
    found["broken"]["logprobs"][0, 1] = torch.nan
    return found


def settings(release: str) -> Iterator[dict[str, Any]]:
    """Yield the settings of each run, as far as the release has them."""
    for loss_type in ("grpo", "bnpo", "dr_grpo"):
        yield {"beta": 0.04, "loss_type": loss_type, "num_iterations": 2}
    if release >= "0.20.0":
        yield {"beta": 0.0, "importance_sampling_level": "sequence", "num_iterations": 2, "loss_type": "grpo"}


def numbers(release: str) -> Iterator[dict[str, Any]]:
    """Yield each number that a release logs."""
    at = f"trl[GRPOTrainer]=={release}"
    version = int(importlib.import_module("transformers").__version__.partition(".")[0])
    for given in settings(release):
        rows = _logged(given)
        for (name, micro), row in zip(WINDOWS.items(), rows, strict=False):
            parts = [micro[start : start + ACCUMULATED] for start in range(0, len(micro), ACCUMULATED)]
            config = {
                **given,
                "max_completion_length": LIMIT,
                "mask_truncated_completions": True,
                "transformers": version,
            }
            for key, value in row.items():
                if key in KEYS:
                    yield {"at": at, "key": key, "config": config, "parts": parts, "window": name, "value": value}


def _logged(given: Mapping[str, Any]) -> list[dict[str, float]]:
    """Return what a training logs, a row for each window."""
    from datasets import Dataset  # pyright: ignore[reportMissingImports]
    from tokenizers import Tokenizer  # pyright: ignore[reportMissingImports]
    from tokenizers.models import WordLevel  # pyright: ignore[reportMissingImports]
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM, TrainerCallback  # pyright: ignore[reportMissingImports]
    from trl import GRPOConfig, GRPOTrainer  # pyright: ignore[reportMissingImports]

    words = Tokenizer(WordLevel({"a": 0, "<eos>": 1}, unk_token="a"))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<eos>", pad_token="<eos>")
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=8, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=2,
        )
    )  # fmt: skip
    known = batches()
    order = [known[name] for window in WINDOWS.values() for name in window]

    class Given(GRPOTrainer):  # type: ignore[misc]
        """A trainer whose batches are given, and the log-probabilities of its model with them."""

        place = 0

        def _prepare_inputs(self, inputs: Any) -> dict[str, Any]:
            batch = order[self.place]
            step = order[self.place - self.place % ACCUMULATED :][:ACCUMULATED]
            self.place += 1
            mask = batch["mask"].long()
            return {
                "prompt_ids": torch.zeros(len(mask), 1, dtype=torch.long),
                "prompt_mask": torch.ones(len(mask), 1, dtype=torch.long),
                "completion_ids": torch.zeros_like(mask),
                "completion_mask": mask,
                "advantages": batch["advantages"][:, 0],
                "old_per_token_logps": batch["old_logprobs"],
                "ref_per_token_logps": batch["ref_logprobs"],
                "num_items_in_batch": torch.tensor(sum(int(one["mask"].sum()) for one in step)),
            }

        def _current(self) -> torch.Tensor:
            return order[self.place - 1]["logprobs"].clone().requires_grad_()

        def _get_per_token_logps(self, model: Any, *_: Any, **__: Any) -> torch.Tensor:
            return order[self.place - 1]["ref_logprobs"] if model is self.ref_model else self._current()

        def _get_per_token_logps_and_entropies(self, *_: Any, **__: Any) -> tuple[torch.Tensor | None, ...]:
            entropy = order[self.place - 1]["token_entropy"]
            return (self._current(), entropy, None)[: 3 if _GIVES_BALANCE in inspect.getsource(GRPOTrainer) else 2]

        def compute_loss(self, model: Any, inputs: Any, **_: Any) -> torch.Tensor:  # type: ignore[override]
            return super().compute_loss(model, inputs)  # type: ignore[no-any-return]

    rows: list[dict[str, float]] = []

    class Keeper(TrainerCallback):  # type: ignore[misc]
        def on_log(self, *_: Any, logs: dict[str, float] | None = None, **__: Any) -> None:
            if logs and "loss" in logs:
                rows.append(logs)

    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(f"{folder}/model")  # the reference is read from where the policy was
        arguments = GRPOConfig(
            output_dir=folder,
            per_device_train_batch_size=2,
            gradient_accumulation_steps=ACCUMULATED,
            num_generations=2,
            max_completion_length=LIMIT,
            max_steps=STEPS * len(WINDOWS),
            logging_steps=STEPS,
            learning_rate=0.0,
            report_to=[],
            save_strategy="no",
            use_cpu=True,
            bf16=False,
            **given,
        )
        trainer = Given(
            model=f"{folder}/model",
            reward_funcs=lambda **_: [0.0],
            args=arguments,
            train_dataset=Dataset.from_dict({"prompt": ["a"] * 64}),
            processing_class=tokenizer,
            callbacks=[Keeper()],
        )
        trainer.train()
    return rows


_GIVES_BALANCE = "entropies, aux_loss = self._get_per_token_logps_and_entropies"
"""How newer releases take the router's balance from the forward pass, too."""


def _listed(tensor: torch.Tensor) -> Any:
    """Return a tensor as lists, its numbers as short as float32 allows."""
    if tensor.dim() > 1:
        return [_listed(row) for row in tensor]
    return (
        tensor.tolist() if tensor.dtype == torch.bool else [float(f"{value:.8g}") for value in tensor.double().tolist()]
    )


def main() -> None:
    """Write the JSON of all releases; each is imported in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="+", metavar="RELEASE=FOLDER=PYTHON", help="what to run")
    parser.add_argument("--one", action="store_true", help="write the numbers of one release only")
    arguments = parser.parse_args()
    found: list[Any] = []
    for release, folder, python in (argument.split("=") for argument in arguments.releases):
        if arguments.one:
            sys.path.insert(0, folder)
            logging.disable(logging.CRITICAL)
            print("\n" + json.dumps(list(numbers(release))))
            return
        command = [python, __file__, "--one", f"{release}={folder}={python}"]
        written = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        found += json.loads(written.splitlines()[-1])
    configs = list({json.dumps(number["config"]): number["config"] for number in found}.values())
    rows = [
        (
            number["at"],
            number["key"],
            configs.index(number["config"]),
            number["parts"],
            float(f"{number['value']:.8g}"),
        )
        for number in found
    ]
    tensors = {name: {word: _listed(tensor) for word, tensor in batch.items()} for name, batch in batches().items()}
    json.dump({"batches": tensors, "configs": configs, "numbers": rows}, sys.stdout)


if __name__ == "__main__":
    main()
