"""What wandb itself reads from a run's file."""

import json
import subprocess
from pathlib import Path
from typing import Any

from wandb.util import get_core_path


def inspected(path: Path) -> list[dict[str, Any]]:
    """The records of a run's file as ``wandb leet inspect --json`` tells them, without starting Python for it."""
    command = [get_core_path(), "leet", "inspect", "--no-observability", "--json", "--run-file", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the entries of its dicts under dotted names, which is how runs of the Go writer are shown."""
    result: dict[str, Any] = {}
    for name, value in row.items():
        inner = flat(value) if isinstance(value, dict) else None
        result |= {name: value} if inner is None else {f"{name}.{key}": entry for key, entry in inner.items()}
    return result
