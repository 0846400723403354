#!/usr/bin/env bash
# areal 1.0.4, DistributedStatsTracker: the maximum of a metric is left out of the row in which it is infinite.
#
# Guess:    `stat(ratio=...)` gives ratio/avg, ratio/min and ratio/max in every row; when a ratio overflows, the maximum
#           is what shows it.
# Seen:     an infinite maximum (and a minimum of minus infinity) is taken for "no element was counted", and its key is
#           missing from that row, while ratio/avg is infinite. A NaN is kept in all three. scalar() keeps infinities
#           and adds a key of its own, NAME__count.
# Hurts:    alerts on "ratio/max above a bound": they see no value at all in the step that matters, and a tracker draws
#           the line straight across the gap.
# Remedy:   watch ratio/avg for what is not finite, or a maximum that is absent beside a minimum that is there.
# Output:   finite: avg max min; infinite: avg min; minus infinite: avg max; NaN: avg max min
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
{
  "$work/venv/bin/pip" install -q --disable-pip-version-check torch==2.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check numpy==2.4.6 transformers==5.24.0 httpx==0.28.1 \
    colorlog==6.12.0 tenacity==9.2.1 flask==3.1.3 torchdata==0.11.0 lark==1.3.1 uvloop==0.23.0 ray==2.60.0 \
    numba==0.68.1 pillow==13.0.0 einops==0.8.2 aiofiles==25.1.0 openai==3.57.0 pyyaml==6.0.4 \
    aiohttp==3.14.5 hydra-core==1.3.8 omegaconf==2.3.1 orjson==3.13.0
  "$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps areal==1.0.4
} 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> "$work/errors" <<'PY' | tail -1 || { tail -5 "$work/errors" >&2; exit 1; }
from collections import defaultdict

import torch
from areal.utils.stats_tracker import DistributedStatsTracker

tracker = DistributedStatsTracker()
tracker.denominator(tokens=torch.tensor([True, True, False]))
odd = {"finite": 2.0, "infinite": float("inf"), "minus infinite": float("-inf"), "NaN": float("nan")}
for name, value in odd.items():
    tracker.stat(denominator="tokens", **{name: torch.tensor([1.0, value, 5.0])})
kept = defaultdict(list)
for key in tracker.export():
    name, slash, part = key.partition("/")
    if slash:
        kept[name].append(part)
assert kept.keys() == odd.keys(), kept
print("; ".join(f"{name}: {' '.join(sorted(parts))}" for name, parts in kept.items()))
assert sorted(kept["infinite"]) == ["avg", "min"], "an infinite maximum is logged now"
assert sorted(kept["minus infinite"]) == ["avg", "max"]
assert sorted(kept["finite"]) == sorted(kept["NaN"]) == ["avg", "max", "min"]
PY
