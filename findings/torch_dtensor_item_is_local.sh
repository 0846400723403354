#!/usr/bin/env bash
# torch 2.13.0, DTensor: .item() of a mean, sum or maximum is that of this rank's shard, while that of a standard
# deviation or median is of the whole tensor.
#
# Guess:    a DTensor stands for the whole tensor; what becomes a Python number has been reduced over the ranks, or
#           .item() is refused.
# Seen:     0…7, sharded over two ranks: mean().item() is 1.5 on one and 5.5 on the other (3.5 is right), nanmean 0.75
#           and 2.75, the sum 6 and 22; std and median agree with the whole. Those that are right were replicated to be
#           computed at all; the others wait as "partial", and .item() hands out the part. No warning.
# Hurts:    statistics of sharded parameters and gradients under FSDP2 and tensor parallelism: means, norms, largest
#           weights and fractions of zeros, as rank 0 logs them, are of its shard, beside a right std in one row.
# Remedy:   .full_tensor() on every rank before .item().
# Output:   whole: mean 3.5, nanmean 3.5, sum 28.0, max 7.0, std 2.4495, median 3.0
#           rank 0: mean 1.5, nanmean 0.75, sum 6.0, max 3.0, std 2.4495, median 3.0
#           rank 1: mean 5.5, nanmean 2.75, sum 22.0, max 7.0, std 2.4495, median 3.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
cat > shards.py <<'PY'
import os

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, distribute_tensor
from torch.multiprocessing import spawn

STATISTICS = ("mean", "nanmean", "sum", "max", "std", "median")


def measured(tensor):
    return {name: round(getattr(tensor, name)().item(), 4) for name in STATISTICS}


def said(values):
    return ", ".join(f"{name} {value}" for name, value in values.items())


def rank(number, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=number, world_size=2)
    whole = torch.arange(8.0)
    shard = distribute_tensor(whole, init_device_mesh("cpu", (2,)), [Shard(0)])
    found = [None, None]
    dist.all_gather_object(found, measured(shard))
    right, full = measured(whole), shard.mean().full_tensor().item()
    dist.destroy_process_group()
    if number == 0:
        print(f"whole: {said(right)}")
        print(f"rank 0: {said(found[0])}\nrank 1: {said(found[1])}")
    assert full == right["mean"] == 3.5
    parts = [[values[name] for name in STATISTICS[:4]] for values in found]
    assert parts == [[1.5, 0.75, 6.0, 3.0], [5.5, 2.75, 22.0, 7.0]], "parts are reduced before they are given out now"
    assert all(values[name] == right[name] for values in found for name in ("std", "median"))


if __name__ == "__main__":
    spawn(rank, args=(f"{os.getcwd()}/store",), nprocs=2)
PY
"$work/venv/bin/python" shards.py 2> errors || { cat errors >&2; exit 1; }
