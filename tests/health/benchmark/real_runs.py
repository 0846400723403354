"""Trains tiny models with TRL's own trainers, with faults on purpose, and writes what they logged as JSON lines.

Runs with a Python in which trl 1.16.0 and torch are installed: ``python real_runs.py FOLDER [SEED …]``. Each run takes
some ten seconds on a core. The models are random; the runs show names, spellings and faults, not what pretrained
models do. A file is named ``FAMILY-SCENARIO-SEED.jsonl``.
"""

# pyright: reportMissingImports=false

import json
import math
import sys
import tempfile
from pathlib import Path

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
from trl import DPOConfig, DPOTrainer, GRPOConfig, GRPOTrainer

LETTERS = "abcdefghijklmnopqrstuvwxyz"
STEPS = 70

torch.set_num_threads(1)


def tokenizer() -> PreTrainedTokenizerFast:
    """Return a tokenizer with a token for each letter."""
    vocabulary = {"<pad>": 0, "<eos>": 1, "<unk>": 2, " ": 3} | {letter: 4 + at for at, letter in enumerate(LETTERS)}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )


def model(seed: int) -> LlamaForCausalLM:
    """Return a random model of some ten thousand parameters."""
    set_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=30,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=128,
            pad_token_id=0,
            eos_token_id=1,
            bos_token_id=None,
        )
    )


def share_of_a(completions, **_):
    """Pay for the letter a."""
    return [text.count("a") / max(1, len(text.replace(" ", ""))) for text in completions]


def length(completions, **_):
    """Pay for every letter."""
    return [len(text.replace(" ", "")) / 10 for text in completions]


def nothing(completions, **_):
    """Pay nothing."""
    return [0.0 for _ in completions]


def poisoned(trainer, step: int):
    """Make one loss NaN, as a broken batch does, and let everything go on from there."""
    plain = trainer.compute_loss

    def compute_loss(*args, **options):
        loss = plain(*args, **options)
        if trainer.state.global_step != step:
            return loss
        return (loss[0] * math.nan, *loss[1:]) if isinstance(loss, tuple) else loss * math.nan

    trainer.compute_loss = compute_loss
    return trainer


GRPO = {
    "healthy": {},
    "zero_rewards": {"reward": nothing},
    "lr_absurd": {"learning_rate": 3.0},
    "nan": {"poison": 30},
    "length_pays": {"reward": length, "max_completion_length": 24},
    "healthy_slow": {"learning_rate": 1e-3},
    "healthy_beta": {"beta": 0.02},
    "healthy_thinned": {"logging_steps": 5},
    "two_iterations": {"num_iterations": 2, "learning_rate": 1e-3},
}
DPO = {
    "healthy": {},
    "lr_absurd": {"learning_rate": 5.0},
    "stale_reference": {"reference": 1},
    "frozen": {"learning_rate": 0.0},
    "nan": {"poison": 30},
}


def grpo(seed: int, scenario: str) -> list[dict]:
    """Train with GRPO and return what was logged."""
    given = dict(GRPO[scenario])
    reward = given.pop("reward", share_of_a)
    poison = given.pop("poison", None)
    settings = {"learning_rate": 2e-3, "logging_steps": 1, "max_completion_length": 10, "beta": 0.0} | given
    words = Dataset.from_list([{"prompt": LETTERS[at % 26] + LETTERS[(at * 7) % 26]} for at in range(64)])
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model(seed),
            reward_funcs=[reward],
            train_dataset=words,
            processing_class=tokenizer(),
            args=GRPOConfig(
                output_dir=folder,
                max_steps=STEPS,
                per_device_train_batch_size=8,
                num_generations=4,
                report_to="none",
                save_strategy="no",
                seed=seed,
                use_cpu=True,
                bf16=False,
                disable_tqdm=True,
                **settings,
            ),
        )
        return _trained(poisoned(trainer, poison) if poison else trainer)


def dpo(seed: int, scenario: str) -> list[dict]:
    """Train with DPO and return what was logged."""
    given = dict(DPO[scenario])
    poison = given.pop("poison", None)
    other = given.pop("reference", None)
    settings = {"learning_rate": 2e-3, "logging_steps": 1, "beta": 0.1} | given
    good = [
        {"prompt": LETTERS[at % 26], "chosen": "aab" * 3, "rejected": LETTERS[(at * 5) % 26] * 8} for at in range(64)
    ]
    with tempfile.TemporaryDirectory() as folder:
        trainer = DPOTrainer(
            model=model(seed),
            ref_model=_another(seed) if other else model(seed),
            train_dataset=Dataset.from_list(good),
            processing_class=tokenizer(),
            args=DPOConfig(
                output_dir=folder,
                max_steps=STEPS,
                per_device_train_batch_size=8,
                report_to="none",
                save_strategy="no",
                seed=seed,
                use_cpu=True,
                bf16=False,
                disable_tqdm=True,
                **settings,
            ),
        )
        return _trained(poisoned(trainer, poison) if poison else trainer)


def _another(seed: int) -> LlamaForCausalLM:
    """Return a reference that is far from the policy: the same kind of model with larger weights."""
    made = model(seed + 1000)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(6.0)
    return made


def _trained(trainer) -> list[dict]:
    try:
        trainer.train()
    except Exception as error:
        print(f"  stopped by {type(error).__name__}: {str(error)[:80]}", flush=True)
    return trainer.state.log_history


def main(folder: Path, seeds: list[int]) -> None:
    """Write every run for some seeds."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for family, scenarios, train in (("dpo", DPO, dpo), ("grpo", GRPO, grpo)):
            for scenario in scenarios:
                path = folder / f"{family}-{scenario}-{seed}.jsonl"
                if not path.exists():
                    rows = train(seed, scenario)
                    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
                    print(path.name, len(rows), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]] or [0])
