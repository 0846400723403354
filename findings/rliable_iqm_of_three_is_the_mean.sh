#!/usr/bin/env bash
# rliable 1.2.0 with scipy 1.17.1, aggregate_iqm: the interquartile mean of three runs is their plain mean, outliers and
# all; of five it keeps three.
#
# Guess:    a quarter of the scores is cut at each end; where a quarter is no whole number, the last one counts in part,
#           as for other interquartile means, or one more is cut.
# Seen:     the number that is cut is rounded down. Of one task with three runs nothing is: 0.1, 0.2, 9 have an IQM of
#           3.1. Of five to seven scores one is cut at each end, which leaves 60 to 71 percent, and of two outliers
#           among seven runs one stays. With weights in part it is 1.65 for the three and 0.89 for the seven. No
#           warning.
# Hurts:    curves and tables of "IQM over seeds" on a single task, where three and five seeds are the rule, and which
#           are chosen because one lucky or broken seed should not move them: of three it moves them as it moves the
#           mean, and the same outlier disappears as soon as there is a fourth seed.
# Remedy:   scores of several tasks together, the median of runs, or at least eight runs.
# Output:   3 runs [0.1, 0.2, 9.0]: IQM 3.1, mean 3.1, weighed in part 1.65
#           4 runs [0.1, 0.2, 0.2, 9.0]: IQM 0.2, mean 2.38, weighed in part 0.2
#           5 runs [0.1, 0.2, 0.2, 0.3, 9.0]: IQM 0.23, mean 1.96, weighed in part 0.23
#           7 runs [0.1, 0.2, 0.2, 0.3, 0.3, 9.0, 9.0]: IQM 2.0, mean 2.73, weighed in part 0.89
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
# Without what it draws and resamples with: the scores need NumPy and SciPy alone.
"$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps rliable==1.2.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
"$work/venv/bin/python" -W error - <<'PY'
import numpy as np
from rliable import metrics


def in_part(scores):
    """The interquartile mean in which the scores at the quartiles count in part."""
    ordered, many = np.sort(scores), len(scores)
    ends = np.arange(many + 1)
    weights = np.clip(np.minimum(ends[1:], 0.75 * many) - np.maximum(ends[:-1], 0.25 * many), 0, None)
    return float(np.average(ordered, weights=weights))


found = {}
for scores in (
    [0.1, 0.2, 9.0],
    [0.1, 0.2, 0.2, 9.0],
    [0.1, 0.2, 0.2, 0.3, 9.0],
    [0.1, 0.2, 0.2, 0.3, 0.3, 9.0, 9.0],
):
    iqm = round(float(metrics.aggregate_iqm(np.array(scores)[:, None])), 2)
    mean, weighed = round(float(np.mean(scores)), 2), round(in_part(scores), 2)
    found[len(scores)] = (iqm, mean)
    print(f"{len(scores)} runs {scores}: IQM {iqm}, mean {mean}, weighed in part {weighed}")
assert found[4][0] < 0.3 and found[5][0] < 0.3
assert found[3][0] == found[3][1], "an outlier of three is cut now"
assert found[7][0] > 1
PY
