#!/usr/bin/env bash
# torchmetrics 1.9.0, MetricCollection: two metrics that agree on the first batch are one metric from then on.
#
# Guess:    each metric of a collection counts for itself; what is shared to save work was proven equal for all inputs.
# Seen:     after the first update the states are compared, by value. Metrics of one class with other settings whose
#           counts happen to be the same there share one state, and only the first of them is updated: accuracy at a
#           threshold of 0.9 shows that at 0.5, also on batches on which the two differ. Nothing is said.
# Hurts:    a reward model's or verifier's accuracy at several thresholds or margins, and means with several ways to
#           treat NaN: a first batch of clear cases, as a warm start or a sorted data set gives it, and the strict
#           metric looks as good as the lenient one for the rest of the run.
# Remedy:   compute_groups=False, or an explicit list of groups.
# Output:   together: lenient 1.0, strict 1.0; apart: lenient 1.0, strict 0.6
#           together, a batch of close cases first: lenient 1.0, strict 0.6
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
from torchmetrics import MetricCollection
from torchmetrics.classification import BinaryAccuracy

clear = torch.tensor([0.95, 0.05]), torch.tensor([1, 0])
close = torch.tensor([0.7, 0.7, 0.95]), torch.tensor([1, 1, 1])


def shown(batches, **how):
    both = MetricCollection({"lenient": BinaryAccuracy(0.5), "strict": BinaryAccuracy(0.9)}, **how)
    for batch in batches:
        both.update(*batch)
    return {name: round(float(value), 4) for name, value in both.compute().items()}


def said(values):
    return ", ".join(f"{name} {value}" for name, value in values.items())


together, apart = shown([clear, close]), shown([clear, close], compute_groups=False)
turned = shown([close, clear])
print(f"together: {said(together)}; apart: {said(apart)}")
print(f"together, a batch of close cases first: {said(turned)}")
assert together == {"lenient": 1.0, "strict": 1.0}, "the two are counted apart now"
assert apart == turned == {"lenient": 1.0, "strict": 0.6}
PY
