#!/usr/bin/env bash
# prometheus_client 0.26.0, Histogram: one NaN is in no bucket and not in the count, and makes the sum, and with it
# every mean from then on, NaN until the process ends.
#
# Guess:    an observation is counted whatever it is, NaN in the bucket +Inf at the latest; or it is refused. A mean
#           over the last five minutes is sound again five minutes later.
# Seen:     of 0.05, 0.5, NaN, 5 the bucket +Inf and the count say 3, the sum is NaN, and it is NaN after a thousand
#           more observations of 1. The mean over a window is an increase of the sum by that of the count: NaN for all
#           windows to come. A Summary of the same numbers counts four. A Counter takes inc(nan), which is not below 0,
#           and is NaN for good as well. Nothing is said.
# Hurts:    rewards, KL, losses and log-probabilities as histograms, which is how servers of a rollout fleet export
#           them: after one bad answer the panel of the mean is empty for the rest of the run, and as buckets and
#           quantiles look whole and the count lacks just the bad ones, nothing tells how many there were.
# Remedy:   observe what is finite, and count the rest in a Counter of its own.
# Output:   histogram: buckets 1, 2, 3; count 3, sum NaN; after 1000 more: count 1003, sum NaN
#           summary: count 4, sum NaN; counter: NaN
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check prometheus_client==0.26.0 2> "$work/errors" \
  || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" -W error - <<'PY'
import math

from prometheus_client import CollectorRegistry, Counter, Histogram, Summary
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

registry = CollectorRegistry()
histogram = Histogram("kl", "of a batch", buckets=[0.1, 1], registry=registry)
summary = Summary("reward", "of a batch", registry=registry)
counter = Counter("tokens", "trained on", registry=registry)


def exported():
    families = text_string_to_metric_families(generate_latest(registry).decode())
    return {sample.name + sample.labels.get("le", ""): sample.value for family in families for sample in family.samples}


def said(value):
    return "NaN" if math.isnan(value) else f"{value:.0f}"


for value in (0.05, 0.5, math.nan, 5):
    histogram.observe(value)
    summary.observe(value)
counter.inc(math.nan)
counter.inc(3)
soon = exported()
for _ in range(1000):
    histogram.observe(1)
late = exported()
buckets = [soon[f"kl_bucket{bound}"] for bound in ("0.1", "1.0", "+Inf")]


def pair(values, name):
    return f"count {said(values[f'{name}_count'])}, sum {said(values[f'{name}_sum'])}"


print(f"histogram: buckets {', '.join(map(said, buckets))}; {pair(soon, 'kl')}; after 1000 more: {pair(late, 'kl')}")
print(f"summary: {pair(soon, 'reward')}; counter: {said(soon['tokens_total'])}")
assert buckets == [1, 2, 3] and (soon["kl_count"], late["kl_count"]) == (3, 1003), "a NaN is counted now"
assert math.isnan(soon["kl_sum"]) and math.isnan(late["kl_sum"]), "a NaN is kept out of the sum now"
assert soon["reward_count"] == 4 and math.isnan(soon["tokens_total"])
PY
