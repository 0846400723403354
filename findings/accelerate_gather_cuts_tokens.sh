#!/usr/bin/env bash
# accelerate 1.15.0, gather_for_metrics: of a tensor with one entry per token, the last batch keeps as many tokens as it
# has samples, also in a single process.
#
# Guess:    without a second process there is nothing to gather, and nothing that was repeated: the tensor comes back.
# Seen:     in the last batch of a data set that does not divide evenly, every tensor is cut to its first N entries,
#           where N is the number of samples left, whatever its entries are. Ten samples of five tokens in batches of
#           four give 20, 20 and then 2 entries instead of 10. No warning; drop_last or a whole last batch hides it.
# Hurts:    entropies, log-probabilities or clipping flags over tokens of packed or masked sequences, gathered for an
#           evaluation: the mean misses nearly all of the last batch and keeps its first prompt's first tokens. A data
#           set that fits in one batch is measured on a handful of tokens.
# Remedy:   gather() for what is not one row per sample, or sums and counts by sample.
# Output:   tokens of the batches: [20, 20, 10], kept: [20, 20, 2]; one batch of 3 samples: 15, kept 3
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check accelerate==1.15.0
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - <<'PY'
import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator(cpu=True)


def counted(samples):
    batches = accelerator.prepare(DataLoader(torch.zeros(samples, 5), batch_size=4))
    pairs = [(batch.numel(), accelerator.gather_for_metrics(batch.flatten()).numel()) for batch in batches]
    return tuple(list(side) for side in zip(*pairs, strict=True))


(there, kept), ((all_of_one,), (kept_of_one,)) = counted(10), counted(3)
print(f"tokens of the batches: {there}, kept: {kept}; one batch of 3 samples: {all_of_one}, kept {kept_of_one}")
assert (accelerator.num_processes, there, all_of_one) == (1, [20, 20, 10], 15)
assert (kept, kept_of_one) == ([20, 20, 2], 3), "tokens of the last batch are kept now"
PY
