"""What type checkers and editors see of a suite: the inputs of an update, each by its name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from folders import ROOT
from generate_support import environment

CODE = """
import torch
from rlmetrics.suites import GRPOSuite, SFTSuite, make_suite

suite = GRPOSuite(clip_low=0.1, ids_restart=True)
x = torch.zeros(2, 3)
reveal_type(suite.update(logprobs=x, old_logprobs=x, mask=x.bool(), cu_seqlens=None).compute())
suite.update(**{"rewards": x[0]})
make_suite(["kl/old/k1"]).update(anything=x)
suite.update(logprob=x)
suite.update(x)
SFTSuite().update(mask=[[True]])
GRPOSuite(clip=0.1)
"""


def test_misspelt_inputs_are_flagged(tmp_path: Path) -> None:
    """A type checker sees names and types of inputs and parameters, and only complains where they are wrong."""
    file = tmp_path / "trainer.py"
    file.write_text(CODE)
    config = ROOT / "pyproject.toml"
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(config), "--follow-imports=silent", str(file)],
        env=environment(),
        capture_output=True,
        text=True,
        cwd=config.parent,
        check=False,
    )
    lines = [line.partition("trainer.py:")[2] for line in done.stdout.splitlines() if "trainer.py:" in line]

    assert [line for line in lines if int(line.partition(":")[0]) in (8, 9)] == []
    assert "dict[str, float]" in lines[0]
    found = {int(line.partition(":")[0]): line for line in lines if "error" in line}
    assert 'Unexpected keyword argument "logprob" for "update" of "GRPOSuite"' in found[10]
    assert "Too many positional arguments" in found[11]
    assert 'Argument "mask" to "update" of "SFTSuite" has incompatible type' in found[12]
    assert 'Unexpected keyword argument "clip" for "GRPOSuite"' in found[13]
    assert found.keys() == {10, 11, 12, 13}
