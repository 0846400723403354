#!/usr/bin/env bash
# rl_games 1.6.5, AverageMeter: "games_to_track: 100" is a mean of the last 100 games only if they end in one step; one
# by one it is a decay without an end, and the reward curve hangs on how many environments there are.
#
# Guess:    the mean over the last 100 games, as the name says, and as other trainers' buffers of 100 give it.
# Seen:     the old mean is weighed with 100 less the number of new games, whatever games it came from. After 1000 games
#           of 0 and 100 of 1 it is 1.0 if 100 games end together, 0.651 by tens, 0.634 one by one; after 200 of 1 it is
#           0.866. One game of 1,000,000 among games of 0 still adds 1340 two hundred games later. Of more than 100
#           that end together it is the mean of all.
# Hurts:    rewards/*, episode_lengths/* and the scores of the observers, by which the best checkpoint is kept: fewer
#           environments, or ends that are spread out, give a curve that lags and a lower "final" reward of the same
#           policy, and whoever compares it with SB3 or RSL-RL compares two statistics.
# Remedy:   returns of one's own in a deque, by an observer.
# Output:   100 games of 1 after 1000 of 0: 100 at a time 1.0, 50 at a time 0.75, 10 at a time 0.651, 1 at a time 0.634
#           200 games of 1: 1 at a time 0.866; last 100 games: 1.0
#           one game of 1,000,000, then 200 of 0: 1340
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 numpy==2.4.6 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
# Without the environments that come with it, which the meter has no use for.
"$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps rl_games==1.6.5 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
"$work/venv/bin/python" -W ignore - <<'PY'
import importlib.util
from pathlib import Path

import torch

# The one file: importing its package starts with simulators.
(path,) = Path(importlib.util.find_spec("rl_games").submodule_search_locations[0]).glob("algos_torch/torch_ext.py")
spec = importlib.util.spec_from_file_location("torch_ext", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)


def average(*games, at_a_time=1):
    meter = module.AverageMeter(1, 100)
    for together in torch.cat(games).split(at_a_time):
        meter.update(together[:, None])
    return float(meter.get_mean())


old, new = torch.zeros(1000), torch.ones(100)
found = {size: round(average(old, new, at_a_time=size), 3) for size in (100, 50, 10, 1)}
print("100 games of 1 after 1000 of 0:", ", ".join(f"{size} at a time {mean}" for size, mean in found.items()))
longer = average(old, new, new)
print(f"200 games of 1: 1 at a time {longer:.3f}; last 100 games: {float(new.mean())}")
outlier = average(torch.zeros(100), torch.tensor([1e6]), torch.zeros(200))
print(f"one game of 1,000,000, then 200 of 0: {outlier:.0f}")
assert found[100] == 1
assert found[1] < found[50] < 0.8 and longer < 0.9 and outlier > 1000, "it is the mean of the last games now"
PY
