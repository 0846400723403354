#!/usr/bin/env bash
# optuna 5.0.0, MedianPruner and PercentilePruner: a trial is judged by the best value that it ever reported, so one
# that collapses or turns NaN after a good start is never pruned.
#
# Guess:    at each step the trial's value is held against the median of the others' values at this step; a NaN loses.
# Seen:     the page does say "best intermediate result", and it means of all steps so far, while the others are taken
#           at the step itself, and NaN is left out of it. Beside trials at 0.5 to 0.57 a trial with 0.1 is pruned at
#           its first step, and so is one that begins with NaN. One with 0.9 at its first step and 0 or NaN at the 99
#           that follow is trained to the end. Successive halving prunes the one with NaN at its second step.
# Hurts:    sweeps over RL runs, whose common failure is a fast rise and then a collapse or a NaN: the pruner lets these
#           run to the end at full cost, and stops the slow and steady ones. Each NaN that a trial reports looks as if
#           it had been weighed.
# Remedy:   ThresholdPruner with a lower bound beside it, or raise TrialPruned on what isn't finite.
# Output:   median: poor 0, NaN at once 0, collapsed never, NaN after a peak never
#           percentile: poor 0, NaN at once 0, collapsed never, NaN after a peak never
#           halving: NaN after a peak 1
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check optuna==5.0.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import math

import optuna
from optuna.pruners import MedianPruner, PercentilePruner, SuccessiveHalvingPruner

STEPS = 100
optuna.logging.set_verbosity(optuna.logging.ERROR)


def pruned_at(pruner, first, later):
    study = optuna.create_study(direction="maximize", pruner=pruner)
    for number in range(8):
        sound = study.ask()
        for step in range(STEPS):
            sound.report(0.5 + 0.01 * number, step)
        study.tell(sound, 0.5 + 0.01 * number)
    trial = study.ask()
    for step in range(STEPS):
        trial.report(later if step else first, step)
        if trial.should_prune():
            return step
    return "never"


trials = {
    "poor": (0.1, 0.1),
    "NaN at once": (math.nan, math.nan),
    "collapsed": (0.9, 0.0),
    "NaN after a peak": (0.9, math.nan),
}
for name, pruner in {"median": MedianPruner(), "percentile": PercentilePruner(25.0)}.items():
    ends = {trial: pruned_at(pruner, *values) for trial, values in trials.items()}
    print(f"{name}: {', '.join(f'{trial} {end}' for trial, end in ends.items())}")
    assert list(ends.values()) == [0, 0, "never", "never"], "a trial is judged by its latest value now"
halving = pruned_at(SuccessiveHalvingPruner(), *trials["NaN after a peak"])
print(f"halving: NaN after a peak {halving}")
assert halving == 1
PY
