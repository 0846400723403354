"""Real processes with gloo: every metric's state over uneven shards, gathered as TRL gathers, with accelerate."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from generate_support import environment
from metric_inputs import make_inputs, make_parameters
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState

SEED = 3
WHOLE_ROWS = [key for key in REGISTRY if REGISTRY[key].atom in ("token", "sequence")]
"""The metrics whose data may be cut between responses."""

WORKER = """
import sys
from datetime import timedelta
import torch
import torch.distributed as dist
from state.test_state_ranks import WHOLE_ROWS, shard_state

folder, how, rank, edges = sys.argv[1], sys.argv[2], int(sys.argv[3]), [int(edge) for edge in sys.argv[4].split(",")]
ranks = len(edges) - 1
dist.init_process_group(
    "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks, timeout=timedelta(seconds=60)
)
if how == "accelerate":
    from accelerate import Accelerator
    gather = Accelerator(cpu=True).gather
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
results = [state.over_ranks(whole[key]).compute() for key, state in states.items()]
torch.save(results, f"{folder}/{rank}.pt")
dist.destroy_process_group()
"""


def shard_state(key: str, first: int, last: int) -> MetricState:
    """Return the state over some rows of the batch; without rows the rank has seen nothing."""
    metric = REGISTRY[key]
    inputs, parameters = make_inputs(metric, SEED), make_parameters(metric, SEED)
    state = MetricState(key, device=None, **parameters)
    if last > first:
        state.update(**{name: inputs[name][first:last] if axes else inputs[name] for name, axes, _ in metric.inputs})
    return state


@pytest.mark.parametrize(
    ("how", "edges"), [("gloo", [0, 5, 7]), ("accelerate", [0, 1, 7]), ("accelerate", [0, 4, 4, 7])]
)
def test_all_ranks_have_the_whole(tmp_path: Path, how: str, edges: list[int]) -> None:
    """Two ranks or three, one of them without data: each has the result over all responses, bit by bit the same."""
    # Accelerate asks for an address, and then uses the group that is there.
    env = environment(OMP_NUM_THREADS="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="1")
    commands = [
        [sys.executable, "-c", WORKER, str(tmp_path), how, str(rank), ",".join(map(str, edges))]
        for rank in range(len(edges) - 1)
    ]
    running = []
    for rank, command in enumerate(commands):
        own = {**env, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(len(commands))}
        running.append(subprocess.Popen(command, env=own, stderr=subprocess.PIPE, text=True))
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert 0 == process.returncode, errors

    first, *others = (torch.load(tmp_path / f"{rank}.pt") for rank in range(len(commands)))

    for key, *found in zip(WHOLE_ROWS, first, *others, strict=True):
        expected = shard_state(key, 0, 9).compute()
        torch.testing.assert_close(found[0], expected, rtol=1e-9, atol=1e-12, equal_nan=True)
        assert all(json.dumps(found[0].tolist()) == json.dumps(other.tolist()) for other in found[1:]), key
