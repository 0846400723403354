#!/usr/bin/env bash
# pytorch-ignite 0.5.5: a score of NaN is the best so far: EarlyStopping never stops on it, and Checkpoint keeps its
# model.
#
# Guess:    NaN is no improvement: patience runs out, and the best model stays.
# Seen:     EarlyStopping asks "is the score at most the best?", which NaN answers with no, so that it becomes the best
#           and the count begins anew. A run whose score stays NaN from the second epoch on goes through all 50 epochs
#           with a patience of 3; with one NaN after 0.5, a score of 0.4 is the best, and the stop comes late.
#           Checkpoint(n_saved=1) whose first score is NaN keeps that file: 0.5 and 0.9 don't replace it. No warning.
# Hurts:    runs that diverge, for which both are set up: hours of the budget go into a model of NaN, and what is loaded
#           at the end as the best is the one whose evaluation had no finite reward.
# Remedy:   a score function that gives -inf for what is not finite.
# Output:   stopped after: falling 4 of 50, NaN from epoch 2 on 50 of 50, one NaN 6 of 50, then best is 0.4
#           kept of 0.1, 0.5, 0.3: model_2; of NaN, 0.5, 0.9: model_1; of -inf, 0.5, 0.9: model_3
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 numpy==2.4.6
  "$work/venv/bin/pip" install -q --disable-pip-version-check pytorch-ignite==0.5.5
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> "$work/errors" <<'PY' || { tail -5 "$work/errors" >&2; exit 1; }
import math
import pathlib

import torch
from ignite.engine import Engine, Events
from ignite.handlers import Checkpoint, DiskSaver, EarlyStopping


def trained(scores, attach):
    trainer, left = Engine(lambda engine, batch: None), iter(scores)
    handler = attach(trainer, lambda engine: next(left))
    trainer.add_event_handler(Events.EPOCH_COMPLETED, handler)
    trainer.run([0], max_epochs=len(scores))
    return trainer.state.epoch, handler


def stopped(scores):
    epoch, handler = trained(scores, lambda trainer, score: EarlyStopping(3, score, trainer))
    return epoch, handler.best_score


def kept(name, scores):
    def attach(trainer, score):
        step = lambda engine, event: trainer.state.epoch  # noqa: E731
        model = {"model": torch.nn.Linear(1, 1)}
        return Checkpoint(model, DiskSaver(name), score_function=score, n_saved=1, global_step_transform=step)

    trained(scores, attach)
    (path,) = pathlib.Path(name).iterdir()
    return "_".join(path.stem.split("_")[:2])


nan, falling = math.nan, [0.4] * 48
plain, broken, once = stopped([0.5, 0.4, *falling]), stopped([0.5] + [nan] * 49), stopped([0.5, nan, *falling])
sound, first, lowest = kept("a", [0.1, 0.5, 0.3]), kept("b", [nan, 0.5, 0.9]), kept("c", [-math.inf, 0.5, 0.9])
print(
    f"stopped after: falling {plain[0]} of 50, NaN from epoch 2 on {broken[0]} of 50, "
    f"one NaN {once[0]} of 50, then best is {once[1]}"
)
print(f"kept of 0.1, 0.5, 0.3: {sound}; of NaN, 0.5, 0.9: {first}; of -inf, 0.5, 0.9: {lowest}")
assert plain == (4, 0.5)
assert broken[0] == 50 and once == (6, 0.4), "NaN is no improvement now"
assert (sound, lowest) == ("model_2", "model_3")
assert first == "model_1", "a model of NaN is replaced now"
PY
