#!/usr/bin/env bash
# tensorboardX 2.6.5: tags that differ in a sign are one tag: reward<0 and reward>0 become one curve of two values a
# step.
#
# Guess:    a tag is written as it was given, as torch.utils.tensorboard of torch 2.13.0 does, or refused.
# Seen:     every character but letters, digits, "_", "-", "." and "/" becomes "_", and a leading "/" is dropped:
#           "pass@1" is written as "pass_1", into the same curve as a metric of that name, "kl>0.1" and "kl<0.1" into
#           one, "Reward / Total reward (mean)" as "Reward_/_Total_reward__mean_". The only word on it is a line of
#           level INFO, which Python's logging doesn't show by default. Nothing in the file says what the names were.
# Hurts:    shares below and above a threshold, pass@1 beside pass_1, best@4 and best_4: TensorBoard draws a zigzag
#           between the two, and who reads the file gets two values for each step. Runs of one program through torch's
#           writer and through this one, as Ray Tune has it, don't meet in these tags.
# Remedy:   names of letters, digits, "_", "-", "." and "/".
# Output:   given 6 tags, written 4:
#           pass_1 [0.5, 0.25], reward_0 [0.125, 0.875], Reward_/_Total_reward__mean_ [1.0], x [2.0]
#           printed or logged above INFO: nothing
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check tensorboardX==2.6.5 tensorboard==2.21.0 numpy==2.4.6
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { tail -5 errors >&2; exit 1; }
import contextlib
import io
import logging

from tensorboardX import SummaryWriter

GIVEN = {
    "pass@1": 0.5,
    "pass_1": 0.25,
    "reward<0": 0.125,
    "reward>0": 0.875,
    "Reward / Total reward (mean)": 1.0,
    "/x": 2.0,
}
said = io.StringIO()
logging.basicConfig(stream=said, level=logging.WARNING)
with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), SummaryWriter("run") as writer:
    for tag, value in GIVEN.items():
        writer.add_scalar(tag, value, 1)

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402

events = EventAccumulator("run")
events.Reload()
written = {tag: [event.value for event in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
told = ", ".join(f"{tag} {values}" for tag, values in written.items())
print(f"given {len(GIVEN)} tags, written {len(written)}:\n{told}")
print(f"printed or logged above INFO: {said.getvalue() or 'nothing'}")
assert written == {
    "pass_1": [0.5, 0.25],
    "reward_0": [0.125, 0.875],
    "Reward_/_Total_reward__mean_": [1.0],
    "x": [2.0],
}, "tags are kept or refused now"
assert not said.getvalue(), "it says so now"
PY
