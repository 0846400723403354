"""Losses on pairs that look at the whole batch."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.handwritten import by_definition, preference

LN2 = math.log(2)
NAMES = {
    "aot": {"beta": 0.1, "label_smoothing": 0.2},
    "aot_unpaired": {"beta": 0.1, "label_smoothing": 0.0},
    "kto_pair": {"beta": 0.1},
}


def _pairs(*columns: list[float]) -> list[torch.Tensor]:
    return [torch.tensor(column, dtype=torch.float64) for column in columns]


@pytest.mark.parametrize(("name", "start"), [("aot", LN2), ("aot_unpaired", LN2), ("kto_pair", 0.5)])
def test_policy_equal_to_reference(name: str, start: float) -> None:
    """While policy and reference agree, every loss has its known start."""
    chosen, rejected = [-3.0, -5.0], [-4.0, -4.5]

    assert start == pytest.approx(
        getattr(preference, name)(*_pairs(chosen, rejected, chosen, rejected), **NAMES[name]).item()
    )


def test_sorting_mixes_pairs() -> None:
    """Log-ratios are compared rank by rank: shuffling one side changes the paired loss, not the unpaired one."""
    policy, reference = [[-1.0, -2.0, -6.0], [-3.0, -1.0, -2.0]], [[-2.0, -2.0, -2.0], [-2.0, -2.0, -2.0]]
    shuffled = [policy[0], [-1.0, -2.0, -3.0]]

    assert preference.aot_unpaired(*_pairs(*policy, *reference), beta=0.1, label_smoothing=0.0).item() == pytest.approx(
        preference.aot_unpaired(*_pairs(*shuffled, *reference), beta=0.1, label_smoothing=0.0).item()
    )
    assert preference.aot(*_pairs(*policy, *reference), beta=0.1, label_smoothing=0.0).item() != pytest.approx(
        preference.aot(*_pairs(*shuffled, *reference), beta=0.1, label_smoothing=0.0).item()
    )


def test_other_half_is_the_baseline() -> None:
    """One pair with log-ratios 2 and -2: the rejected baseline is cut at 0, the preferred one is 2."""
    loss = preference.kto_pair(*_pairs([-1.0], [-5.0], [-3.0], [-3.0]), beta=1.0).item()
    expected = 1 - (1 / (1 + math.exp(-2)) + 1 / (1 + math.exp(-4))) / 2

    assert pytest.approx(loss) == expected


@pytest.mark.parametrize("name", NAMES)
def test_no_pairs(name: str) -> None:
    """Without pairs there is no loss."""
    assert math.isnan(getattr(preference, name)(*_pairs([], [], [], []), **NAMES[name]).item())
    assert math.isnan(getattr(by_definition, name)([], [], [], [], **NAMES[name]))


@pytest.mark.parametrize("name", NAMES)
@given(rows=st.lists(st.tuples(*[st.floats(-300, 0)] * 4), min_size=1, max_size=6), beta=st.floats(0.01, 1))
def test_agrees_with_reference(name: str, rows: list[tuple[float, ...]], beta: float) -> None:
    """Function and reference agree on any batch."""
    columns = [list(column) for column in zip(*rows, strict=True)]

    assert getattr(by_definition, name)(*columns, **{**NAMES[name], "beta": beta}) == pytest.approx(
        getattr(preference, name)(*_pairs(*columns), **{**NAMES[name], "beta": beta}).item(), rel=1e-9, abs=1e-12
    )
