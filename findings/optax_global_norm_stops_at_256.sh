#!/usr/bin/env bash
# optax 0.2.8 with jax 0.10.2, tree.norm and clip_by_global_norm: the norm of bfloat16 gradients stops growing with the
# number of their arrays.
#
# Guess:    bfloat16 costs the third digit: squares are summed in float32, as jnp.sum and jnp.linalg.norm do inside.
# Seen:     inside an array they are; the sums of the arrays are then added one by one in bfloat16, where 256 + 1 is
#           256. 1000 arrays, each of norm 1, have a norm of 16 in place of 31.6, and so have 10,000.
#           clip_by_global_norm divides by it: what is left is 1.98 where it should be 1. The same gradients as one
#           array are right. No warning.
# Hurts:    models of many small arrays (an array for each layer, adapters of rank 8) in bfloat16: the logged gradient
#           norm is too small, and isn't that of the same model with its layers stacked for a scan. Clipping lets
#           through twice the bound.
# Remedy:   cast gradients to float32 before the norm and the clipping.
# Output:   arrays of norm 1: 100: 10.0 (10.0), 256: 16.0 (16.0), 1000: 16.0 (31.62), 10000: 16.0 (100.0)
#           1000 as one array: 31.62; 1000 clipped to 1: 1.98
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check optax==0.2.8 jax==0.10.2 jaxlib==0.10.2
cd "$work"
JAX_PLATFORMS=cpu "$work/venv/bin/python" - <<'PY'
import jax.numpy as jnp
import optax


def gradients(count, dtype=jnp.bfloat16):
    array = jnp.full((4,), 0.5, dtype)
    return {f"layer_{index}": array for index in range(count)}


def norm(tree):
    return round(float(optax.tree.norm(tree)), 2)


half = {count: norm(gradients(count)) for count in (100, 256, 1000, 10_000)}
single = {count: norm(gradients(count, jnp.float32)) for count in half}
stacked = norm({"layers": jnp.full((1000, 4), 0.5, jnp.bfloat16)})
clip = optax.clip_by_global_norm(1.0)
many = gradients(1000)
clipped, _ = clip.update(many, clip.init(many))
left = norm({name: array.astype(jnp.float32) for name, array in clipped.items()})
told = ", ".join(f"{count}: {half[count]} ({single[count]})" for count in half)
print(f"arrays of norm 1: {told}")
print(f"1000 as one array: {stacked}; 1000 clipped to 1: {left}")
assert half[100] == single[100] == 10 and half[256] == single[256] == 16
assert half[1000] == half[10_000] == 16, "sums of arrays are added in float32 now"
assert abs(single[1000] - 31.62) < 0.01 and abs(stacked - 31.62) < 0.2
assert left > 1.9, "clipping keeps its bound now"
PY
