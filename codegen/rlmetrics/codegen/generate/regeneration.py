"""Generate again on every save. It polls, because that works on every file system and needs nothing installed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ..output.input_digest import source_files

INTERVAL = 0.3
"""Seconds between two looks at the files."""

Snapshot = dict[str, tuple[int, int]]


def snapshot(root: Path, overlays: Sequence[Path]) -> Snapshot:
    """Return modification time and size of every file that decides what is generated."""
    stamps = {}
    for label, path in source_files(root, overlays):
        try:
            status = os.stat(path)
        except FileNotFoundError:
            continue
        stamps[label] = (status.st_mtime_ns, status.st_size)
    return stamps


def watch(root: Path, overlays: Sequence[Path]) -> int:
    """Generate now and whenever a source changes, until interrupted.

    Each run is a process of its own, so that a change of the generator itself takes effect too.
    """
    command = [sys.executable, "-m", "rlmetrics.cli", "generate"]
    for overlay in overlays:
        command += ["--spec", str(overlay.resolve())]
    seen: Snapshot = {}
    try:
        while True:
            now = snapshot(root, overlays)
            if now != seen:
                now = _settled(root, overlays, now)
                if seen:
                    print(f"changed: {', '.join(_changed(seen, now))}", flush=True)
                subprocess.run(command, cwd=root, check=False)
                print("watching; press Ctrl-C to stop", flush=True)
                seen = now
            time.sleep(INTERVAL)
    except KeyboardInterrupt:
        return 0


def _settled(root: Path, overlays: Sequence[Path], seen: Snapshot) -> Snapshot:
    """Wait until an editor that writes several files, or one file in pieces, has finished."""
    while True:
        time.sleep(INTERVAL / 3)
        again = snapshot(root, overlays)
        if again == seen:
            return seen
        seen = again


def _changed(before: Snapshot, after: Snapshot) -> list[str]:
    labels = sorted(label for label in before.keys() | after.keys() if before.get(label) != after.get(label))
    return labels if len(labels) <= 5 else [*labels[:5], f"and {len(labels) - 5} more"]
