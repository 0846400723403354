"""Real processes with gloo: one collective, uneven and empty shards, the same bits on every rank."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from generate_support import environment
from rlmetrics.suites import GRPOSuite, PPOSuite
from suites.suite_support import assert_same, make_batch

ROWS = 12

WORKER = """
import json, sys
from datetime import timedelta
import torch.distributed as dist
from rlmetrics.suites import GRPOSuite, PPOSuite
from suites.suite_support import counted_collectives, make_batch, rows_of

folder, name, rank, edges = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
dist.init_process_group(
    "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=len(edges) - 1, timeout=timedelta(seconds=60)
)
calls = counted_collectives()
suite = {"PPOSuite": PPOSuite, "GRPOSuite": GRPOSuite}[name]()
batch = make_batch(suite, 3, rows=12)
first, last = edges[rank], edges[rank + 1]
for row in range(first, last, 2):
    suite.update(**rows_of(batch, slice(row, row + 2)))
alone = suite.compute()
suite.sync()
synced, number = suite.compute(), list(calls)
again = suite.sync().compute()
row = rows_of(batch, slice(0, 2))
later = suite.update(**row).sync().compute()
with open(f"{folder}/{rank}.json", "w") as stream:
    json.dump({"alone": alone, "synced": synced, "calls": number, "again": again, "later": later,
               "bits": [value.hex() for value in synced.values()]}, stream)
dist.destroy_process_group()
"""


def run_ranks(folder: Path, name: str, edges: list[int]) -> list[dict]:  # type: ignore[type-arg]
    """Run one process per shard, and return what each of them found."""
    tests = str(Path(__file__).resolve().parents[1])
    env = environment()
    env["PYTHONPATH"] = f"{env['PYTHONPATH']}:{tests}"
    env["OMP_NUM_THREADS"] = "1"
    ranks = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(folder), name, str(rank), json.dumps(edges)],
            env=env,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(len(edges) - 1)
    ]
    for process in ranks:
        _, errors = process.communicate(timeout=120)
        assert 0 == process.returncode, errors
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(len(ranks))]


@pytest.mark.parametrize(
    ("name", "edges"),
    [("PPOSuite", [0, 8, 12]), ("PPOSuite", [0, 12, 12]), ("GRPOSuite", [0, 2, 2, 12]), ("PPOSuite", [0, 0, 2, 12])],
    ids=["uneven", "one-empty", "three-one-empty", "three-first-empty"],
)
def test_ranks_agree_on_the_whole(tmp_path: Path, name: str, edges: list[int]) -> None:
    """After one all-gather every rank has the result over all shards, equal in every bit; then it goes on alone."""
    found = run_ranks(tmp_path, name, edges)

    suite = {"PPOSuite": PPOSuite, "GRPOSuite": GRPOSuite}[name]()
    batch = make_batch(suite, 3, rows=ROWS)
    whole = suite.update(**batch).compute()
    assert [1] * len(found) == [len(rank["calls"]) for rank in found]
    assert {"all_gather_single", "all_gather_into_tensor"} >= {call for rank in found for call in rank["calls"]}
    assert 1 == len({tuple(rank["bits"]) for rank in found})
    for rank in found:
        assert_same(whole, rank["synced"], rel=1e-9)
        assert rank["synced"] == rank["again"]
    # What a rank has seen stays its own: one more update on each adds that many rows, and nothing twice.
    for _ in found:
        suite.update(**{key: tensor[:2] for key, tensor in batch.items()})
    assert_same(suite.compute(), found[0]["later"], rel=1e-9)
    assert found[0]["alone"] != found[-1]["alone"]


def test_two_runs_give_the_same_bits(tmp_path: Path) -> None:
    """The order of merging is that of the ranks, not that of arrival, so a second run gives the same bits."""
    runs = []
    for number in range(2):
        (tmp_path / str(number)).mkdir()
        runs.append([rank["bits"] for rank in run_ranks(tmp_path / str(number), "PPOSuite", [0, 6, 10, 12])])

    assert runs[0] == runs[1]


def test_sync_without_a_group() -> None:
    """In a single process there is nothing to synchronise, and the same code runs."""
    suite = PPOSuite().update(**make_batch(PPOSuite(), 0))

    assert suite.compute() == suite.sync().compute()
