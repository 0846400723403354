"""What the released packages of verl returned for the fixed inputs, and those inputs under rlmetrics' words."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .recorded_arrays import recorded_arrays

FIXTURES = Path(__file__).parents[1] / "fixtures" / "parity"
RELEASES = ("0.5.0", "0.9.1")
SCENARIOS = (
    "mixed",
    "garbage_pad",
    "nan_pad",
    "aborted",
    "multiturn",
    "extreme",
    "singleton",
    "single_token",
    "all_aborted",
)
"""Batches of responses, most with one awkward property; other records belong to no batch."""

Value = float | Tensor | str
"""A number, a tensor, or the text of an exception."""

_WORDS = {
    "logprobs": "log_probs",
    "old_logprobs": "old_log_probs",
    "ref_logprobs": "ref_log_prob",
    "rollout_logprobs": "rollout_log_probs",
    "advantages": "advantages",
    "returns": "returns",
    "old_values": "values",
    "values": "vpreds",
    "probability_square_sums": "sum_pi_squared",
    "token_entropy": "entropys",
    "logits": "logits",
    "token_level_scores": "token_level_scores",
    "token_level_rewards": "token_level_rewards",
}
"""rlmetrics' word for each float tensor of the fixture."""


@cache
def records(release: str) -> Mapping[tuple[str, str], Mapping[str, Value]]:
    """Return everything that was recorded: value by scenario, by function and output."""
    head = f"verl-{release}-outputs"
    recorded = json.loads(gzip.decompress((FIXTURES / f"{head}.json.gz").read_bytes()))
    found: dict[tuple[str, str], dict[str, Value]] = {}
    arrays = recorded_arrays(head)
    values: dict[str, Value] = {
        **recorded["numbers"],
        **{name: torch.from_numpy(arrays[entry]) for name, entry in recorded["arrays"].items()},
        **recorded["exceptions"],
    }
    for name, value in values.items():
        function, scenario, output = name.split("::")
        found.setdefault((function, output), {})[scenario] = value
    return found


@cache
def raw(scenario: str) -> Mapping[str, Any]:
    """Return the NumPy arrays of a scenario as they were recorded."""
    return recorded_arrays(f"verl-inputs/{scenario}")


@cache
def validation() -> Mapping[str, list[Any]]:
    """Return the validation samples, column by column."""
    return json.loads((FIXTURES / "verl-inputs" / "validation.json").read_text())  # type: ignore[no-any-return]


@cache
def tensors(scenario: str) -> Mapping[str, Tensor]:
    """Return the tensors of a scenario by rlmetrics' words; verl was fed float32."""
    arrays = raw(scenario)
    found = {word: torch.from_numpy(arrays[name]).float() for word, name in _WORDS.items()}
    width = arrays["responses"].shape[-1]
    attention = torch.from_numpy(arrays["attention_mask"]).bool()
    return {
        **found,
        "mask": torch.from_numpy(arrays["response_mask"]).bool(),
        "response_attention": attention[:, -width:],
        "prompt_attention": attention[:, :-width],
        "lengths": attention[:, -width:].sum(-1),
        "prompt_lengths": attention[:, :-width].sum(-1),
        "tokens": torch.from_numpy(arrays["labels"]),
        "turns": torch.from_numpy(arrays["num_turns"]).long(),
        "tool_calls": torch.from_numpy(arrays["tool_call_counts"]).long(),
    }
