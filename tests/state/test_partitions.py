"""However data is cut, the states of the parts merge to the state of the whole: for every metric, in float32.

Counts, minima and maxima agree to the last bit, means to 1e-6 and what is made of variances to 1e-5, relative to the
result. Cuts never go through a metric's atom.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_checks import cast, merged
from metric_inputs import SEEDS, Tensors, make_inputs, make_parameters
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricFunction, MetricState

MEAN, VARIANCE = 1e-6, 1e-5
EXACT = {"count", "min", "max", "bins", "last", "at_max", "values"}
BY_FAMILY: dict[str, list[str]] = defaultdict(list)
for _key in REGISTRY:
    if any(axes for _, axes, _ in REGISTRY[_key].inputs):
        BY_FAMILY[_key.partition("/")[0]].append(_key)

REWARDS = re.compile("reward|score|value|return")


def tolerance_of(metric: MetricFunction) -> float:
    """Return how far merged and whole may be apart, relative to the result."""
    if all(slot.kind in EXACT for slot in metric.slots):
        return 0.0
    return VARIANCE if re.search(r"std|var|corr|cov", " ".join([metric.formula, *metric.let.values()])) else MEAN


def hard(inputs: Tensors, seed: int) -> Tensors:
    """Return the inputs in float32, with rewards and values around 1e4 and a spread of 1e-2."""
    generator = torch.Generator().manual_seed(seed)
    changed = cast(inputs, torch.float32)
    for name, value in changed.items():
        if value.is_floating_point() and REWARDS.search(name) and "seconds" not in name:
            changed[name] = (1e4 + 1e-2 * torch.randn(value.shape, generator=generator)).float()
    return changed


def masked_out(inputs: Tensors, rows: frozenset[int]) -> Tensors:
    """Return the inputs with nothing left of some rows."""
    changed = dict(inputs)
    for name, value in inputs.items():
        if name.endswith("mask"):
            out = torch.tensor([row in rows for row in range(value.shape[0])])
            changed[name] = value & ~out.unsqueeze(-1)
    return changed


def cut(metric: MetricFunction, inputs: Tensors, cuts: list[float]) -> list[Tensors]:
    """Cut inputs at these shares of their atoms; equal cuts give empty parts, and tokens come one by one at the end."""
    sizes = {inputs[name].shape[0] for name, axes, _ in metric.inputs if axes}
    (rows,) = sizes if len(sizes) == 1 else (0,)
    if not rows or metric.atom == "batch":
        return [inputs]
    order = torch.arange(rows)
    edges = [0, *sorted(round(share * rows) for share in cuts), rows]
    if metric.atom == "group":
        order = inputs["group_ids"].argsort(stable=True)
        ids = inputs["group_ids"][order].tolist()
        starts = [place for place in range(rows + 1) if place in (0, rows) or ids[place] != ids[place - 1]]
        edges = [max(start for start in starts if start <= edge) for edge in edges]
    parts = []
    for start, stop in pairwise(edges):
        chosen = order[start:stop]
        parts.append({name: inputs[name][chosen] if axes else inputs[name] for name, axes, _ in metric.inputs})
    return [*parts[:-1], *_single_tokens(metric, parts[-1])]


def _single_tokens(metric: MetricFunction, part: Tensors) -> list[Tensors]:
    if metric.atom != "token" or any(axes[1:2] != ("T",) for _, axes, _ in metric.inputs):
        return [part]
    rows, columns = next(iter(part.values())).shape[:2]
    places = [(row, column) for row in range(rows) for column in range(columns)]
    return [{name: value[row : row + 1, column : column + 1] for name, value in part.items()} for row, column in places]


@pytest.mark.parametrize("family", list(BY_FAMILY))
@settings(max_examples=4)
@given(data=st.data())
def test_any_partition_merges_to_the_whole(family: str, data: st.DataObject) -> None:
    """Uneven and empty parts, responses without a token, parts of one token: merged in any order of neighbours."""
    seed = data.draw(st.sampled_from(SEEDS))
    cuts = data.draw(st.lists(st.floats(0, 1), max_size=6))
    rows = data.draw(st.frozensets(st.integers(0, 8), max_size=4))
    order = data.draw(st.integers(0, 99))
    for key in BY_FAMILY[family]:
        metric = REGISTRY[key]
        inputs, parameters = masked_out(hard(make_inputs(metric, seed), seed), rows), make_parameters(metric, seed)
        whole = metric.state(**parameters).update(**inputs)
        parts = [metric.state(**parameters).update(**part) for part in cut(metric, inputs, cuts)]
        parts.insert(order % (len(parts) + 1), metric.state(**parameters))

        found, expected = merged(parts, order).compute(), whole.compute()

        allowed = tolerance_of(metric)
        torch.testing.assert_close(
            found,
            expected,
            rtol=allowed,
            atol=allowed * 1e-6,
            equal_nan=True,
            msg=functools.partial("{}: {}".format, key),
        )
        torch.testing.assert_close(expected, metric.function(**inputs, **parameters), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("family", list(BY_FAMILY))
def test_more_tokens_than_an_int32_can_count(family: str) -> None:
    """A state doubled until it has counted 2**31 tokens and more still counts each of the next few."""
    for key in BY_FAMILY[family]:
        metric = REGISTRY[key]
        if metric.keeps_values:
            continue  # Nobody keeps that many values.
        inputs, parameters = make_inputs(metric, 0), make_parameters(metric, 0)
        # The same groups come over and over, which only fresh ids for each update allow.
        once = metric.state(ids_restart=metric.atom == "group", **parameters).update(**inputs)
        many = doubled(once, 31)
        alone = dict(zip(_names(metric), _slot_values(once), strict=True))
        for name, value in zip(_names(metric), _slot_values(many), strict=True):
            kind = next(slot.kind for slot in metric.slots if slot.name == name)
            one = alone[name]
            factor = 2.0**31
            if kind in ("count", "sum"):
                assert torch.equal(one * factor, value), key
            elif kind in ("moments", "comoments"):
                middle = 2 if kind == "moments" else 3
                assert torch.equal(one[:1] * factor, value[:1]), key
                assert torch.equal(one[1:middle], value[1:middle]), key
                torch.testing.assert_close(value[middle:], one[middle:] * factor, rtol=1e-12, atol=0, equal_nan=True)
            elif kind == "at_max":
                assert value.tolist() == [one[0].item() * factor, *one[1:].tolist()], key
            elif kind != "bins":
                assert torch.equal(one, value), key
        counts = [slot.kind == "count" for slot in metric.slots]
        more = many.merge(once)
        for counting, before, after in zip(counts, _slot_values(once), _slot_values(more), strict=True):
            if counting:
                assert before * (2**31 + 1) == after, key


def doubled(state: MetricState, times: int) -> MetricState:
    """Return a state that has seen the same data 2**times times."""
    copy = MetricState(state.metric, device=None, ids_restart=state.ids_restart, **state.parameters).merge(state)
    return functools.reduce(lambda grown, _: grown.merge(grown), range(times), copy)


def _names(metric: MetricFunction) -> list[str]:
    return [slot.name for slot in metric.slots]


def _slot_values(state: MetricState) -> list[torch.Tensor]:
    from rlmetrics.state.slots import unpack

    return list(unpack(state.metric.slots, state.values.clone()))
