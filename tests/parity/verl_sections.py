"""The outputs of verl's functions as sections of the parity page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType

import torch
from torch import Tensor

from . import (
    verl_advantages,
    verl_data,
    verl_losses,
    verl_other,
    verl_policy,
    verl_rollout,
    verl_stages,
    verl_tokens,
    verl_updates,
    verl_validation,
)
from .harness import TOLERANCE
from .runs import section
from .table import Row as Line
from .table import Section
from .verl_records import RELEASES, Value, records
from .verl_rows import Explained, Reproduced, Row
from .verl_scenario import scenario

MODULES: Mapping[str, ModuleType] = {
    "batch statistics": verl_data,
    "advantages": verl_advantages,
    "policy losses": verl_policy,
    "value loss, divergences, aggregation": verl_losses,
    "rollout correction": verl_rollout,
    "timers, throughput, balance": verl_stages,
    "logits, masked statistics, variance": verl_tokens,
    "validation": verl_validation,
    "everything else": verl_other,
}
"""What covers the outputs, by title."""

LEAKED = "NaN: padding held NaN, which verl multiplies by zero instead of leaving it out"


@dataclass(frozen=True)
class Result:
    """How a row compares with one recorded value.

    Attributes:
        where: The batch.
        difference: The largest difference, relative to the value or to what was added up; NaN where verl leaked.
        leaked: Whether verl's value is NaN where the function gives a number.
    """

    where: str
    difference: float
    leaked: bool = False

    @property
    def agrees(self) -> bool:
        """Whether the difference is rounding, or known to be a defect."""
        return self.leaked or self.difference <= TOLERANCE


@cache
def rows(release: str, title: str) -> Mapping[tuple[str, str], Row]:
    """Return the rows of a module, by function and output.

    Raises:
        ValueError: A row is there twice.
    """
    found: dict[tuple[str, str], Row] = {}
    for output, row in MODULES[title].rows(release):
        if output in found:
            msg = f"{release}: {output} has two rows"
            raise ValueError(msg)
        found[output] = row
    return found


@cache
def results(release: str, title: str) -> Mapping[tuple[str, str], tuple[Result, ...]]:
    """Compare every reproduced output of a module with what was recorded."""
    return {
        output: tuple(compare(row, value, release, where) for where, value in records(release)[output].items())
        for output, row in rows(release, title).items()
        if isinstance(row, Reproduced)
    }


def compare(row: Reproduced, value: Value, release: str, where: str) -> Result:
    """Compare one recorded value with what a row computes."""
    assert not isinstance(value, str), f"{row.key}: {where} raised {value}"
    expected = torch.as_tensor(value, dtype=torch.float64)
    batch = scenario(release, where)
    found = torch.as_tensor(row.value(batch), dtype=torch.float64)
    assert expected.shape == found.shape, f"{row.key}: {tuple(expected.shape)} recorded, {tuple(found.shape)} computed"
    if row.inside:
        expected, found = (tensor[batch.mask] for tensor in (expected, found))
        if not expected.numel():
            return Result(where, 0.0)
    if row.leaks and where == "nan_pad":
        lost = expected.isnan() & ~found.isnan()
        if bool(lost.all()):
            return Result(where, torch.nan, leaked=True)
        expected = torch.where(lost, found, expected)
    return Result(where, _largest(found, expected, row.magnitude))


def _largest(found: Tensor, expected: Tensor, magnitude: float) -> float:
    same = (found == expected) | (found.isnan() & expected.isnan())
    relative = (found - expected).abs() / expected.abs().clamp(min=magnitude)
    return float(torch.where(same, 0, torch.where(relative.isnan(), torch.inf, relative)).max())


def sections() -> list[Section]:
    """Return one section for each release and module, and one for each release's real updates."""
    brief = "Outputs of verl's own functions on the fixed inputs, one number for each batch of `verl-inputs`."
    called = [
        Section(f"verl {release}: {title}", brief, list(_lines(release, title)))
        for release in RELEASES
        for title in MODULES
        if rows(release, title)
    ]
    return [*called, *(section(run) for run in verl_updates.RUNS)]


def _lines(release: str, title: str) -> Iterator[Line]:
    """Yield one line for each number of a function that is computed in one way, and one for each reason."""
    computed: dict[tuple[str, str, str], list[tuple[str, tuple[Result, ...]]]] = {}
    explained: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for (function, output), row in rows(release, title).items():
        call, _, name = output.rpartition("|")
        recorded = records(release)[function, output]
        if isinstance(row, Explained):
            explained.setdefault((function, row.reason), []).append((output, len(recorded)))
            continue
        compared = results(release, title)[function, output]
        way = f"`{row.key}`" + (f" {row.how}" if row.how else "")
        computed.setdefault((function, name, way), []).append((call, compared))
        leaked = sum(result.leaked for result in compared)
        if leaked:
            explained.setdefault((function, LEAKED), []).append((f"{output} (batch nan_pad)", leaked))
    for (function, name, way), calls in computed.items():
        plain = [result.difference for _, compared in calls for result in compared if not result.leaked]
        covers = "; ".join(call for call, _ in calls if call)
        yield Line(f"{function}: {name}", covers, len(plain), way, max(plain))
    for (function, reason), outputs in explained.items():
        names = "; ".join(output for output, _ in outputs)
        yield Line(function, names, sum(count for _, count in outputs), why=reason)
