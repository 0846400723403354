#!/usr/bin/env bash
# torcheval 0.0.7, HitRate and ReciprocalRank: a model that gives every candidate the same score, or NaN, is perfect.
#
# Guess:    ties are broken by order, by chance or against the model, so that a constant scorer is at chance (1 in 8
#           here) or at 0, and a score of NaN gives NaN.
# Seen:     the rank is the number of candidates with a higher score, and neither an equal one nor a NaN is higher: hit
#           rate at 1 and mean reciprocal rank are both 1.0. Two scores that bfloat16 rounds to one are both first. A
#           NaN for the right answer alone is a hit, too. No warning.
# Hurts:    reward models and verifiers that choose the best of N, judged in bfloat16 (two or three digits near 10) or
#           after they have collapsed: the flatter the scores, the better the metric, and a model whose weights are NaN
#           has a perfect one.
# Remedy:   count ties as half (or average over orders), and check isfinite first.
# Output:   8 candidates, right one at each place in turn: constant: hit rate at 1 1.0, reciprocal rank 1.0
#           NaN: hit rate at 1 1.0, reciprocal rank 1.0; only the right one NaN: hit rate at 1 1.0
#           right one always last by 0.01: float32: hit rate at 1 0.0, bfloat16: hit rate at 1 1.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 numpy==2.4.6
  "$work/venv/bin/pip" install -q --disable-pip-version-check torcheval==0.0.7
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - <<'PY'
import math

import torch
from torcheval.metrics import HitRate, ReciprocalRank

right = torch.arange(8)


def judged(scores):
    hits, ranks = HitRate(k=1), ReciprocalRank()
    hits.update(scores, right)
    ranks.update(scores, right)
    return float(hits.compute().mean()), float(ranks.compute().mean())


def told(name, values):
    return f"{name}: hit rate at 1 {values[0]}, reciprocal rank {values[1]}"


flat = judged(torch.zeros(8, 8))
broken = judged(torch.full((8, 8), math.nan))
only, _ = judged(torch.zeros(8, 8).fill_diagonal_(math.nan))
close = torch.full((8, 8), 10.0).fill_diagonal_(9.99)
(single, _), (half, _) = judged(close), judged(close.bfloat16())
print("8 candidates, right one at each place in turn:", told("constant", flat))
print(f"{told('NaN', broken)}; only the right one NaN: hit rate at 1 {only}")
print(f"right one always last by 0.01: float32: hit rate at 1 {single}, bfloat16: hit rate at 1 {half}")
assert flat == (1.0, 1.0), "ties count otherwise now"
assert broken == (1.0, 1.0) and only == 1.0, "NaN counts otherwise now"
assert (single, half) == (0.0, 1.0)
PY
