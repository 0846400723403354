#!/usr/bin/env bash
# skrl 2.1.1: "Reward / Total reward (mean)" is no mean over episodes: an episode counts once for each step that is left
# until the next write, so the short ones, which end first, count most.
#
# Guess:    the mean over the episodes that ended since the last write, or over the last hundred.
# Seen:     at each step the mean of all episodes that have ended so far is noted, and what is written is the mean of
#           these notes. Of ten environments nine last for 99 steps with a return of 99 and one falls at step 1 with
#           a return of 1: written is 2.8 where the ten episodes have 89.2. With all ten ending at step 99 it is right.
#           "Episode / Total timesteps (mean)" likewise. write_interval, by default a hundredth of the training, decides
#           which episodes are early, and so changes the curve.
# Hurts:    tasks that end on failure: one early fall in a window hides that the policy mostly succeeds, and fewer falls
#           read as a far steeper gain than it is. The checkpoint "best_agent" is chosen by this number.
# Remedy:   track_data with returns of one's own, or a write_interval of one rollout and no early ends.
# Output:   one falls: written 2.8, steps 2.8; mean of the episodes 89.2; max 99.0, min 1.0
#           none falls: written 99.0, mean of the episodes 99.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 skrl==2.1.1 numpy==2.4.6 \
  2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W ignore - <<'PY'
import numpy as np
import torch
from skrl.agents.torch.base import Agent, AgentCfg, ExperimentCfg

ENVIRONMENTS, STEPS = 10, 100


class Plain(Agent):
    """Collects and writes; neither acts nor learns."""

    def act(self, *args, **kwargs):
        raise NotImplementedError

    pre_interaction = post_interaction = update = act


def trained(lengths):
    """What is written for one window of steps with a reward of 1 each, and the returns of its episodes."""
    agent = Plain(cfg=AgentCfg(experiment=ExperimentCfg(write_interval=STEPS, checkpoint_interval=0)), models={})
    written, returns = {}, []
    agent.init()
    agent.writer.add_scalar = lambda *, tag, value, timestep: written.update({tag: round(float(value), 1)})
    nothing = torch.zeros(ENVIRONMENTS, 1)
    for step in range(1, STEPS + 1):
        ends = torch.tensor([[length == step] for length in lengths])
        returns += [float(length) for length in lengths if length == step]
        agent.record_transition(
            observations=nothing,
            states=nothing,
            actions=nothing,
            rewards=torch.ones(ENVIRONMENTS, 1),
            next_observations=nothing,
            next_states=nothing,
            terminated=ends,
            truncated=torch.zeros_like(ends),
            infos={},
            timestep=step - 1,
            timesteps=STEPS,
        )
    agent.write_tracking_data(timestep=STEPS, timesteps=STEPS)
    return written, round(float(np.mean(returns)), 1)


falls, true_mean = trained([1] + [STEPS - 1] * (ENVIRONMENTS - 1))
mean, length = falls["Reward / Total reward (mean)"], falls["Episode / Total timesteps (mean)"]
extremes = f"max {falls['Reward / Total reward (max)']}, min {falls['Reward / Total reward (min)']}"
print(f"one falls: written {mean}, steps {length}; mean of the episodes {true_mean}; {extremes}")
stands, stands_mean = trained([STEPS - 1] * ENVIRONMENTS)
print(f"none falls: written {stands['Reward / Total reward (mean)']}, mean of the episodes {stands_mean}")
assert stands["Reward / Total reward (mean)"] == stands_mean == STEPS - 1
assert mean < true_mean / 2 and length == mean, "each episode counts once now"
PY
