"""Folders with runs of several kinds, through the real command line: a whole mirror, one report."""

import json
import os
import pty
import subprocess
import sys

import pytest
from translate.verl_runs import make_verl_runs

GRPO, VERL = "trl[GRPOTrainer]==0.18.2", "verl==0.9.1"


@pytest.fixture
def runs(tmp_path):
    """Runs of verl as JSON lines, console log, TensorBoard and W&B, with weights, a link and marks beside them."""
    return make_verl_runs(tmp_path)


@pytest.mark.parametrize("terminal", [True, False])
def test_the_bar_is_for_terminals(runs, tmp_path, terminal):
    """Whoever watches sees how far it is; a log of standard error stays empty."""
    code = "import sys; from rlmetrics.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "translate", str(runs), "--from", VERL, "--to", "canonical", "--json"]
    reader, writer = pty.openpty() if terminal else os.pipe()

    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=writer, check=False, env={**os.environ, "TERM": "xterm"}
    )

    os.close(writer)
    with os.fdopen(reader, "rb", buffering=0) as shown:
        seen = shown.read(1 << 16) if terminal else shown.read()
    assert done.returncode == 0
    assert "kind" in json.loads(done.stdout)
    assert terminal == (b" %" in seen)
    assert terminal or seen == b""
