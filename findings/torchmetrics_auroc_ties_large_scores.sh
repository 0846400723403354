#!/usr/bin/env bash
# torchmetrics 1.9.0, AUROC and average precision: scores above 17 or below -89 are all the same score, and whether a
# score is squeezed at all hangs on its batch.
#
# Guess:    only the order of the scores counts. That the sigmoid is taken of what lies outside of 0…1, as the page
#           says, changes nothing, for it keeps the order.
# Seen:     it is taken in the type of the scores. In float32 all above 17 become 1 and all below -89 exactly 0:
#           answers with log-probabilities of -120 and -110 are right, those with -200 and -150 wrong, and the area
#           is 0.5, that of chance, where it is 1; so it is for scores of 18 to 30. In bfloat16 it begins at 6. And each
#           update decides for itself: in a batch without a score outside of 0…1 they stay as they are, beside squeezed
#           ones of other batches, so 0.9 ranks above 1.2, and the same four scores give 0.75 in two batches, 1 in one.
# Hurts:    whoever asks how well a sequence's log-probability, or a reward model's unbounded score, tells right answers
#           from wrong ones: the better it separates, the likelier "no signal", and no warning. The result changes with
#           the batch size.
# Remedy:   ranks divided by their number instead of scores, over all of the data.
# Output:   log-probabilities: AUROC 0.5, AP 0.5, by counting pairs 1.0
#           scores of 18 to 30: AUROC 0.5, AP 0.5, by counting pairs 1.0
#           bfloat16, 6 to 9: AUROC 0.75, AP 0.6667, by counting pairs 1.0
#           in two batches: AUROC 0.75, in one: 1.0
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
from torchmetrics.classification import BinaryAUROC, BinaryAveragePrecision

right = torch.tensor([0, 0, 1, 1])


def shown(metric, *batches):
    for scores, labels in batches:
        metric.update(scores, labels)
    return round(float(metric.compute()), 4)


def counted(scores):
    pairs = [(good > bad).item() for good in scores[right == 1] for bad in scores[right == 0]]
    return sum(pairs) / len(pairs)


seen = []
for name, scores in {
    "log-probabilities": torch.tensor([-200.0, -150.0, -120.0, -110.0]),
    "scores of 18 to 30": torch.tensor([18.0, 20.0, 25.0, 30.0]),
    "bfloat16, 6 to 9": torch.tensor([6.0, 7.0, 8.0, 9.0], dtype=torch.bfloat16),
}.items():
    area, precision = shown(BinaryAUROC(), (scores, right)), shown(BinaryAveragePrecision(), (scores, right))
    print(f"{name}: AUROC {area}, AP {precision}, by counting pairs {counted(scores)}")
    seen.append((area, counted(scores)))

scores = torch.tensor([0.9, -1.0, 1.0, 1.2])
first, second = [0, 2], [1, 3]
apart = shown(BinaryAUROC(), *((scores[part], right[part]) for part in (first, second)))
whole = shown(BinaryAUROC(), (scores, right))
print(f"in two batches: AUROC {apart}, in one: {whole}")
assert seen == [(0.5, 1.0), (0.5, 1.0), (0.75, 1.0)], "large scores keep their order now"
assert (apart, whole) == (0.75, 1.0), "batches are treated alike now"
PY
