#!/usr/bin/env bash
# tbparse 0.0.9 with tensorboard 2.21.0: after a resume with purge_step the steps that TensorBoard has dropped are back.
#
# Guess:    it reads through TensorBoard's own EventAccumulator, so a run has the points that TensorBoard shows.
# Seen:     each file of a run is read for itself. The mark "forget what you have from step 6 on" stands in the second
#           file and finds nothing to forget: steps 6 to 10 of the attempt that died stay, with both values at 6 to 8,
#           and 9 and 10 that the run that is alive hasn't reached. EventAccumulator over the folder has 8 points, each
#           step once. With pivot=True a cell holds a list of two numbers beside plain ones. No warning.
# Hurts:    runs resumed from a checkpoint, which is what purge_step is for: the last and the best reward, and means
#           over steps, come from the attempt that was thrown away, while the picture in TensorBoard shows none of it.
# Remedy:   EventAccumulator over the folder.
# Output:   EventAccumulator: [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 106), (7, 107), (8, 108)]
#           tbparse: 13 rows, last (10, 10); at step 6: [6, 106]
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check tbparse==0.0.9 tensorboard==2.21.0 tensorboardX==2.6.5 \
  2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import time

from tbparse import SummaryReader
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboardX import SummaryWriter


def trained(steps, offset, **how):
    with SummaryWriter("run", **how) as writer:
        for step in steps:
            writer.add_scalar("reward", step + offset, step)
    time.sleep(1.1)  # names of event files hold the second


trained(range(1, 11), 0)
trained(range(6, 9), 100, purge_step=6)

shown = [(point.step, int(point.value)) for point in EventAccumulator("run").Reload().Scalars("reward")]
table = SummaryReader("run").scalars
rows = [(int(step), int(value)) for step, value in zip(table["step"], table["value"], strict=True)]
at_six = sorted(value for step, value in rows if step == 6)
print(f"EventAccumulator: {shown}")
print(f"tbparse: {len(rows)} rows, last {max(rows)}; at step 6: {at_six}")
assert shown == [*((step, step) for step in range(1, 6)), *((step, step + 100) for step in range(6, 9))]
assert (len(rows), max(rows), at_six) == (13, (10, 10), [6, 106]), "purged steps are gone now"
PY
