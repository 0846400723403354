#!/usr/bin/env bash
# torch 2.13.0, gloo: all_reduce(MAX) of a NaN on one rank is a finite number, often not even the largest of the others.
#
# Guess:    NaN on every rank, as torch.max and torch.amax give, or at worst the largest of the finite values.
# Seen:     of 1, 2, 3, 4 on four ranks, with a NaN in place of one of them, a scalar's maximum is NaN if it was rank
#           0's, 1 if rank 1's, 2 if rank 2's, 3 if rank 3's: the NaN is lost, and with it the 4. MIN does the same,
#           reduce() too. Of eight equal entries on each rank some come back as NaN, others as one or another finite
#           number: the result hangs on where in the tensor an entry lies. No warning; SUM gives NaN throughout.
# Hurts:    the largest gradient norm, KL, ratio or reward over ranks, reduced on CPU tensors for the logs: a run that
#           is broken on one rank shows a finite and small maximum, or NaN in some metrics of a stacked tensor and not
#           in others.
# Remedy:   reduce isnan() as a number of its own, or all_gather and torch.amax.
# Output:   one number, NaN on rank 0 to 3: max [nan, 1.0, 2.0, 3.0], min [nan, 1.0, 1.0, 1.0], sum [nan, nan, nan, nan]
#           eight equal numbers, NaN on rank 1: max [1.0, 1.0, nan, nan, 4.0, 4.0, 4.0, 4.0]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 numpy==2.4.6 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
cat > finding.py <<'PY'
import math
import os

import torch
import torch.distributed as dist

RANKS = 4


def reduced(rank, broken, size, op):
    tensor = torch.full((size,), math.nan if rank == broken else rank + 1.0)
    dist.all_reduce(tensor, op)
    return tensor.tolist()


def main(rank):
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/rendezvous", rank=rank, world_size=RANKS)
    ops = {"max": dist.ReduceOp.MAX, "min": dist.ReduceOp.MIN, "sum": dist.ReduceOp.SUM}
    single = {name: [reduced(rank, broken, 1, op)[0] for broken in range(RANKS)] for name, op in ops.items()}
    several = reduced(rank, 1, 8, dist.ReduceOp.MAX)
    if rank == 0:
        told = ", ".join(f"{name} {values}" for name, values in single.items())
        print(f"one number, NaN on rank 0 to 3: {told}")
        print(f"eight equal numbers, NaN on rank 1: max {several}")
    finite = [value for value in single["max"] if math.isfinite(value)]
    assert all(map(math.isnan, single["sum"]))
    assert finite == [1.0, 2.0, 3.0], "NaN is the maximum now"
    assert 0 < sum(map(math.isnan, several)) < 8 and len(set(map(str, several))) == 3, "entries are treated alike now"
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    assert torch.tensor([1.0, math.nan, 3.0, 4.0]).amax().isnan()
    torch.multiprocessing.spawn(main, nprocs=RANKS)
PY
OMP_NUM_THREADS=1 "$work/venv/bin/python" finding.py
