"""Compute functions and their references against results that were worked out on paper."""

from __future__ import annotations

from collections import Counter

import pytest
import torch
from rlmetrics.functional import REGISTRY

from .hand_computed import Example, arithmetic, examples


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.key)
def test_function_and_reference_give_the_result(example: Example) -> None:
    """Both ways to compute the metric give the number on paper."""
    metric = REGISTRY[example.key]
    inputs = example.inputs()
    for found in (metric(**inputs, **example.parameters), metric.reference(**inputs, **example.parameters)):
        torch.testing.assert_close(found, example.expected(found), rtol=1e-9, atol=1e-12)


def test_every_metric_has_one_result() -> None:
    """Each metric with a function has one example, so that a new metric needs one too."""
    counts = Counter(example.key for example in examples())
    assert [key for key, count in counts.items() if count > 1] == []
    assert sorted(key for key in REGISTRY if "@" not in key) == sorted(key for key in counts if "@" not in key)


def test_arithmetic_understands_numbers_only() -> None:
    """Results cannot call anything that is tested: no names, no functions but three."""
    assert arithmetic("sqrt(4) + 2**-1") == 2.5
    for text in ("values", "mean(1)", "[1]"):
        with pytest.raises((AssertionError, KeyError)):
            arithmetic(text)
