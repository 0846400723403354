"""Rows of validation: what verl makes of several samples per prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from .verl_answers import accepted, told
from .verl_records import records, validation
from .verl_rows import Reproduced, Row
from .verl_scenario import Scenario

_NAME = re.compile(r"(?P<source>.+)/(?P<variable>\w+)/(?P<picked>\w+)@(?P<n>\d+)(/\w+)?")


@dataclass(frozen=True)
class Samples:
    """The samples of one data source that an output covers.

    Attributes:
        values: Value of each sample.
        prompts: Prompt of each sample.
        answers: Answer of each sample.
    """

    values: Tensor
    prompts: Tensor
    answers: Tensor


def rows(release: str) -> Iterator[tuple[tuple[str, str], Row]]:
    """Yield the rows of ``process_validation_metrics`` and of the keys that 0.9.1 makes of its results."""
    for function, output in records(release):
        if output == "__exception__":
            continue
        if function == "process_validation_metrics":
            yield (function, output), _row(release, f"val-aux/{output}")
        elif function == "val_metrics_update" and "num_turns" not in output:
            yield (function, output), _row(release, output)


def _row(release: str, key: str) -> Row:
    match = _NAME.fullmatch(key.partition("/")[2])
    assert match is not None, key
    function = told(release, key).function
    source, variable, n = match["source"], match["variable"], int(match["n"])
    parameters = accepted(function, {"n": n})

    def value(batch: Scenario) -> float:
        samples = _samples(source, variable, n, exactly=not parameters)
        tensors = {"sample_values": samples.values, "group_ids": samples.prompts, "answers": samples.answers}
        return batch.with_tensors(**tensors).compute(function, **parameters)

    return Reproduced(function, value, "prompts with that many samples")


def _samples(source: str, variable: str, n: int, *, exactly: bool) -> Samples:
    """Return the samples of the prompts that have ``n`` samples with a value, or for which verl draws ``n``."""
    columns = validation()
    grouped: dict[str, list[tuple[float, int]]] = {}
    answers = sorted(set(columns["pred"]))
    for place, uid in enumerate(columns["sample_uids"]):
        value = columns[variable][place]
        if columns["data_sources"][place] == source and value is not None:
            grouped.setdefault(uid, []).append((float(value), answers.index(columns["pred"][place])))
    kept = {
        uid: samples
        for uid, samples in grouped.items()
        if (len(samples) == n if exactly else n in _subset_sizes(len(samples)))
    }
    flat = [(value, prompt, answer) for prompt, uid in enumerate(kept) for value, answer in kept[uid]]
    values, prompts, found = zip(*flat, strict=True)
    return Samples(torch.tensor(values, dtype=torch.float64), torch.tensor(prompts), torch.tensor(found))


def _subset_sizes(samples: int) -> set[int]:
    """Return the subset sizes that verl draws: powers of two below the number of samples, and that number."""
    return {samples, *(2**power for power in range(1, samples) if 2**power < samples)} if samples > 1 else set()
