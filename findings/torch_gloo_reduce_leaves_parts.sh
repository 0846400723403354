#!/usr/bin/env bash
# torch 2.13.0, gloo: after reduce() the ranks that get no result hold sums of some of the ranks in place of their own
# values, other sums in other entries.
#
# Guess:    "only the process with rank dst is going to receive the final result": on all others the tensor is as it
#           was, or all have the result.
# Seen:     four ranks with 1, 2, 3 and 4 in each entry: rank 0, the goal, has 10. The others have partial sums: 9, 7
#           and 4 in the first entry, 10, 8 and 5 in the last. With AVG they have quarters of these. Rank 3 alone can
#           keep its own value, in some entries. Nothing is said, and a world of one shows nothing of it.
# Hurts:    loops that reduce a metric for the log of rank 0 and go on using it: per-rank logs and monitors, a skip or
#           stop decided by the loss of the rank, running means. The number of a rank grows with how many stand behind
#           it, which looks like one rank that gets harder data than the next.
# Remedy:   reduce(x.clone(), 0), or all_reduce.
# Output:   sum: rank 0: 10 10 10, rank 1: 9 9 10, rank 2: 7 7 8, rank 3: 4 4 5
#           changed on ranks without a result: sum [1, 2, 3], mean [1, 2, 3]; cloned before: []
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 numpy==2.4.6 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
cat > run.py <<'PY'
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

RANKS = 4


def work(rank, results):
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/rendezvous", rank=rank, world_size=RANKS)
    found = []
    for operation, cloned in ((dist.ReduceOp.SUM, False), (dist.ReduceOp.AVG, False), (dist.ReduceOp.SUM, True)):
        own = torch.full((3,), float(rank + 1))
        dist.reduce(own.clone() if cloned else own, 0, op=operation)
        found.append(own.tolist())
    dist.barrier()
    results[rank] = found
    dist.destroy_process_group()


if __name__ == "__main__":
    with mp.Manager() as manager:
        results = manager.dict()
        mp.spawn(work, (results,), nprocs=RANKS)
        of_ranks = [results[rank] for rank in range(RANKS)]
    sums = (" ".join(f"{value:.0f}" for value in found[0]) for found in of_ranks)
    print("sum: " + ", ".join(f"rank {rank}: {shown}" for rank, shown in enumerate(sums)))
    changed = [
        [rank for rank in range(1, RANKS) if of_ranks[rank][way] != [rank + 1.0] * 3] for way in range(len(of_ranks[0]))
    ]
    print(f"changed on ranks without a result: sum {changed[0]}, mean {changed[1]}; cloned before: {changed[2]}")
    assert of_ranks[0][:2] == [[10.0] * 3, [2.5] * 3]
    assert changed[0] and changed[1] and not changed[2], "ranks without a result keep their values now"
PY
"$work/venv/bin/python" run.py 2> errors || { cat errors >&2; exit 1; }
