#!/usr/bin/env bash
# peft 0.21.2, LoraConfig(init_lora_weights="pissa") and "olora": with the adapter disabled there is another model, so
# the KL to this "reference" is large before the first step.
#
# Guess:    disable_adapter() gives the model that was loaded, whatever the adapter starts with: the KL of an untrained
#           adapter to it is 0.
# Seen:     both take a part of each weight out of the base and put it into the adapter. The two together are the model
#           that was loaded; without the adapter the part is missing. In a net of two layers the untrained policy has a
#           KL of 0 to the model that was loaded, and of 0.51 (pissa) and 0.35 (olora) to the disabled one, which itself
#           is as far from it. True, "gaussian" and "orthogonal" give 0 throughout. No warning from disable_adapter.
# Hurts:    RL with an adapter and no copy of the model as reference, as trainers do it by disable_adapter: kl is large
#           from step 0 and is read as a broken setup or a policy that ran away, a KL penalty pulls towards a mutilated
#           model, and runs that differ in the initialisation alone can't be compared by their KL.
# Remedy:   a reference model of one's own, or log-probabilities taken before the adapter was added.
# Output:   KL of the untrained policy to the model that was loaded / to itself with the adapter disabled:
#           True: 0.0 / 0.0; gaussian: 0.0 / 0.0; orthogonal: 0.0 / 0.0; pissa: 0.0 / 0.51; olora: 0.0 / 0.35
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check peft==0.21.2
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> errors <<'PY' || { cat errors >&2; exit 1; }
import copy

import torch
from peft import LoraConfig, get_peft_model

SIZE = 64
torch.manual_seed(0)
loaded = torch.nn.Sequential(torch.nn.Linear(SIZE, SIZE), torch.nn.Tanh(), torch.nn.Linear(SIZE, SIZE))
prompts = 3 * torch.randn(256, SIZE)


def logprobs(model):
    with torch.no_grad():
        return torch.log_softmax(3 * model(prompts), -1)


def divergence(policy, reference):
    return abs(round((policy.exp() * (policy - reference)).sum(-1).mean().item(), 2))


seen = {}
for start in (True, "gaussian", "orthogonal", "pissa", "olora"):
    policy = get_peft_model(
        copy.deepcopy(loaded), LoraConfig(r=8, init_lora_weights=start, target_modules=["0", "2"])
    )
    enabled = logprobs(policy)
    with policy.disable_adapter():
        disabled = logprobs(policy)
    seen[start] = divergence(enabled, logprobs(loaded)), divergence(enabled, disabled)
print("KL of the untrained policy to the model that was loaded / to itself with the adapter disabled:")
print("; ".join(f"{start}: {loaded_one} / {disabled_one}" for start, (loaded_one, disabled_one) in seen.items()))
assert all(loaded_one == 0 for loaded_one, _ in seen.values())
assert seen[True] == seen["gaussian"] == seen["orthogonal"] == (0, 0)
assert seen["pissa"][1] > 0.1 and seen["olora"][1] > 0.1, "the disabled adapter gives the loaded model now"
PY
