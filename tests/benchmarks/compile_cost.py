"""What the first compilation of a suite costs: processor time of a first update, with all of the compiler's processes.

    python tests/benchmarks/compile_cost.py [--write]

Each way has a process of its own, without the compiler's caches, in which something else was compiled before: what the
compiler needs to start is the same for everything and stands in a line of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("adapters", "tests")]

import torch  # noqa: E402
from benchmarks import measure  # noqa: E402
from benchmarks.batches import make_batch  # noqa: E402
from benchmarks.by_hand import careful_tensor  # noqa: E402
from rlmetrics import suites  # noqa: E402
from rlmetrics.state.suite import Suite  # noqa: E402

WAYS = ["PPOSuite", "GRPOSuite", "DPOSuite", "SFTSuite", "by hand, with care"]


def spent() -> float:
    """Return the processor time of this process and of those it has waited for, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measured(way: str, device: str) -> dict[str, float]:
    """Return what compiling one way takes, after and apart from the start of the compiler."""
    batch = make_batch(64, 1024, device)
    before = spent()
    torch.compile(lambda x: (x + 1).sum(dtype=torch.float64), fullgraph=True)(batch["logprobs"])
    started = spent()
    with torch.no_grad():
        if way == "by hand, with care":
            torch.compile(careful_tensor, fullgraph=True)(batch)
        else:
            suite = getattr(suites, way)().compile()
            suite.update(**inputs_of(suite, batch))
    return {"start of the compiler": started - before, way: spent() - started}


def inputs_of(suite: Suite, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return all inputs of a suite; what the batch lacks is made up."""
    found = {}
    for name, (axes, dtype) in suite.fusion.inputs.items():
        shape = [64 if axis[0] == "B" else 1024 for axis in axes]
        made = torch.rand(shape) if dtype == "float" else torch.ones(shape, dtype=torch.int64)
        if name == "group_ids":
            made = torch.arange(64) // 8
        found[name] = batch.get(name, made.bool() if dtype == "bool" else made)
    return found


def main() -> None:
    """Measure in processes of their own, and report."""
    parser = measure.parser(__doc__)
    parser.add_argument("--way", help="measure this one here")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.way:
        print(json.dumps(measured(options.way, options.device)))
        return
    environment = {**os.environ, "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    results: dict[str, dict[str, float]] = {}
    for way in WAYS:
        command = [sys.executable, __file__, "--way", way, "--device", options.device]
        out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for name, seconds in json.loads(out.splitlines()[-1]).items():
            results[name] = {"processor time, s": round(seconds, 1)}
        print(way, results, file=sys.stderr)
    measure.report("compile_cost", options, results)


if __name__ == "__main__":
    main()
