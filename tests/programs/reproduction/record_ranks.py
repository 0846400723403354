"""Records what TRL logs over two processes: ``python record_ranks.py TRAINER:RELEASE=FOLDER=PYTHON… > JSON``.

TRAINER is SFT, DPO for a release up to 0.15, or one of those in `trainer_batches`; FOLDER the unpacked wheel of a
release (``pip download --no-deps trl==RELEASE``); PYTHON an interpreter with what it needs. A tiny model is really
trained and evaluated, by one process and by two. Of SFT the batch of each loss is run through the model once more, and
the log-probability and the rank of each target are kept, and the entropy where it is predicted; of DPO what its loss is
called with. Each number stands with the batches of which it is made, each by its process, its step and its place.
Losses of training depend on the version of transformers and are left out.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from programs.reproduction.trainer_batches import MICRO_BATCHES, Setting

_OF_PAIRS = ("rewards/chosen", "rewards/accuracies", "rewards/margins", "logps/chosen", "logps/rejected")
_OF_MEANS = ("rewards/chosen", "rewards/margins", "logps/chosen", "log_odds_chosen", "log_odds_ratio")
KEYS = {
    "SFT": ("entropy", "mean_token_accuracy", "eval_loss", "eval_entropy", "eval_mean_token_accuracy"),
    "DPO": (*_OF_PAIRS, "eval_loss", *(f"eval_{key}" for key in _OF_PAIRS)),
    "ORPO": ("rewards/accuracies", "eval_rewards/accuracies", *_OF_MEANS, *(f"eval_{key}" for key in _OF_MEANS)),
    "KTO": ("rewards/chosen", "rewards/rejected", "rewards/margins", "logps/chosen", "logps/rejected", "kl"),
    "GKD": ("eval_loss",),
    "GRPO": ("num_tokens", "clip_ratio/low_mean", "clip_ratio/region_mean", "probe"),
}
OF_STEPS = ("num_tokens",)
"""Counters, which hold everything since the training began."""
WIDTH = 8
"""Positions of a batch as it is kept."""
STEPS, ACCUMULATED, LOGGED = 4, 2, 2
"""Optimizer steps, micro-batches of a step, and steps of a log."""
EVALUATED: Mapping[int, tuple[int, int]] = {1: (10, 4), 2: (12, 3)}
"""Texts and texts of a batch in evaluation, by processes: one process is left with half a batch."""


def run(folder: Path, trainer: str, version: str) -> None:
    """Train and evaluate as one process; what it has seen and logged goes into a file of the folder."""
    from tokenizers import Tokenizer  # pyright: ignore[reportMissingImports]
    from tokenizers.models import WordLevel  # pyright: ignore[reportMissingImports]
    from tokenizers.pre_tokenizers import Whitespace  # pyright: ignore[reportMissingImports]
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM  # pyright: ignore[reportMissingImports]

    number, processes = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.manual_seed(7)
    words = Tokenizer(WordLevel({**{f"w{index}": index for index in range(10)}, "<pad>": 10, "<eos>": 11}, "w0"))
    words.pre_tokenizer = Whitespace()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, eos_token="<eos>", pad_token="<pad>", bos_token="<eos>", unk_token="w0"
    )
    sizes: dict[str, Any] = {"vocab_size": 12, "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
    model = Qwen2ForCausalLM(Qwen2Config(**sizes, num_attention_heads=2, num_key_value_heads=2, pad_token_id=10))
    count, rows = EVALUATED[processes]
    common = {
        "output_dir": str(folder / f"out{number}"),
        "per_device_train_batch_size": 2,
        "per_device_eval_batch_size": rows,
        "gradient_accumulation_steps": ACCUMULATED,
        "max_steps": STEPS,
        "logging_steps": LOGGED,
        "learning_rate": 0.05,
        "report_to": [],
        "save_strategy": "no",
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
    }
    seen: list[dict[str, Any]] = []
    if trainer in ("SFT", "DPO"):
        made = (_sft if trainer == "SFT" else _dpo)(model, tokenizer, common, count, seen)
    else:
        made = Setting(model, tokenizer, common, count, seen).trainer(trainer)
    made.train()
    made.evaluate()
    found = {"seen": seen, "logged": made.state.log_history, "version": version}
    (folder / f"{number}.json").write_text(json.dumps(found), encoding="utf-8")


def _sft(model: Any, tokenizer: Any, common: Mapping[str, Any], count: int, seen: list[dict[str, Any]]) -> Any:
    from datasets import Dataset  # pyright: ignore[reportMissingImports]
    from trl import SFTConfig, SFTTrainer  # pyright: ignore[reportMissingImports]

    class Kept(SFTTrainer):  # type: ignore[misc]
        """A trainer that keeps what its losses are computed of."""

        def compute_loss(self, model: Any, inputs: Any, *rest: Any, **more: Any) -> Any:
            with torch.no_grad():
                given = {name: inputs[name] for name in ("input_ids", "attention_mask")}
                logits = self.accelerator.unwrap_model(model)(**given).logits[:, :-1].double()
            labels = inputs["labels"][:, 1:]
            seen.append({"mode": "train" if self.model.training else "eval", **_tensors(logits, labels)})
            return super().compute_loss(model, inputs, *rest, **more)

    data = Dataset.from_dict({"input_ids": _texts(48)})
    return Kept(
        model=model,
        args=SFTConfig(**common),
        train_dataset=data,
        eval_dataset=data.select(range(count)),
        processing_class=tokenizer,
    )


def _dpo(model: Any, tokenizer: Any, common: Mapping[str, Any], count: int, seen: list[dict[str, Any]]) -> Any:
    from datasets import Dataset  # pyright: ignore[reportMissingImports]
    from trl import DPOConfig, DPOTrainer  # pyright: ignore[reportMissingImports]

    names = ("chosen_logprobs", "rejected_logprobs", "ref_chosen_logprobs", "ref_rejected_logprobs")

    class Kept(DPOTrainer):  # type: ignore[misc]
        """A trainer that keeps what its losses are computed of."""

        def dpo_loss(self, *given: torch.Tensor) -> Any:
            tensors = {name: _listed(tensor.detach().double()) for name, tensor in zip(names, given, strict=True)}
            seen.append({"mode": "train" if self.model.training else "eval", **tensors})
            return super().dpo_loss(*given)

        def log(self, logs: dict[str, float], *_: Any) -> None:
            super().log(logs)  # newer transformers say when it began

    texts = [" ".join(f"w{index}" for index in text) for text in _texts(96)]
    data = Dataset.from_dict({"prompt": ["w1 w2"] * 48, "chosen": texts[:48], "rejected": texts[48:]})
    return Kept(
        model=model,
        args=DPOConfig(**common, remove_unused_columns=False),
        train_dataset=data,
        eval_dataset=data.select(range(count)),
        processing_class=tokenizer,
    )


def _texts(count: int) -> list[list[int]]:
    made = torch.Generator().manual_seed(3)
    return [torch.randint(0, 10, (2 + place % 7,), generator=made).tolist() for place in range(count)]


def _tensors(logits: torch.Tensor, labels: torch.Tensor) -> dict[str, Any]:
    """Return what functions need of a batch, in lists of one width."""
    mask = labels != -100
    targets = labels.clamp(min=0)
    shares = logits.log_softmax(-1)
    found = {
        "logprobs": shares.gather(-1, targets[..., None])[..., 0],
        "is_top1": logits.argmax(-1) == targets,
        "token_entropy": -(shares.exp() * shares).sum(-1),
    }
    wide = {name: torch.nn.functional.pad(tensor, (0, WIDTH - tensor.shape[1])) for name, tensor in found.items()}
    wide["mask"] = torch.nn.functional.pad(mask, (0, WIDTH - mask.shape[1]))
    return {name: _listed(tensor) for name, tensor in wide.items()}


def _listed(tensor: torch.Tensor) -> Any:
    if tensor.dim() > 1:
        return [_listed(row) for row in tensor]
    return tensor.tolist() if tensor.dtype == torch.bool else [float(f"{value:.8g}") for value in tensor.tolist()]


def record(asked: str, folder: str, python: str, batches: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a release by one process and by two, and return its numbers; what they are made of goes into ``batches``."""
    numbers = []
    for processes in EVALUATED:
        with tempfile.TemporaryDirectory() as place:
            _run(Path(place), asked, folder, python, processes)
            ranks = [json.loads((Path(place) / f"{rank}.json").read_text("utf-8")) for rank in range(processes)]
        coordinates = _placed(asked, ranks, batches)
        logged = ranks[0]["logged"]
        config = {"transformers": int(ranks[0]["version"].partition(".")[0]), "world_size": processes}
        for window, row in enumerate(row for row in logged if "loss" in row):
            parts = [(place, name) for log, place, name in coordinates["train"] if log == window]
            numbers += [one for one in _numbers(asked, config, row, parts) if one["key"] not in OF_STEPS]
            so_far = [({**place, "window": 0}, name) for log, place, name in coordinates["train"] if log <= window]
            numbers += [one for one in _numbers(asked, config, row, so_far) if one["key"] in OF_STEPS]
        evaluated = next(row for row in logged if "eval_loss" in row)
        numbers += _numbers(asked, config, evaluated, [one[1:] for one in coordinates["eval"]])
    return numbers


def _run(place: Path, asked: str, folder: str, python: str, processes: int) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [python, __file__, "--one", str(place), f"{asked}={folder}={python}"]
    shared = {
        "ACCELERATE_USE_CPU": "true",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "OMP_NUM_THREADS": "1",
        "WORLD_SIZE": str(processes),
    }
    started = []
    for rank in range(processes):
        own = {**os.environ, **shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, env=own))
    if any(process.wait() for process in started):
        sys.exit(f"{asked} over {processes} processes ended with an error")


def _placed(asked: str, ranks: Sequence[Mapping[str, Any]], batches: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the batches of each mode by their places, and keep their tensors."""
    found: dict[str, list[Any]] = {"train": [], "eval": []}
    for rank, kept in enumerate(ranks):
        counts = {"train": 0, "eval": 0}
        for batch in kept["seen"]:
            mode = batch.pop("mode")
            index = counts[mode]
            counts[mode] += 1
            name = f"{asked} {len(ranks)} {mode} {rank} {index}"
            batches[name] = batch
            within = MICRO_BATCHES.get(asked.partition(":")[0], ACCUMULATED)
            step, micro = divmod(index, within) if mode == "train" else (0, index)
            place = {"window": step % LOGGED, "rank": rank, "micro_batch": micro}
            found[mode].append((step // LOGGED, place, name))
    return found


def _numbers(
    asked: str, config: Mapping[str, Any], row: Mapping[str, float], parts: Sequence[Any]
) -> list[dict[str, Any]]:
    trainer, _, release = asked.partition(":")
    at = f"trl[{trainer}Trainer]=={release}"
    return [
        {"at": at, "key": key, "config": config, "parts": parts, "value": row[key]}
        for key in KEYS[trainer]
        if key in row
    ]


def main() -> None:
    """Write the JSON of all releases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="+", metavar="TRAINER:RELEASE=FOLDER=PYTHON", help="what to run")
    parser.add_argument("--one", metavar="FOLDER", help="be one of the processes, which writes into this folder")
    arguments = parser.parse_args()
    batches: dict[str, Any] = {}
    found: list[dict[str, Any]] = []
    for asked, folder, python in (argument.split("=") for argument in arguments.releases):
        if arguments.one:
            sys.path.insert(0, folder)
            logging.disable(logging.CRITICAL)
            import transformers  # pyright: ignore[reportMissingImports]

            run(Path(arguments.one), asked.partition(":")[0], transformers.__version__)
            return
        found += record(asked, folder, python, batches)
    configs = list({json.dumps(number["config"]): number["config"] for number in found}.values())
    rows = [
        (number["at"], number["key"], configs.index(number["config"]), number["parts"], number["value"])
        for number in found
    ]
    json.dump({"batches": batches, "configs": configs, "numbers": rows}, sys.stdout)


if __name__ == "__main__":
    main()
