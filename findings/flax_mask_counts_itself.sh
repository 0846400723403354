#!/usr/bin/env bash
# flax 0.12.8 with jax 0.10.2, nnx.metrics with a mask: an accuracy of 10, and a mean above the largest value.
#
# Guess:    a mask that is "broadcastable", as the page asks for, is broadcast: one entry for each sequence stands for
#           all of its tokens. A mask of weights gives a weighted mean.
# Seen:     the sum is taken over values times the mask, the count over the mask as it came. For 4 answers of 10 tokens
#           each and a mask of shape (4, 1) an accuracy that is 1 is 10, and with a mask of one entry for each place it
#           is 4. The count is an integer: two weights of 0.9 count as 1, so that the mean of 1 and 3 is 3.6, and
#           weights that add up to less than 1 give infinity. A mask of the full shape with 0 and 1 is right. No
#           warning.
# Hurts:    losses, entropies, rewards and accuracies over padded answers, from which whole answers are masked out: a
#           metric grows with the length of the batch, so a loss seems to rise when sequences get longer. Importance and
#           truncation weights near 1 lose up to one sample of the count in each batch, most in small ones.
# Remedy:   jnp.broadcast_to(mask, values.shape), and no weights.
# Output:   accuracy of right tokens, mask (4, 10): 1.0, (4, 1): 10.0, (10,): 4.0
#           mean of 1 and 3, weights of 1: 2.0, of 0.9: 3.6, of 0.4: inf
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check flax==0.12.8 jax==0.10.2 jaxlib==0.10.2 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
JAX_PLATFORMS=cpu "$work/venv/bin/python" - <<'PY'
import math

import jax
import jax.numpy as jnp
from flax import nnx

labels = jnp.ones((4, 10), jnp.int32)
logits = jax.nn.one_hot(labels, 3)  # each token is right


def accuracy(shape):
    metric = nnx.metrics.Accuracy()
    metric.update(logits=logits, labels=labels, mask=jnp.ones(shape))
    return round(float(metric.compute()), 4)


def mean(weight):
    metric = nnx.metrics.Average()
    metric.update(values=jnp.array([1.0, 3.0]), mask=jnp.array([weight, weight]))
    return round(float(metric.compute()), 4)


shapes = [(4, 10), (4, 1), (10,)]
accuracies, means = [accuracy(shape) for shape in shapes], {weight: mean(weight) for weight in (1.0, 0.9, 0.4)}
told = ", ".join(f"{shape}: {value}" for shape, value in zip(shapes, accuracies, strict=True))
print(f"accuracy of right tokens, mask {told}")
print(f"mean of 1 and 3, weights of 1: {means[1.0]}, of 0.9: {means[0.9]}, of 0.4: {means[0.4]}")
assert accuracies == [1.0, 10.0, 4.0], "masks are broadcast now"
assert [*means.values()] == [2.0, 3.6, math.inf], "weights count now"
PY
