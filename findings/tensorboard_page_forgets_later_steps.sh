#!/usr/bin/env bash
# tensorboard 2.21.0 with tensorboard-data-server 0.7.2: a point at a lower step deletes all points of its tag from that
# step on, on the page alone; EventAccumulator over the same file has them all.
#
# Guess:    the page shows what the file holds, in the order written: a line that runs back, as scalars of one file
#           without a restart are kept by EventAccumulator, and two values at a step that was written twice.
# Seen:     the page is served by a second reader, in Rust, which takes each step that does not rise for the restart of
#           a program: rewards at 100, 200, 300, 400, then a late one at 250, then 500 are 100, 200, 250, 500. Of two
#           values at a step the last is left. It has nothing to do with purge_step, nothing is said, and
#           `--load_fast=false` has all six. Another tag of the file is left alone.
# Hurts:    evaluations of checkpoints that end out of order, workers that report to one writer, loops that log an
#           epoch's summary at its first step: points were on the page, and are gone after one write. Whoever reads the
#           file in Python finds another curve, other maxima and more points than the page shows.
# Remedy:   write in the order of steps, one value a step, or tensorboard --load_fast=false.
# Output:   reward, page: 100 200 250 500; EventAccumulator: 100 200 300 400 250 500
#           twice, page: 1: 0.25, 2: 0.75, 3: 1.0; EventAccumulator: 1: 0.25, 2: 0.5, 2: 0.75, 3: 1.0
#           other, page: 100 200 300 400; EventAccumulator: 100 200 300 400
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check tensorboard==2.21.0 tensorboard-data-server==0.7.2 \
  setuptools==80.9.0 2> "$work/errors" || { cat "$work/errors" >&2; exit 1; }
cd "$work"
"$work/venv/bin/python" - 2> "$work/errors" <<'PY' || { tail -5 "$work/errors" >&2; exit 1; }
import subprocess
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.context import RequestContext
from tensorboard.data.provider import RunTagFilter
from tensorboard.data.server_ingester import SubprocessServerDataIngester, get_server_binary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util.grpc_util import ChannelCredsType

late = [100, 200, 300, 400, 250, 500]
written = {
    "reward": [(step, step / 500) for step in late],
    "twice": [(1, 0.25), (2, 0.5), (2, 0.75), (3, 1.0)],
    "other": [(step, 0.5) for step in late[:4]],
}
writer = EventFileWriter("logs/run")
for tag, points in written.items():
    for step, value in points:
        summary = Summary(value=[Summary.Value(tag=tag, simple_value=value)])
        writer.add_event(Event(step=step, wall_time=1000 + step, summary=summary))
writer.close()

whole = EventAccumulator("logs/run")
whole.Reload()

started = []  # the server's process, to be ended here
popen = subprocess.Popen
subprocess.Popen = lambda *args, **kwargs: started.append(popen(*args, **kwargs)) or started[-1]
try:
    server = SubprocessServerDataIngester(
        server_binary=get_server_binary(),
        logdir="logs",
        reload_interval=1,
        channel_creds_type=ChannelCredsType.LOCAL,
        samples_per_plugin=None,
    )
    server.start()

    def on_page(tag):
        found = server.data_provider.read_scalars(
            RequestContext(),
            experiment_id="",
            plugin_name="scalars",
            downsample=1000,
            run_tag_filter=RunTagFilter(runs=["run"], tags=[tag]),
        )
        return [(point.step, round(float(point.value), 3)) for point in found.get("run", {}).get(tag, [])]

    until = time.monotonic() + 60
    while not on_page("other") and time.monotonic() < until:
        time.sleep(0.5)
    page = {tag: on_page(tag) for tag in written}
finally:
    for process in started:
        process.kill()

for tag, points in page.items():
    in_file = [(event.step, round(event.value, 3)) for event in whole.Scalars(tag)]
    assert in_file == written[tag], "EventAccumulator leaves points out now"
    parts = [
        ", ".join(f"{step}: {value}" for step, value in side)
        if tag == "twice"
        else " ".join(str(step) for step, _ in side)
        for side in (points, in_file)
    ]
    print(f"{tag}, page: {parts[0]}; EventAccumulator: {parts[1]}")
assert [step for step, _ in page["reward"]] == [100, 200, 250, 500], "later steps stay now"
assert page["twice"] == [(1, 0.25), (2, 0.75), (3, 1.0)], "both values stay now"
assert page["other"] == written["other"]
PY
