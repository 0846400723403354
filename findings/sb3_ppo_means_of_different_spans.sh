#!/usr/bin/env bash
# stable-baselines3 2.9.2, PPO: the numbers of one row of train/* are taken over three different spans.
#
# Guess:    all of them are means over the whole update, that is over every mini-batch of every epoch.
# Seen:     clip_fraction, value_loss, policy_gradient_loss and entropy_loss are (40 mini-batches below); approx_kl is
#           the mean over the last epoch alone (4); loss is that of the very last mini-batch (1).
# Hurts:    whoever lays SB3's approx_kl over that of a trainer which averages over all epochs (the last epoch is the
#           one that has moved furthest), or reads train/loss as the sum of the losses in the same row.
# Output:   mini-batches in the mean: policy_gradient_loss 40, value_loss 40, clip_fraction 40, approx_kl 4
#           train/loss is the last of 40 losses: True; their mean differs: True
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
"$work/venv/bin/pip" install -q --disable-pip-version-check stable-baselines3==2.9.2
cd "$work"
"$work/venv/bin/python" - <<'PY'
import numpy as np
import stable_baselines3.ppo.ppo as module
import torch


class Spy:
    """NumPy, with the length of everything that a mean is taken of."""

    lengths: list[int] = []

    def __getattr__(self, name: str) -> object:
        return getattr(np, name)

    def mean(self, values: list[float]) -> float:
        self.lengths.append(len(values))
        return np.mean(values)


losses: list[float] = []
backward = torch.Tensor.backward


def watched(self: torch.Tensor, *args: object, **kwargs: object) -> None:
    losses.append(self.item())
    backward(self, *args, **kwargs)


module.np, torch.Tensor.backward = Spy(), watched
trainer = module.PPO("MlpPolicy", "CartPole-v1", n_steps=256, batch_size=64, n_epochs=10, device="cpu", seed=0)
trainer.learn(256)
# The order in which PPO.train records them.
entropy, policy, value, approx_kl, clip_fraction = Spy.lengths
print(
    f"mini-batches in the mean: policy_gradient_loss {policy}, value_loss {value}, "
    f"clip_fraction {clip_fraction}, approx_kl {approx_kl}"
)
loss = trainer.logger.name_to_value["train/loss"]
last, differs = loss == losses[-1], abs(loss - np.mean(losses)) > 1e-3
print(f"train/loss is the last of {len(losses)} losses: {last}; their mean differs: {differs}")
assert (entropy, policy, value, clip_fraction, approx_kl) == (40, 40, 40, 40, 4), "the spans are others now"
assert last and differs, "loss is taken over another span now"
PY
