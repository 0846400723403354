#!/usr/bin/env bash
# torch 2.13.0, FlopCounterMode: grouped_mm, with which experts are multiplied, costs 0 operations; the same product as
# a loop is counted.
#
# Guess:    every matrix product is counted, whatever the kernel, or a warning names what isn't known.
# Seen:     what has no formula counts as nothing: torch.nn.functional.grouped_mm (forward and backward), a matrix times
#           a vector, an LSTM (a GRU is counted), attention on a CPU, and the fused encoder layer, which takes over when
#           a model is set to eval() without gradients. get_total_flops() has one number, and nothing is said.
# Hurts:    utilisation (MFU) and the cost of a run, measured with it: of a mixture of experts nearly all of the work
#           disappears, so that the switch from a loop to grouped_mm reads as a drop of MFU while the step gets faster,
#           and an evaluation looks free beside training.
# Remedy:   custom_mapping= with a formula of one's own; or count by parameters and tokens.
# Output:   4 experts: loop 65536, bmm 65536, grouped_mm 0; backward: loop 131072, grouped_mm 0
#           matrix times column 1024, times vector 0; encoder layer: train() counted True, eval() without gradients 0
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
"$work/venv/bin/python" -W ignore - <<'PY'
import torch
from torch.utils.flop_counter import FlopCounterMode

EXPERTS, TOKENS, WIDTH, OUT = 4, 16, 32, 16


def flops(function):
    with FlopCounterMode(display=False) as counter:
        function()
    return counter.get_total_flops()


kind = torch.bfloat16
tokens = torch.randn(EXPERTS * TOKENS, WIDTH, dtype=kind, requires_grad=True)
experts = torch.randn(EXPERTS, WIDTH, OUT, dtype=kind, requires_grad=True)
ends = torch.arange(1, EXPERTS + 1, dtype=torch.int32) * TOKENS


def loop():
    return torch.cat([part @ expert for part, expert in zip(tokens.split(TOKENS), experts, strict=True)])


def grouped():
    return torch.nn.functional.grouped_mm(tokens, experts, offs=ends)


assert torch.allclose(loop().float(), grouped().float(), rtol=0.02, atol=0.1), "they are not the same product"
found = {"loop": flops(loop), "bmm": flops(lambda: torch.bmm(tokens.view(EXPERTS, TOKENS, WIDTH), experts))}
found["grouped_mm"] = flops(grouped)
back = {}
for name, product in {"loop": loop, "grouped_mm": grouped}.items():
    total = product().float().sum()
    back[name] = flops(total.backward)
print(
    f"{EXPERTS} experts: {', '.join(f'{name} {count}' for name, count in found.items())}; "
    f"backward: {', '.join(f'{name} {count}' for name, count in back.items())}"
)
matrix, vector = torch.randn(OUT, WIDTH), torch.randn(WIDTH)
column, plain = flops(lambda: matrix @ vector[:, None]), flops(lambda: matrix @ vector)
layer = torch.nn.TransformerEncoderLayer(WIDTH, 4, 64, batch_first=True)
states = torch.randn(2, 5, WIDTH)
trained = flops(lambda: layer.train()(states))
with torch.no_grad():
    evaluated = flops(lambda: layer.eval()(states))
print(
    f"matrix times column {column}, times vector {plain}; "
    f"encoder layer: train() counted {trained > 0}, eval() without gradients {evaluated}"
)
assert found["loop"] == found["bmm"] == 2 * EXPERTS * TOKENS * WIDTH * OUT and back["loop"] > 0
assert found["grouped_mm"] == back["grouped_mm"] == 0, "grouped_mm is counted now"
PY
