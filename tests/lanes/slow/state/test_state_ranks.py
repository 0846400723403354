"""Real processes with gloo: every metric's state over uneven shards, gathered as TRL gathers, with accelerate."""

from __future__ import annotations

import json

import pytest
import torch
from gloo_ranks import on_ranks
from metric_inputs import make_inputs, make_parameters
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState
from torch import Tensor

SEED = 3
WHOLE_ROWS = [key for key in REGISTRY if REGISTRY[key].atom in ("token", "sequence")]
"""The metrics whose data may be cut between responses."""

SCENARIOS: dict[str, tuple[str, list[int]]] = {
    "two": ("gloo", [0, 5, 7]),
    "two-accelerate": ("accelerate", [0, 1, 7]),
    "one-of-three-empty": ("accelerate", [0, 4, 4, 7]),
}
"""How states are gathered, and where the rows of one rank end and those of the next begin."""

# Three processes form one group after the other: starting them takes longer than all they do.
WORKER = """
import json, os, sys
import torch
import torch.distributed as dist
from accelerate import Accelerator
from accelerate.state import AcceleratorState, GradientState
from gloo_ranks import join, report
from lanes.slow.state.test_state_ranks import WHOLE_ROWS, shard_state

rank, scenarios = int(sys.argv[2]), json.loads(sys.argv[3])
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="1")
found = {}
for scenario, (how, edges) in scenarios.items():
    ranks = len(edges) - 1
    if rank >= ranks:
        continue
    # Accelerate asks for an address, and then uses the group that is there.
    os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks))
    join(scenario, ranks)
    if how == "accelerate":
        AcceleratorState._reset_state(reset_partial_state=True)
        GradientState._reset_state()
        accelerator = Accelerator(cpu=True)
        assert (rank, ranks) == (accelerator.process_index, accelerator.num_processes)
        gather = accelerator.gather
    else:
        def gather(mine):
            whole = mine.new_empty(ranks * mine.numel())
            dist.all_gather_into_tensor(whole, mine)
            return whole
    # One collective for all metrics: their states are one tensor after the other.
    states = {key: shard_state(key, edges[rank], edges[rank + 1]) for key in WHOLE_ROWS}
    packed = {key: state.values for key, state in states.items() if not state.metric.keeps_values}
    gathered = gather(torch.cat(list(packed.values()))).view(ranks, -1)
    whole = dict(zip(packed, gathered.split([values.numel() for values in packed.values()], dim=1)))
    # What keeps all values differs in length from rank to rank; those go as objects.
    mine = {key: state.values for key, state in states.items() if state.metric.keeps_values}
    each = [None] * ranks
    dist.all_gather_object(each, mine)
    whole.update({key: [one[key] for one in each] for key in mine})
    found[scenario] = [state.over_ranks(whole[key]).compute() for key, state in states.items()]
    dist.destroy_process_group()
report(found)
"""


def shard_state(key: str, first: int, last: int) -> MetricState:
    """Return the state over some rows of the batch; without rows the rank has seen nothing."""
    metric = REGISTRY[key]
    inputs, parameters = make_inputs(metric, SEED), make_parameters(metric, SEED)
    state = MetricState(key, device=None, **parameters)
    if last > first:
        state.update(**{name: inputs[name][first:last] if axes else inputs[name] for name, axes, _ in metric.inputs})
    return state


Found = dict[str, list[list[Tensor]]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Run one process per rank, and return the results of each of them in every scenario."""
    ranks = on_ranks(tmp_path_factory.mktemp("ranks"), WORKER, json.dumps(SCENARIOS))
    return {scenario: [rank[scenario] for rank in ranks if scenario in rank] for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", list(SCENARIOS))
def test_all_ranks_have_the_whole(found: Found, scenario: str) -> None:
    """Two ranks or three, one of them without data: each has the result over all responses, bit by bit the same."""
    for key, first, *others in zip(WHOLE_ROWS, *found[scenario], strict=True):
        expected = shard_state(key, 0, 9).compute()
        torch.testing.assert_close(first, expected, rtol=1e-9, atol=1e-12, equal_nan=True)
        assert all(json.dumps(first.tolist()) == json.dumps(other.tolist()) for other in others), key
