"""Paired timing, what it was measured on, and the files that figures go to."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "benchmarks"

Way = Callable[[], object]


def paired(ways: Mapping[str, Way], rounds: int, device: str = "cpu") -> dict[str, dict[str, float]]:
    """Time several ways to one result.

    Each round runs every way twice, so that a busy machine slows all of them alike, and times the second run, so that
    none finds the caches as another one has left them. One thread on the CPU is timed by
    the processor time of the process, which other processes do not lengthen; anything else by the wall clock.

    Returns:
        For each way the median time in microseconds, and the median over the rounds of its time divided by that of the
        first way in the same round.
    """
    clock = time.process_time if device == "cpu" and torch.get_num_threads() == 1 else time.perf_counter
    # A process that trains has freed large blocks, after which malloc keeps memory instead of returning it each time.
    torch.ones(7 << 20)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + max(2, rounds // 10)):
        for name, way in ways.items():
            way()
            _wait(device)
            start = clock()
            way()
            _wait(device)
            if number >= max(2, rounds // 10):
                times[name].append(clock() - start)
    first = next(iter(times.values()))
    return {
        name: {
            "us": round(1e6 * statistics.median(taken), 1),
            "ratio": round(statistics.median(one / other for one, other in zip(taken, first, strict=True)), 3),
        }
        for name, taken in times.items()
    }


def _wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def machine(device: str = "cpu") -> dict[str, object]:
    """Return what a measurement is of: date, hardware, threads, load and versions."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": _commit(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "device": torch.cuda.get_device_name() if device.startswith("cuda") else device,
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in ("torch", "torchmetrics") if _version(name)},
    }


def _commit() -> str:
    """Return the commit that was measured: of a checkout with changes, the one that they follow."""
    command = ["git", "-C", str(FIGURES.parent), "rev-parse", "--short=8", "HEAD"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def installed(package: str) -> bool:
    """Return whether a package that a benchmark can do without is there."""
    return bool(_version(package))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that all scripts share."""
    found = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("--rounds", type=int, default=51, help="how often each way runs")
    found.add_argument("--threads", type=int, default=1, help="threads of torch (default: 1)")
    found.add_argument("--device", default="cpu")
    found.add_argument("--write", action="store_true", help="keep the figures in docs/benchmarks")
    return found


def report(claim: str, options: argparse.Namespace, results: Mapping[str, Any]) -> None:
    """Print figures, and keep them if that is wanted."""
    document = {"claim": claim, "machine": machine(options.device), "results": results}
    print(json.dumps(document, indent=2))
    if options.write:
        keep(claim, results, options.device)


def keep(claim: str, results: Mapping[str, Any], device: str = "cpu") -> None:
    """Keep figures, and what they were measured on, where the page of speed finds them."""
    document = {"claim": claim, "machine": machine(device), "results": results}
    FIGURES.mkdir(exist_ok=True)
    name = claim if device == "cpu" else f"{claim}_{device.partition(':')[0]}"
    (FIGURES / f"{name}.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
