#!/usr/bin/env bash
# rsl-rl-lib 5.5.1: Train/mean_reward is over 100 episodes, and of those that end in one step over the environments with
# the highest numbers.
#
# Guess:    of thousands of environments that end together the mean is over all of them, or over a random hundred.
# Seen:     the buffer holds the last 100 returns, put in by the number of the environment. Of 4096 environments, the
#           lower half of which has returns of 0 and the upper half 10, all ending by time limit at one step, the mean
#           is 10, and 0 with halves swapped; 5 is right. Train/mean_episode_length is of the same hundred. The means
#           of extras["log"] are over all that the environment gives, and disagree.
# Hurts:    simulators, which start thousands of environments at once, and give terrain, task or difficulty by the
#           number of the environment: where episodes end together the curve that everybody looks at is that of the
#           last kind, and learning or failing at any other doesn't show in it.
# Remedy:   log returns by task in extras["log"]; random episode lengths at the start (init_at_random_ep_len=True).
# Output:   4096 environments: lower half 0, upper half 10: mean_reward 10.0; swapped: 0.0; extras: 5.0 and 5.0
#           100 environments: lower half 0, upper half 10: mean_reward 5.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 numpy==2.4.6 tensordict==0.15.3 \
  GitPython==3.2.1 tensorboard==2.21.0 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
# Without its exporters to ONNX, which the logger has no use for.
"$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps rsl-rl-lib==5.5.1 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W ignore - <<'PY'
import contextlib
import io
import tempfile

import torch
from rsl_rl.utils.logger import Logger


def logged(returns):
    """Mean reward and the environment's own mean after one step in which every environment ends."""
    many = len(returns)
    cfg = {"algorithm": {}, "num_steps_per_env": 1, "logger": "tensorboard"}
    with contextlib.redirect_stdout(io.StringIO()), tempfile.TemporaryDirectory() as folder:
        logger = Logger(folder, cfg, {}, many, False, 1, 0, "cpu")
        logger.init_logging_writer()
        rows = {}
        logger.writer.add_scalar = lambda name, value, step: rows.update({name: float(value)})
        logger.process_env_step(returns, torch.ones(many), {"log": {"return": returns.mean()}})
        logger.log(0, 0, 1, 1.0, 1.0, {}, 1e-3, torch.ones(1), None)
    return rows["Train/mean_reward"], rows["Episode/return"]


def halves(many, lower, upper):
    return torch.tensor([lower] * (many // 2) + [upper] * (many // 2))


(plain, own), (swapped, own_swapped) = logged(halves(4096, 0.0, 10.0)), logged(halves(4096, 10.0, 0.0))
print(
    f"4096 environments: lower half 0, upper half 10: mean_reward {plain}; swapped: {swapped}; "
    f"extras: {own} and {own_swapped}"
)
few, _ = logged(halves(100, 0.0, 10.0))
print(f"100 environments: lower half 0, upper half 10: mean_reward {few}")
assert few == own == own_swapped == 5
assert (plain, swapped) == (10, 0), "the mean is no longer of the last environments alone"
PY
