#!/usr/bin/env bash
# numpy 2.4.6 with jax 0.10.2: of bfloat16 arrays that device_get returns, the mean of 5000 ones is 0.05.
#
# Guess:    np.mean adds up float16 in float32, as its page says; bfloat16 is no coarser in that, and jnp.mean gives 1.
# Seen:     device_get gives a NumPy array of the type bfloat16 of ml_dtypes. NumPy doesn't know it as a short float, so
#           it adds in bfloat16 one by one: the sum stops at 256, whatever comes after. The mean of N ones is 256 / N;
#           that of 10,000 numbers from 0 to 1 in equal steps is 0.026. nanmean and std are wrong likewise, the median
#           is right. No warning. The same call on the JAX array is handed to JAX, and right.
# Hurts:    evaluation and logging code that fetches log-probabilities, entropies, values or token rewards once and then
#           works in NumPy: means fall as 1/N with the length of the batch, which reads as a smaller loss or KL with
#           larger batches, and two lines that differ by a device_get disagree.
# Remedy:   astype(np.float32), or dtype=np.float32 in np.mean.
# Output:   5000 ones: jnp.mean 1.0, np.mean 1.0 before device_get, 0.0513 after it, nanmean 0.0513, std 0.2266,
#           median 1.0
#           float16: np.mean 1.0; bfloat16 with dtype=np.float32: 1.0; 10,000 steps from 0 to 1: 0.0256
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 jax==0.10.2 jaxlib==0.10.2
cd "$work"
JAX_PLATFORMS=cpu "$work/venv/bin/python" -W error - <<'PY'
import jax
import jax.numpy as jnp
import numpy as np

array = jnp.ones(5000, jnp.bfloat16)
fetched = jax.device_get(array)
steps = jax.device_get(jnp.linspace(0, 1, 10_000).astype(jnp.bfloat16))
seen = {
    "jnp": jnp.mean(array),
    "before": np.mean(array),
    "after": np.mean(fetched),
    "nanmean": np.nanmean(fetched),
    "std": np.std(fetched),
    "median": np.median(fetched),
    "half": np.mean(fetched.astype(np.float16)),
    "wide": np.mean(fetched, dtype=np.float32),
    "many": np.mean(steps),
}
seen = {name: round(float(value), 4) for name, value in seen.items()}
print(
    "5000 ones: jnp.mean {jnp}, np.mean {before} before device_get, {after} after it, nanmean {nanmean}, std {std},\n"
    "median {median}".format(**seen)
)
print(
    "float16: np.mean {half}; bfloat16 with dtype=np.float32: {wide}; 10,000 steps from 0 to 1: {many}".format(**seen)
)
assert seen["jnp"] == seen["before"] == seen["median"] == seen["half"] == seen["wide"] == 1
assert seen["after"] == seen["nanmean"] == 0.0513, "NumPy adds bfloat16 in a wider type now"
assert seen["std"] > 0.2 and seen["many"] < 0.1
PY
