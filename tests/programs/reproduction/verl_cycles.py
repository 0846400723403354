"""What verl's fully asynchronous trainer logs of a synchronisation cycle; `record_verl_folds` runs it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import torch
from programs.reproduction.folded_parts import Number

__all__ = ["cycles"]


def cycles(release: str) -> Iterator[Number]:
    """Yield what is logged of a synchronisation cycle of three steps."""
    module = importlib.import_module("verl.experimental.fully_async_policy.detach_utils")
    seconds = [[3.0, 1.0, 2.0], [5.0, 4.0], [0.5, 9.0, 7.0]]
    versions = [([3, 3, 2], [3, 2, 2]), ([4, 4], [1, 4]), ([5, 5, 5], [4, 3, 5])]
    aggregator = module.MetricsAggregator(total_gpus=1)
    given = []
    for step, (times, (newest, oldest)) in enumerate(zip(seconds, versions, strict=True)):
        samples = [
            SimpleNamespace(rollout_status={}, full_batch=_sample(time, first, last))
            for time, last, first in zip(times, newest, oldest, strict=True)
        ]
        aggregator.add_step_metrics(module.assemble_batch_from_rollout_samples(samples, None, None).meta_info, 1)
        tensors = {"generation_seconds": torch.tensor(times, dtype=torch.float64)}
        tensors |= {"newest_version": torch.tensor(newest), "oldest_version": torch.tensor(oldest)}
        given.append(({"window": step}, tensors))
    logged = aggregator.get_aggregated_metrics()
    for key, value in logged.items():
        if key.startswith(("fully_async/processing_time/", "fully_async/partial/")):
            yield f"verl[fully_async]=={release}", key, {}, given, value


def _sample(seconds: float, oldest: int, newest: int) -> Any:
    """Return a finished response as the rollout hands it over."""
    import numpy

    proto = importlib.import_module("verl").DataProto
    ones = torch.ones(1, 2, dtype=torch.long)
    return proto.from_dict(
        {"responses": ones, "attention_mask": ones, "input_ids": ones},
        non_tensors={"min_global_steps": numpy.array([oldest]), "max_global_steps": numpy.array([newest])},
        meta_info={"metrics": [{"generate_sequences": seconds, "tool_calls": 0.0}]},
    )
