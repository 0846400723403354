"""Real processes with gloo: one collective, uneven and empty shards, the same bits on every rank."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gloo_ranks import on_ranks
from suites.suite_support import BY_NAME, assert_same, make_batch

ROWS = 12

SCENARIOS: dict[str, tuple[str, list[int]]] = {
    "uneven": ("PPOSuite", [0, 8, 12]),
    "one-empty": ("PPOSuite", [0, 12, 12]),
    "three-one-empty": ("GRPOSuite", [0, 2, 2, 12]),
    "three-first-empty": ("PPOSuite", [0, 0, 2, 12]),
    "slowest": ("slowest", [0, 4, 4, 12]),
    "once": ("PPOSuite", [0, 6, 10, 12]),
    "again": ("PPOSuite", [0, 6, 10, 12]),
}
"""A suite, and where the rows of one rank end and those of the next begin."""

# Three processes form one group after the other: starting them takes longer than all they do.
WORKER = """
import json, sys
import torch.distributed as dist
from gloo_ranks import join, report
from suites.suite_support import BY_NAME, counted_collectives, make_batch, rows_of

rank, scenarios = int(sys.argv[2]), json.loads(sys.argv[3])
found = {}
calls = counted_collectives()
for scenario, (name, edges) in scenarios.items():
    if rank + 1 >= len(edges):
        continue
    join(scenario, len(edges) - 1)
    calls.clear()
    suite = BY_NAME[name]()
    batch = make_batch(suite, 3, rows=12)
    first, last = edges[rank], edges[rank + 1]
    for row in range(first, last, 2):
        suite.update(**rows_of(batch, slice(row, row + 2)))
    alone = suite.compute()
    suite.sync()
    synced, number = suite.compute(), list(calls)
    again = suite.sync().compute()
    row = rows_of(batch, slice(0, 2))
    if "group_ids" in row:
        row["group_ids"] = row["group_ids"] - 1000 * (rank + 1)
    later = suite.update(**row).sync().compute()
    found[scenario] = {"alone": alone, "synced": synced, "calls": number, "again": again, "later": later,
                       "bits": [value.hex() for value in synced.values()]}
    dist.destroy_process_group()
report(found)
"""

Found = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """Run one process per rank, and return what each of them found in every scenario."""
    ranks = on_ranks(tmp_path_factory.mktemp("ranks"), WORKER, json.dumps(SCENARIOS))
    return {scenario: [rank[scenario] for rank in ranks if scenario in rank] for scenario in SCENARIOS}


@pytest.mark.parametrize("scenario", ["uneven", "one-empty", "three-one-empty", "three-first-empty", "slowest"])
def test_ranks_agree_on_the_whole(found: Found, scenario: str) -> None:
    """After one all-gather every rank has the result over all shards, equal in every bit; then it goes on alone."""
    ranks = found[scenario]

    suite = BY_NAME[SCENARIOS[scenario][0]]()
    batch = make_batch(suite, 3, rows=ROWS)
    whole = suite.update(**batch).compute()
    assert [1] * len(ranks) == [len(rank["calls"]) for rank in ranks]
    assert {"all_gather_single", "all_gather_into_tensor"} >= {call for rank in ranks for call in rank["calls"]}
    assert len({tuple(rank["bits"]) for rank in ranks}) == 1
    for one in ranks:
        assert_same(whole, one["synced"], rel=1e-9)
        assert one["synced"] == one["again"]
    # What a rank has seen stays its own: one more update on each adds that many rows, and nothing twice.
    for rank in range(len(ranks)):
        more = {key: tensor[:2] for key, tensor in batch.items()}
        if "group_ids" in more:
            more["group_ids"] = more["group_ids"] - 1000 * (rank + 1)
        suite.update(**more)
    assert_same(suite.compute(), ranks[0]["later"], rel=1e-9)
    assert ranks[0]["alone"] != ranks[-1]["alone"]


def test_two_runs_give_the_same_bits(found: Found) -> None:
    """The order of merging is that of the ranks, not that of arrival, so a second run gives the same bits."""
    assert [rank["bits"] for rank in found["once"]] == [rank["bits"] for rank in found["again"]]
