"""`rlmetrics rename`: a metric gets another name everywhere, and the old one keeps working."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from codegen.renamed_checkout import checkout_that_names_metrics
from folders import ROOT
from generate_support import environment, rlmetrics


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a checkout with the small spec, a page and a test that name its metrics."""
    return checkout_that_names_metrics(tmp_path)


def test_the_old_name_works_and_warns_once(root: Path) -> None:
    """In REGISTRY, make_suite, show, translate and where the old name means the metric, and is warned of."""
    rlmetrics(root, "rename", "kl/old/k1", "kl/old/first")
    rlmetrics(root, "rename", "kl/old/first", "kl/old/plain")
    assert rlmetrics(root, "generate").returncode == 0
    package = root / "package"
    package.mkdir()
    for name, home in (("generated", root), ("adapters", ROOT), ("codegen", ROOT)):
        (package / name).symlink_to(home / name, target_is_directory=True)
    code = """
import json, warnings
import torch
from rlmetrics.functional import REGISTRY
from rlmetrics.names import map_names, show
from rlmetrics.state.fusing import make_suite

row = torch.tensor([[-1.0, -2.0]])
mask = torch.ones_like(row, dtype=torch.bool)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    first = [REGISTRY["kl/old/k1"].id, REGISTRY["kl/old/k1@padded"].id]
    first += ["kl/old/k1" in REGISTRY, "kl/old/k1" in list(REGISTRY)]
    suite = make_suite(["kl/old/k1"])
    suite.update(logprobs=row, old_logprobs=row + 1, mask=mask)
    shown = [item.metric for item in show("kl/old/k1")]
    translated = map_names("canonical", "demo[Trainer]==1.0").translate("kl/old/k1").target
    print(json.dumps([first, {k: float(v) for k, v in suite.compute().items()}, shown, translated]))
print(json.dumps([str(item.message) for item in caught if "called" in str(item.message)]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env=environment(PYTHONPATH=str(package / "adapters")),
        capture_output=True,
        text=True,
        check=False,
    )
    where = rlmetrics(root, "where", "kl/old/k1")

    assert done.returncode == 0, done.stderr
    answers, warned = map(json.loads, done.stdout.splitlines())
    assert answers == [
        ["kl/old/plain", "kl/old/plain@padded", True, False],
        {"kl/old/k1": 1.0},
        ["kl/old/plain"],
        "policy/kl",
    ]
    assert warned == [
        "kl/old/k1 is called kl/old/plain now; write that",
        "kl/old/k1@padded is called kl/old/plain@padded now; write that",
    ]
    assert "metric kl/old/plain" in where.stdout
    assert "kl/old/k1 is called kl/old/plain now" in where.stderr
