"""What the spec says of ms-swift's ``logging.jsonl``, against the code of each release that is described."""

from __future__ import annotations

import ast
import math
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from lanes.trainers.environments import ROOT, interpreter

RELEASES = [
    entry["release"]
    for entry in yaml.safe_load((ROOT / "spec/frameworks/ms-swift/framework.yaml").read_text(encoding="utf-8"))[
        "releases"
    ]
]


@pytest.mark.parametrize("release", RELEASES)
def test_numbers_are_rounded_to_eight_decimals(release: str) -> None:
    """In place, before the row is written or printed: what is below half of 1e-8 is 0, whole numbers stay."""
    python = interpreter(f"ms-swift-{release}", (f"ms-swift=={release}",))
    (path,) = Path(python).parents[1].glob("lib/python*/site-packages/swift/trainers/patcher.py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if getattr(node, "name", None) == "add_train_message"]
    found: dict[str, Any] = {"time": time, "format_time": str, "get_max_reserved_memory": lambda: 0}
    exec(compile(tree, str(path), "exec"), found)  # the module itself asks for all that ms-swift needs

    row = {"loss": 0.123456789123, "learning_rate": 4e-9, "kl": -6e-9, "nan": math.nan, "count": 10**9 + 1}
    found["add_train_message"](row, SimpleNamespace(global_step=1, max_steps=2), time.time(), 0)

    assert (row["loss"], row["learning_rate"], row["kl"], row["count"]) == (0.12345679, 0.0, -1e-8, 10**9 + 1)
    assert math.isnan(row["nan"])
