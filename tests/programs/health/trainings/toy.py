"""A language that a tiny model learns in seconds: a prompt of three letters, and a text of letters that ends."""

# pyright: reportMissingImports=false

from __future__ import annotations

import random
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed

LETTERS = "abcdefghijklmnopqrstuvwxyz"
GOOD = "abcdefg"
PAD, EOS = 0, 1
LIMIT = 20
"""Tokens of a response at most; the texts of the language are shorter."""


def tokenizer(side: str = "left") -> PreTrainedTokenizerFast:
    """Return a tokenizer with a token for each letter."""
    vocabulary = {"<pad>": PAD, "<eos>": EOS, "<unk>": 2, " ": 3}
    vocabulary |= {letter: 4 + at for at, letter in enumerate(LETTERS)}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        eos_token="<eos>",
        unk_token="<unk>",
        padding_side=side,
        model_input_names=["input_ids", "attention_mask"],
    )


def config() -> LlamaConfig:
    """Return the shape of the model: some twenty thousand parameters."""
    return LlamaConfig(
        vocab_size=30,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=128,
        pad_token_id=PAD,
        eos_token_id=EOS,
        bos_token_id=None,
    )


def prompts(count: int, seed: int) -> list[str]:
    """Return prompts of three letters."""
    drawn = random.Random(f"prompts {seed}")
    return ["".join(drawn.choices(LETTERS, k=3)) for _ in range(count)]


def text(drawn: random.Random, good: float = 0.35) -> str:
    """Return a text: four to fourteen letters, a share of which comes from the good ones."""
    count = 4 + sum(drawn.random() < 0.4 for _ in range(10))
    return "".join(drawn.choice(GOOD if drawn.random() < good else LETTERS[7:]) for _ in range(count))


def model(seed: int, cache: Path, sharp: float = 1.0) -> LlamaForCausalLM:
    """Return a model that writes the language, trained here once for each seed; ``sharp`` lowers its entropy."""
    path = cache / f"language-{seed}-{sharp:g}-{transformers.__version__}"
    if not path.exists():
        set_seed(seed)
        made = LlamaForCausalLM(config())
        _learn(made, seed)
        with torch.no_grad():
            made.lm_head.weight.mul_(sharp)
        made.save_pretrained(path)
    set_seed(seed)
    return LlamaForCausalLM.from_pretrained(path, torch_dtype=torch.float32)


def _learn(made: LlamaForCausalLM, seed: int) -> None:
    drawn = random.Random(f"language {seed}")
    optimizer = torch.optim.AdamW(made.parameters(), lr=4e-3)
    for _ in range(150):
        rows = []
        for _ in range(48):
            letters = drawn.choices(LETTERS, k=3) + list(text(drawn))
            rows.append([4 + LETTERS.index(letter) for letter in letters] + [EOS])
        most = max(map(len, rows))
        ids = torch.tensor([row + [PAD] * (most - len(row)) for row in rows])
        labels = ids.masked_fill(ids == PAD, -100)
        labels[:, :3] = -100
        loss = made(input_ids=ids, attention_mask=(ids != PAD).long(), labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def noised(made: LlamaForCausalLM, size: float = 1.5) -> LlamaForCausalLM:
    """Return a model with other weights: what a wrong checkpoint looks like."""
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(size * parameter.std() * torch.randn_like(parameter) if parameter.dim() > 1 else 0.0)
    return made


def score(response: str) -> float:
    """Pay for good letters: their share of a response."""
    letters = response.replace(" ", "")
    return sum(letter in GOOD for letter in letters) / max(1, len(letters))
