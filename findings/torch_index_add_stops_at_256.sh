#!/usr/bin/env bash
# torch 2.13.0, bfloat16 on a CPU: index_add and index_put of one-dimensional tensors stop counting at 256; scatter_add,
# sum and index_add of two dimensions go on.
#
# Guess:    all that adds up bfloat16 does so in float32 and rounds once, as sum does, or all of it rounds at each step.
# Seen:     1000 ones into one place: sum, scatter_add and scatter_reduce give 1000, and so does index_add of a tensor
#           with a second dimension; index_add of a vector gives 256, index_put with accumulate=True and coalesce() of a
#           sparse tensor too: 256 + 1 is rounded back to 256. With terms of 0.1 the sum ends at 32. No warning.
# Hurts:    sums by sequence, prompt or group over packed tokens, which is what index_add is for: log-probabilities,
#           token counts of a mask, losses by domain. What is long comes out too small, so a long answer seems likelier
#           than it is, and who rewrites the code with scatter_add finds that "the results changed".
# Remedy:   .float() before adding.
# Output:   1000 ones: sum 1000.0, scatter_add 1000.0, index_add in two dimensions 1000.0
#           1000 ones: index_add 256.0, index_put 256.0, coalesce 256.0; in float32 index_add 1000.0
#           1000 times -0.1: scatter_add -100.0, index_add -32.0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import torch

group = torch.zeros(1000, dtype=torch.long)
empty, ones = torch.zeros(1, dtype=torch.bfloat16), torch.ones(1000, dtype=torch.bfloat16)

whole = {
    "sum": ones.sum(),
    "scatter_add": empty.scatter_add(0, group, ones),
    "index_add in two dimensions": empty.expand(1, 2).clone().index_add(0, group, ones[:, None].expand(-1, 2))[0, 0],
}
cut = {
    "index_add": empty.index_add(0, group, ones),
    "index_put": empty.index_put((group,), ones, accumulate=True),
    "coalesce": torch.sparse_coo_tensor(group[None], ones, (1,), check_invariants=True).coalesce().values(),
}
in_float = empty.float().index_add(0, group, ones.float()).item()
print("1000 ones: " + ", ".join(f"{name} {value.item()}" for name, value in whole.items()))
print(
    "1000 ones: "
    + ", ".join(f"{name} {value.item()}" for name, value in cut.items())
    + f"; in float32 index_add {in_float}"
)
logs = -0.1 * ones
scattered, indexed = (getattr(empty, name)(0, group, logs).item() for name in ("scatter_add", "index_add"))
print(f"1000 times -0.1: scatter_add {scattered}, index_add {indexed}")
assert {value.item() for value in cut.values()} == {256.0}, "sums of vectors are whole now"
assert {value.item() for value in whole.values()} == {1000.0} and in_float == 1000.0
assert (scattered, indexed) == (-100.0, -32.0)
PY
