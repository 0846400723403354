"""Inputs in parts on several ranks: each function and state refuses them in one line, and its remedy is right."""

from __future__ import annotations

import pytest
import torch
from gloo_ranks import on_ranks
from lanes.slow.state.test_state_ranks import SEED
from metric_inputs import make_inputs, make_parameters
from rlmetrics.functional import REGISTRY

WORKER = """
import torch
from gloo_ranks import RANKS, join, report
from lanes.slow.state.test_state_ranks import SEED
from metric_inputs import make_inputs, make_parameters
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

join()
mesh = init_device_mesh("cpu", (RANKS,))
found = {}
for key, metric in REGISTRY.items():
    inputs, parameters = make_inputs(metric, SEED), make_parameters(metric, SEED)
    sharded = {
        name: distribute_tensor(inputs[name], mesh, [Shard(0) if inputs[name].dim() else Replicate()])
        for name, _, _ in metric.inputs
    }
    said = []
    for call in (metric.function, lambda **given: MetricState(key, device=None, **parameters).update(**given)):
        try:
            call(**sharded, **(parameters if call is metric.function else {}))
            said.append("computed")
        except TypeError as error:
            said.append(str(error))
    whole = {name: tensor.full_tensor() for name, tensor in sharded.items()}
    found[key] = said, metric.function(**whole, **parameters)
report(found)
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, tuple[list[str], torch.Tensor]]]:
    """Run one process per rank, and return what each was told and has computed."""
    return on_ranks(tmp_path_factory.mktemp("ranks"), WORKER)


def test_sharded_inputs_are_refused_on_every_rank_in_one_line(
    found: list[dict[str, tuple[list[str], torch.Tensor]]],
) -> None:
    """By functions and by states, with what to pass instead; none hands out the value of a shard."""
    for rank in found:
        for key, (said, _) in rank.items():
            assert len(said) == 2, key
            for text in said:
                assert "got a DTensor; pass" in text, (key, text)
                assert ".full_tensor()" in text, (key, text)
                assert text.isprintable(), key


def test_whole_tensors_give_the_same_number_on_every_rank(
    found: list[dict[str, tuple[list[str], torch.Tensor]]],
) -> None:
    """What the message says to pass gives the number of one process."""
    for key, metric in REGISTRY.items():
        expected = metric.function(**make_inputs(metric, SEED), **make_parameters(metric, SEED))
        for rank in found:
            torch.testing.assert_close(rank[key][1], expected, rtol=0, atol=0, equal_nan=True)
