"""Real trainers of the installed release of TRL, with random models of a few thousand weights: nothing is downloaded.

Runs in an environment of its own, where neither pytest nor the other modules of the tests are.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import hashlib
import inspect
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2ForSequenceClassification, GPT2LMHeadModel, PreTrainedTokenizerFast

STEPS = 4
WORDS = ["<pad>", "<eos>", "<unk>", *"abcdefghijklmnop"]


def seeded() -> None:
    """Begin all random numbers anew."""
    random.seed(7)
    np.random.seed(7)
    torch.manual_seed(7)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)


def tokenizer() -> Any:
    """Return a tokenizer of letters."""
    words = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token="<pad>",
        eos_token="<eos>",
        bos_token="<eos>",
        unk_token="<unk>",
        padding_side="left",
        model_max_length=32,
    )


def _config(**more: Any) -> GPT2Config:
    sizes = {"n_positions": 32, "n_embd": 16, "n_layer": 1, "n_head": 2}
    return GPT2Config(vocab_size=len(WORDS), pad_token_id=0, eos_token_id=1, bos_token_id=1, **sizes, **more)


def policy() -> Any:
    """Return a language model without dropout, the first of them saved, since trainers load their reference anew."""
    model = GPT2LMHeadModel(_config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0))
    saved = Path("model").resolve()
    if not saved.exists():
        model.save_pretrained(saved)
        tokenizer().save_pretrained(saved)
    return GPT2LMHeadModel.from_pretrained(saved)


def scorer() -> Any:
    """Return a model that gives one number."""
    return GPT2ForSequenceClassification(_config(num_labels=1))


def prompts(rows: int) -> Dataset:
    """Return prompts of three letters."""
    chosen = random.Random(3)
    return Dataset.from_dict({"prompt": [" ".join(chosen.choices(WORDS[3:], k=3)) for _ in range(rows)]})


def reward(completions: list[str], **_: Any) -> list[float]:
    """Return the share of the letter a."""
    return [text.count("a") / 4 + 0.1 * text.count("b") for text in completions]


def _made(cls: Any, **options: Any) -> Any:
    """Return an object of a class of TRL, made with those of some options that this release takes."""
    taken = inspect.signature(cls.__init__).parameters
    return cls(**{name: value for name, value in options.items() if name in taken})


_SHARED: dict[str, Any] = {}


def _trainer(name: str) -> Any:
    """Return a trainer of TRL, one that logs the numbers of its suite if that is asked for."""
    if not _SHARED.get("measured"):
        return getattr(trl, name)
    from rlmetrics.trainers.trl import measured

    return measured(getattr(trl, name))


def _arguments(cls: Any, folder: Path, report_to: list[str], **more: Any) -> Any:
    shared = {
        "output_dir": str(folder / "out"),
        "logging_dir": str(folder / "tensorboard"),
        "report_to": report_to,
        "project": "tiny",
        "trackio_space_id": None,
        "use_cpu": True,
        "bf16": False,
        "gradient_checkpointing": False,
        "seed": 7,
        "max_steps": STEPS,
        "logging_steps": 1,
        "learning_rate": 1e-2,
        "per_device_train_batch_size": 4,
        "per_device_eval_batch_size": 4,
        "gradient_accumulation_steps": 1,
        "eval_strategy": "steps",
        "eval_steps": 2,
        "save_strategy": "steps",
        "save_steps": STEPS,
        "disable_tqdm": True,
    }
    return _made(cls, **{**shared, **_SHARED, **more})


def arguments(folder: Path, report_to: list[str], **more: Any) -> Any:
    """Return the arguments of a GRPO trainer."""
    sizes = {"num_generations": 2, "max_completion_length": 6, "max_prompt_length": 8, "beta": 0.1}
    return _arguments(trl.GRPOConfig, folder, report_to, **{**sizes, "eval_strategy": "no", **more})


def _grpo(folder: Path, report_to: list[str], callbacks: list[Any]) -> Any:
    args = arguments(folder, report_to, eval_strategy="steps")
    return _trainer("GRPOTrainer")(
        model=policy(),
        reward_funcs=reward,
        args=args,
        train_dataset=prompts(32),
        eval_dataset=prompts(4),
        processing_class=tokenizer(),
        callbacks=callbacks,
    )


def _rloo(folder: Path, report_to: list[str], callbacks: list[Any]) -> Any:
    if "reward_funcs" in inspect.signature(trl.RLOOTrainer.__init__).parameters:
        args = _arguments(trl.RLOOConfig, folder, report_to, num_generations=2, max_completion_length=6)
        return trl.RLOOTrainer(
            model=policy(),
            reward_funcs=reward,
            args=args,
            train_dataset=prompts(32),
            eval_dataset=prompts(4),
            processing_class=tokenizer(),
            callbacks=callbacks,
        )
    return _online(trl.RLOOTrainer, trl.RLOOConfig, folder, report_to, callbacks, rloo_k=2)


def _online(cls: Any, config: Any, folder: Path, report_to: list[str], callbacks: list[Any], **more: Any) -> Any:
    """Return a trainer of the kind that samples and scores with models, as PPO and RLOO of 2024 and 2025."""
    words = tokenizer()
    data = prompts(16).map(lambda row: {"input_ids": words(row["prompt"])["input_ids"]}, remove_columns=["prompt"])
    args = _arguments(
        config,
        folder,
        report_to,
        total_episodes=4 * STEPS,
        response_length=6,
        num_sample_generations=0,
        stop_token="eos",
        missing_eos_penalty=1.0,
        num_ppo_epochs=1,
        num_mini_batches=1,
        local_rollout_forward_batch_size=4,
        max_steps=-1,
        **more,
    )
    first, second = policy(), policy()
    return _made(
        cls,
        config=args,
        args=args,
        tokenizer=words,
        processing_class=words,
        policy=first,
        model=first,
        ref_policy=second,
        ref_model=second,
        reward_model=scorer(),
        value_model=scorer(),
        train_dataset=data,
        eval_dataset=data,
        callbacks=callbacks,
    )


def _ppo(folder: Path, report_to: list[str], callbacks: list[Any]) -> Any:
    new = hasattr(trl, "PPOv2Trainer") and not hasattr(trl.PPOTrainer, "train")
    cls, config = (trl.PPOv2Trainer, trl.PPOv2Config) if new else (trl.PPOTrainer, trl.PPOConfig)
    return _online(cls, config, folder, report_to, callbacks)


def _dpo(folder: Path, report_to: list[str], callbacks: list[Any]) -> Any:
    def pairs(rows: int) -> Dataset:
        asked = prompts(rows)["prompt"]
        return Dataset.from_dict({"prompt": list(asked), "chosen": [" a b c"] * rows, "rejected": [" d e f g"] * rows})

    args = _arguments(trl.DPOConfig, folder, report_to, max_length=16, max_prompt_length=8)
    words = tokenizer()
    return _made(
        trl.DPOTrainer,
        model=policy(),
        ref_model=policy(),
        args=args,
        train_dataset=pairs(32),
        eval_dataset=pairs(4),
        tokenizer=words,
        processing_class=words,
        callbacks=callbacks,
    )


def _sft(folder: Path, report_to: list[str], callbacks: list[Any]) -> Any:
    def texts(rows: int) -> Dataset:
        return Dataset.from_dict({"text": [f"{text} a b c" for text in prompts(rows)["prompt"]]})

    args = _arguments(
        trl.SFTConfig, folder, report_to, dataset_text_field="text", max_seq_length=16, max_length=16, packing=False
    )
    words = tokenizer()
    return _made(
        trl.SFTTrainer,
        model=policy(),
        args=args,
        train_dataset=texts(32),
        eval_dataset=texts(4),
        tokenizer=words,
        processing_class=words,
        callbacks=callbacks,
    )


KINDS = {"GRPO": _grpo, "RLOO": _rloo, "PPO": _ppo, "DPO": _dpo, "SFT": _sft}


def make(kind: str, folder: Path, report_to: list[str], callbacks: list[Any], **settings: Any) -> Any:
    """Return a trainer of a kind: GRPO, RLOO, PPO, DPO or SFT."""
    _SHARED.clear()
    _SHARED.update(settings)
    return KINDS[kind](folder, report_to, callbacks)


def weights(model: torch.nn.Module) -> str:
    """Return a digest of all weights, bit by bit."""
    found = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        found.update(name.encode() + tensor.detach().contiguous().cpu().numpy().tobytes())
    return found.hexdigest()


class StepPPO:
    """The loop that users of TRL's old PPO write: sample, score, `step`, `log_stats`."""

    def __init__(self, folder: Path, log_with: str | None) -> None:
        model = trl.AutoModelForCausalLMWithValueHead.from_pretrained(policy())
        reference = trl.AutoModelForCausalLMWithValueHead.from_pretrained(policy())
        options = {"project_kwargs": {"logging_dir": str(folder)}} if log_with == "tensorboard" else {}
        config = trl.PPOConfig(
            batch_size=4, mini_batch_size=2, ppo_epochs=1, log_with=log_with, seed=7, learning_rate=1e-3, **options
        )
        self.trainer = trl.PPOTrainer(config, model, reference, tokenizer())

    def train(self) -> None:
        """Train."""
        words = tokenizer()
        for step in range(STEPS):
            asked = prompts(4 * (step + 1))["prompt"][-4:]
            queries = [torch.tensor(words(text)["input_ids"]) for text in asked]
            answers = [
                self.trainer.generate(query, return_prompt=False, max_new_tokens=6, do_sample=True, pad_token_id=0)[0]
                for query in queries
            ]
            scores = [torch.tensor((answer == 3).float().mean().item() + 0.1 * step) for answer in answers]
            stats = self.trainer.step(queries, answers, scores)
            batch = {"query": asked, "response": [words.decode(answer) for answer in answers]}
            self.trainer.log_stats(stats, batch, scores)
        self.trainer.accelerator.end_training()
