"""Rows of timers, throughput and balance: times, tokens per second, tokens per rank and per expert."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from .verl_answers import accepted, told
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

CLOCK = Explained("a wall time that a timer measured, passed on as it is")


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of all of them."""
    for function, output in records(release):
        call, _, key = output.rpartition("|")
        if output.endswith("__exception__"):
            continue
        if function in ("compute_timing_metrics", "compute_throughout_metrics"):
            yield (function, output), _timed(release, key)
        elif function == "log_seqlen_unbalance":
            yield (function, output), _balance(release, call, key)
        elif function == "compute_rollout_moe_load_balance_metrics":
            yield (function, output), _experts(release, key)


def _timed(release: str, key: str) -> Row:
    """Return the row of a time, or of a number made of one."""
    if key.startswith("timing_s/") or key == "perf/time_per_step":
        return CLOCK
    quantity = told(release, key)
    function = quantity.function
    stage = key.removeprefix("timing_per_token_ms/")

    def value(batch: Scenario) -> float:
        measured = {"stage_seconds": SECONDS.get(stage, STEP_SECONDS), "step_seconds": STEP_SECONDS}
        timed = batch.with_tensors(**{name: _number(seconds) for name, seconds in measured.items()})
        return float(quantity.by_function(dict(timed.tensors), None, **accepted(function, {"devices": DEVICES})))

    return Reproduced(function, value)


def _balance(release: str, call: str, key: str) -> Row:
    """Return the row of the tokens of ranks, before or after the samples are dealt out evenly."""
    if key == "__partitions__":
        return Explained("which sample goes to which rank, no number")
    function = told(release, key).function
    count = int(call.partition(",")[0].removeprefix("k="))
    named = {"chunk_tokens": _chunks(count), "rank_tokens": _ranks(call)}

    def value(batch: Scenario) -> float:
        return batch.with_tensors(**{name: tokens(batch) for name, tokens in named.items()}).compute(function)

    return Reproduced(function, value)


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


def _experts(release: str, key: str) -> Row:
    """Return the row of how unevenly experts are used: in one layer, or reduced over the layers."""
    function = told(release, key).function
    layer = re.fullmatch(r".+/layer_(\d+)", key)
    if layer is not None:
        place = int(layer[1])
        return Reproduced(function, lambda batch: _violation(batch, function, place))
    of_layer = told(release, f"{key.rpartition('/')[0]}/layer_0").function

    def value(batch: Scenario) -> float:
        violations = torch.tensor([_violation(batch, of_layer, layer) for layer in (0, 1)], dtype=torch.float64)
        return batch.with_tensors(layer_violations=violations).compute(function)

    return Reproduced(function, value, f"of `{of_layer}` of each layer")


def _assignments(batch: Scenario, layer: int) -> Tensor:
    """Count the tokens of each expert; the last token of a response was never routed."""
    mask = batch.mask
    routed = mask & (mask.flip(-1).cumsum(-1).flip(-1) > 1)
    chosen = torch.from_numpy(raw(batch.name)["routed_experts"])[:, -mask.shape[-1] :][routed]
    return torch.bincount(chosen[:, layer].flatten(), minlength=EXPERTS)


def _violation(batch: Scenario, key: str, layer: int) -> float:
    return batch.with_tensors(expert_assignments=_assignments(batch, layer)).compute(key)


def _number(value: float) -> Tensor:
    return torch.tensor(value, dtype=torch.float64)
