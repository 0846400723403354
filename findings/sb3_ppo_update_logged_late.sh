#!/usr/bin/env bash
# stable-baselines3 2.9.2, PPO: a row holds the losses of the update before, those of the last update are in no row, and
# an EvalCallback moves them to other steps.
#
# Guess:    the row at step N has rollout/* of the steps up to N and train/* of the update that was made from them.
# Seen:     rows are written between collecting and updating. Of four updates, after 64, 128, 192 and 256 steps, three
#           are logged, at 128, 192 and 256, each beside the rollouts of the policy that it produced. An evaluation
#           writes out whatever is waiting: with one every 96 steps the first stands at 96, in the row of the
#           evaluation, and the row at 128 has no train/* at all.
# Hurts:    whoever reads an approx_kl and the reward of its row as cause and effect, lays train/* of runs with other
#           eval_freq over each other, or looks for the update that broke a policy: if it was the last, it is not there.
# Output:   plain: update 1 of 4 at 128, 2 at 192, 3 at 256
#           evaluated: update 1 of 4 at 96, 2 at 192, 3 at 256
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check stable-baselines3==2.9.2
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import csv

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.logger import configure
from stable_baselines3.common.monitor import Monitor


def logged(name, callback=None):
    model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=64, n_epochs=1, device="cpu", seed=0)
    model.set_logger(configure(name, ["csv"]))
    model.learn(256, callback=callback)
    with open(f"{name}/progress.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["train/n_updates"]]
    # One epoch an update: n_updates, which counts epochs, is the number of the update.
    found = {int(row["train/n_updates"]): int(row["time/total_timesteps"]) for row in rows}
    places = [f"{update} at {step}" for update, step in found.items()]
    places[0] = places[0].replace(" at", f" of {model._n_updates} at")
    print(f"{name}: update {', '.join(places)}")
    assert model._n_updates == 4
    return found


plain = logged("plain")
environment = Monitor(gymnasium.make("CartPole-v1"))
evaluated = logged("evaluated", EvalCallback(environment, eval_freq=96, n_eval_episodes=1, verbose=0))
assert plain == {1: 128, 2: 192, 3: 256}, "an update is logged in the row of its rollouts now"
assert evaluated == {1: 96, 2: 192, 3: 256}, "evaluations leave the other numbers alone now"
PY
