#!/usr/bin/env bash
# torchmetrics 1.9.0, MeanMetric and its like with a number as nan_strategy: the NaN is replaced in the tensor that was
# handed in, also in the loss that is trained on next; its weight becomes 1.
#
# Guess:    the number stands for the NaN within the metric, with the weight that the value has; what was handed in
#           stays as it is.
# Seen:     after update(x) the caller's x has the number where NaN was, in float32, float64 and bfloat16, of
#           MeanMetric, SumMetric, MaxMetric, MinMetric and CatMetric. update(loss) with a loss of NaN makes loss.item()
#           0.0 from that line on. A caller's tensor of weights has 1 in these places: of 1 and NaN with weights 1 and 8
#           and a strategy of 3 the mean is 2, not 2.78. No warning; "ignore" and "warn" leave both alone.
# Hurts:    loops that update the metric before they use the tensor: isfinite(loss), the guard that skips a broken step,
#           another tracker and saved rewards or advantages all see the number. Whoever adds the metric to look for NaN
#           removes every trace of them, and rewards that could not be computed are trained on as 0.
# Remedy:   update(x.clone()), or "ignore" and a count of what isn't finite.
# Output:   loss: nan before, 0.0 after the update, finite: True; rewards: [1.0, nan] before, [1.0, 0.0] after
#           changed: MeanMetric, SumMetric, MaxMetric, MinMetric, CatMetric; ignore: [1.0, nan]
#           weights: [1.0, 8.0] before, [1.0, 1.0] after, mean 2.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check torchmetrics==1.9.0
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import math

import torch
from torchmetrics.aggregation import CatMetric, MaxMetric, MeanMetric, MinMetric, SumMetric

weight = torch.tensor(1.0, requires_grad=True)
loss = weight * math.nan
before = loss.item()
MeanMetric(nan_strategy=0.0).update(loss)
finite = bool(torch.isfinite(loss))
print(f"loss: {before} before, {loss.item()} after the update, finite: {finite}", end="; ")
assert math.isnan(before)


def after(metric, kind=torch.float32):
    rewards = torch.tensor([1.0, math.nan], dtype=kind)
    metric.update(rewards)
    return rewards.tolist()


kinds = torch.float32, torch.float64, torch.bfloat16
seen = {kind: after(MeanMetric(nan_strategy=0.0), kind) for kind in kinds}
print(f"rewards: {[1.0, math.nan]} before, {seen[torch.float32]} after")
classes = MeanMetric, SumMetric, MaxMetric, MinMetric, CatMetric
changed = [each.__name__ for each in classes if after(each(nan_strategy=0.0)) == [1.0, 0.0]]
ignored = after(MeanMetric(nan_strategy="ignore"))
print(f"changed: {', '.join(changed)}; ignore: {ignored}")
metric, weights = MeanMetric(nan_strategy=3.0), torch.tensor([1.0, 8.0])
heavy = weights.tolist()
metric.update(torch.tensor([1.0, math.nan]), weights)
print(f"weights: {heavy} before, {weights.tolist()} after, mean {metric.compute().item()}")
assert loss.item() == 0.0 and finite and set(map(tuple, seen.values())) == {(1.0, 0.0)}, "tensors are left alone now"
assert len(changed) == len(classes) and math.isnan(ignored[1])
assert weights.tolist() == [1.0, 1.0] and metric.compute() == 2.0, "weights are left alone now"
PY
