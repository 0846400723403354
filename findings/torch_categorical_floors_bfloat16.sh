#!/usr/bin/env bash
# torch 2.13.0, Categorical(probs=...) in bfloat16: no log-probability is below -4.84 and no entropy above 4.84.
#
# Guess:    probabilities or logits of one distribution give the same up to rounding; what is clamped lies at the
#           "smallest representable positive number for the input data type", as the source says: 1e-38 in bfloat16.
# Seen:     probabilities are clamped at the machine epsilon of their type before the logarithm: 0.0078 in bfloat16, a
#           floor of -4.84; 0.00098 in float16, -6.93; 1.2e-7 in float32, -15.94. A uniform choice of 4096 tokens has
#           an entropy of 4.84 in place of 8.32, tokens at -6, -12 and -20 all have -4.84, and a KL divergence is
#           negative. The same type with logits= is right. No warning, though arguments are validated.
# Hurts:    entropies, KL and ratios of a policy that runs in bfloat16 and hands over a softmax: over a vocabulary
#           nearly every token lies below 0.0078. Entropy looks lower and flatter than it is, KL to a reference falls
#           below 0, and the ratio of two policies for a rare token is exactly 1, as if nothing had been learned.
# Remedy:   Categorical(logits=...), in float32.
# Output:   bfloat16: entropy 4.84, log-probabilities [-0.01, -4.84, -4.84, -4.84], KL -0.0043
#           bfloat16, logits: entropy 8.31, log-probabilities [0.0, -6.0, -12.0, -20.0], KL 0.0182
#           float16: entropy 6.93, log-probabilities [-0.0, -6.0, -6.93, -6.93], KL 0.0051
#           float16, logits: entropy 8.32, log-probabilities [-0.0, -6.0, -12.0, -20.0], KL 0.0124
#           float32: entropy 8.32, log-probabilities [-0.0, -6.0, -12.0, -15.94], KL 0.0125
#           float32, logits: entropy 8.32, log-probabilities [-0.0, -6.0, -12.0, -20.0], KL 0.0125
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import torch
from torch.distributions import Categorical, kl_divergence

tokens = torch.tensor([0.0, -6.0, -12.0, -20.0])
policy, reference = torch.tensor([[2.0, 0.0, -3.0, -7.0, -12.0], [2.0, 0.0, -6.0, -12.0, -9.0]])


def shown(name, distribution):
    entropy = round(distribution(torch.zeros(4096)).entropy().item(), 2)
    logs = distribution(tokens).log_prob(torch.arange(4)).tolist()
    divergence = round(kl_divergence(distribution(policy), distribution(reference)).item(), 4)
    print(f"{name}: entropy {entropy}, log-probabilities {[round(log, 2) for log in logs]}, KL {divergence}")
    return entropy, min(logs), divergence


for dtype, floor in ((torch.bfloat16, 4.84), (torch.float16, 6.93), (torch.float32, 15.94)):
    name = str(dtype).removeprefix("torch.")
    by_probs = shown(name, lambda scores: Categorical(probs=scores.to(dtype).softmax(-1)))
    by_logits = shown(f"{name}, logits", lambda scores: Categorical(logits=scores.to(dtype)))
    assert abs(by_probs[1] + floor) < 0.01, "rare tokens keep their probability now"
    assert abs(by_probs[0] - min(floor, 8.32)) < 0.02
    assert abs(by_logits[0] - 8.32) < 0.02 and abs(by_logits[1] + 20) < 0.01 and by_logits[2] > 0
    assert (by_probs[2] < 0) == (dtype == torch.bfloat16)
PY
