#!/usr/bin/env bash
# torchmetrics 1.9.0, R2Score and ExplainedVariance: of values with a level, such as returns in the thousands, the
# result is noise between 0 and more than 1.
#
# Guess:    both subtract means, so a level common to predictions and targets is without effect; R² is at most 1.
# Seen:     sums of squares are kept in the type of the inputs and subtracted at the end. Of 1000 returns with a spread
#           of 1 and predictions that explain 0.75 of it, float32 gives 0.75 at a level of 0, is wrong in the second
#           digit at 500, and at levels of 1,000 to 11,000 anything between 0 and more than 1. float64 inputs give 0.75
#           throughout, the plain formula in float32 within 0.001 of it. No warning.
# Hurts:    the explained variance of a value function, by which critics are judged, and R² of reward models: where
#           rewards lie away from 0 (a bonus for each token, long episodes) a critic that follows returns well reads as
#           one that knows nothing, or as perfect, and the level that rises in training reads as a change of the critic.
# Remedy:   .double() on predictions and targets, with metric.set_dtype(torch.float64).
# Output:   float32 R2Score: level 0: 0.75; levels of 1,000 to 11,000: 0.00 to 1.24
#           float32 ExplainedVariance: level 0: 0.75; levels of 1,000 to 11,000: 0.00 to 1.50
#           float64 R2Score: level 0: 0.75; levels of 1,000 to 11,000: 0.75 to 0.75
#           float64 ExplainedVariance: level 0: 0.75; levels of 1,000 to 11,000: 0.75 to 0.75
#           float32 plain formula: level 0: 0.75; levels of 1,000 to 11,000: 0.75 to 0.75
#           (the ends of the range depend on the processor's order of summing)
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check torchmetrics==1.9.0
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import torch
from torchmetrics import ExplainedVariance, R2Score

# Variances of exactly 1 and 0.25, uncorrelated.
spread = torch.tensor([1.0, 1.0, -1.0, -1.0], dtype=torch.float64).repeat(250)
residual = torch.tensor([0.5, -0.5, 0.5, -0.5], dtype=torch.float64).repeat(250)
levels = [1000.1 + 100 * n for n in range(101)]


def kept(kind):
    def shown(predicted, returns):
        metric = kind().set_dtype(returns.dtype)
        metric.update(predicted, returns)
        return float(metric.compute())

    return shown


def plain(predicted, returns):
    return 1 - float((returns - predicted).var(correction=0) / returns.var(correction=0))


def judged(name, dtype, judge):
    def at(level):
        returns = spread + level
        return judge((returns + residual).to(dtype), returns.to(dtype))

    values = [at(level) for level in levels]
    low, high = min(values), max(values)
    print(
        f"{str(dtype).removeprefix('torch.')} {name}: level 0: {at(0.0)}; levels of 1,000 to 11,000: "
        f"{low:.2f} to {high:.2f}"
    )
    return at(0.0), low, high


for kind in (R2Score, ExplainedVariance):
    start, low, high = judged(kind.__name__, torch.float32, kept(kind))
    assert start == 0.75 and low < 0.25 and high > 1, "levels are without effect now"
for kind in (R2Score, ExplainedVariance):
    start, low, high = judged(kind.__name__, torch.float64, kept(kind))
    assert start == 0.75 and abs(low - 0.75) < 1e-6 and abs(high - 0.75) < 1e-6
start, low, high = judged("plain formula", torch.float32, plain)
assert start == 0.75 and abs(low - 0.75) < 1e-3 and abs(high - 0.75) < 1e-3
PY
