"""Rows of timers, throughput and balance: times, tokens per second, tokens per rank and per expert."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from .verl_records import raw, records
from .verl_rows import Explained, Reproduced, Row
from .verl_scenario import Scenario

SECONDS = {
    "gen": 12.5,
    "ref": 1.5,
    "values": 0.8,
    "adv": 0.05,
    "update_critic": 2.25,
    "update_actor": 4.5,
}
"""What the timers of the calls said."""

STEP_SECONDS = 24.0
DEVICES = 8
EXPERTS = 8

PER_TOKEN = {
    "gen": "generation",
    "ref": "reference",
    "values": "values",
    "adv": "advantages",
    "update_critic": "critic_update",
    "update_actor": "actor_update",
}
CLOCK = Explained("a wall time that a timer measured, passed on as it is")


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of all of them."""
    for function, output in records(release):
        if function == "compute_timing_metrics" and output.startswith("timing_s/"):
            yield (function, output), CLOCK
    for stage, name in PER_TOKEN.items():
        yield ("compute_timing_metrics", f"timing_per_token_ms/{stage}"), _per_token(stage, name)
    yield from _throughput()
    yield from _balance()
    if release != "0.5.0":
        yield from _experts()


def _per_token(stage: str, name: str) -> Row:
    key = f"throughput/milliseconds_per_token/{name}"

    def value(batch: Scenario) -> float:
        if stage == "gen" and batch.tensors["lengths"].sum() == 0:
            return 0.0
        return batch.with_tensors(stage_seconds=_number(SECONDS[stage])).compute(key)

    return Reproduced(key, value)


def _throughput() -> Iterator[tuple[tuple[str, str], Row]]:
    call = "n_gpus=8"
    function = "compute_throughout_metrics"
    tokens, speed = "throughput/tokens_per_step", "throughput/tokens_per_second_per_device"

    def per_device(batch: Scenario) -> float:
        return batch.with_tensors(step_seconds=_number(STEP_SECONDS)).compute(speed, devices=DEVICES)

    yield (function, f"{call}|perf/total_num_tokens"), Reproduced(tokens, lambda batch: batch.compute(tokens))
    yield (function, f"{call}|perf/throughput"), Reproduced(speed, per_device)
    yield (function, f"{call}|perf/time_per_step"), CLOCK


def _balance() -> Iterator[tuple[tuple[str, str], Row]]:
    function = "log_seqlen_unbalance"
    chunks = {"min": "min", "max": "max", "minmax_diff": "spread"}
    ranks = {"balanced_min": "min", "balanced_max": "max", "mean": "mean"}
    for ranks_count in (1, 2, 4):
        for equal in (True, False):
            call = f"k={ranks_count},equal={equal}"
            for name, statistic in chunks.items():
                yield (
                    (function, f"{call}|global_seqlen/{name}"),
                    _reduced(f"balance/chunk_tokens/{statistic}", "chunk_tokens", _chunks(ranks_count)),
                )
            for name, statistic in ranks.items():
                yield (
                    (function, f"{call}|global_seqlen/{name}"),
                    _reduced(f"balance/rank_tokens/{statistic}", "rank_tokens", _ranks(call)),
                )
            yield (function, f"{call}|__partitions__"), Explained("which sample goes to which rank, no number")


def _lengths(batch: Scenario) -> Tensor:
    return batch.tensors["lengths"] + batch.tensors["prompt_lengths"]


def _chunks(count: int) -> Callable[[Scenario], Tensor]:
    def tokens(batch: Scenario) -> Tensor:
        return torch.stack([chunk.sum() for chunk in _lengths(batch).chunk(count)])

    return tokens


def _ranks(call: str) -> Callable[[Scenario], Tensor]:
    def tokens(batch: Scenario) -> Tensor:
        partitions = records(batch.release)["log_seqlen_unbalance", f"{call}|__partitions__"][batch.name]
        assert isinstance(partitions, str)
        return torch.stack([_lengths(batch)[samples].sum() for samples in ast.literal_eval(partitions)])

    return tokens


def _reduced(key: str, word: str, tokens: Callable[[Scenario], Tensor]) -> Row:
    return Reproduced(key, lambda batch: batch.with_tensors(**{word: tokens(batch)}).compute(key))


def _experts() -> Iterator[tuple[tuple[str, str], Row]]:
    function = "compute_rollout_moe_load_balance_metrics"
    family = "balance/expert_load"
    for violation in ("max", "min", "avg"):
        key = f"{family}/{violation}_violation"
        for layer in (0, 1):
            yield (function, f"rollout/moe/{violation}_vio/layer_{layer}"), _expert_row(key, layer)
        for name, statistic in (("max", "max"), ("avg", "mean")):
            yield (
                (function, f"rollout/moe/{violation}_vio/{name}"),
                _layers_row(key, f"{key}_layer_{statistic}"),
            )


def _assignments(batch: Scenario, layer: int) -> Tensor:
    """Count the tokens of each expert; the last token of a response was never routed."""
    mask = batch.mask
    routed = mask & (mask.flip(-1).cumsum(-1).flip(-1) > 1)
    chosen = torch.from_numpy(raw(batch.name)["routed_experts"])[:, -mask.shape[-1] :][routed]
    return torch.bincount(chosen[:, layer].flatten(), minlength=EXPERTS)


def _violation(batch: Scenario, key: str, layer: int) -> float:
    return batch.with_tensors(expert_assignments=_assignments(batch, layer)).compute(key)


def _expert_row(key: str, layer: int) -> Row:
    return Reproduced(key, lambda batch: _violation(batch, key, layer))


def _layers_row(key: str, over_layers: str) -> Row:
    def value(batch: Scenario) -> float:
        violations = torch.tensor([_violation(batch, key, layer) for layer in (0, 1)], dtype=torch.float64)
        return batch.with_tensors(layer_violations=violations).compute(over_layers)

    return Reproduced(over_layers, value, f"of `{key}` of each layer")


def _number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)
