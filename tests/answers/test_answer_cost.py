"""How much work an answer is, counted in calls and imports, which no other load on the machine changes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import FrameType

import pytest
import rlmetrics
from rlmetrics.cli import main

ENV = {**os.environ, "PYTHONPATH": str(Path(rlmetrics.__file__).parents[1])}
"""Where this package is found without what an environment imports at every start."""

MOST = 4000
"""Calls of Python functions that one answer may take when the tables are read."""


def test_a_warm_answer_takes_few_calls(capsys: pytest.CaptureFixture[str]):
    """A key of a release, with its meaning, its settings and what became of it over 99 releases."""
    question = ["resolve", "policy/approxkl_avg", "--at", "trl[PPOTrainer]==0.12.2"]
    main(question)
    first = capsys.readouterr().out
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        main(question)
    finally:
        sys.setprofile(None)

    assert capsys.readouterr().out == first
    assert "changed" in first
    assert calls <= MOST


HEAVY = ("argparse", "dataclasses", "inspect", "signal", "typing")
"""Modules of Python that take long to import, for little that an answer needs."""


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (["resolve", "kl", "--at", "trl[GRPOTrainer]==0.18.2"], 95),
        (["resolve", "rewrd"], 65),
        (["map", "kl", "--from", "trl[GRPOTrainer]==0.18.2", "--to", "verl==0.9.1"], 85),
        (["diff", "--from", "trl[GRPOTrainer]==0.18.2", "--to", "trl[GRPOTrainer]==1.16.0"], 90),
    ],
    ids=["older release", "typo", "map", "diff"],
)
def test_an_answer_imports_little(words, most):
    """Nothing heavy of Python's own, and no more of this package than it needs."""
    code = (
        f"import re, sys; before = {{*sys.modules}} - {{*{HEAVY!r}}}; from rlmetrics.cli import main; "
        "main(sys.argv[1:]); print(*sorted({*sys.modules} - before), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *words], capture_output=True, text=True, check=True, env=ENV
    )
    imported = done.stderr.split()

    assert not {*HEAVY} & {*imported}
    assert sum(name.startswith("rlmetrics") for name in imported) <= most


def test_what_makes_a_translator_imports_no_comparison():
    """That is imported with the first row."""
    code = (
        "import sys; from rlmetrics.translate import Translator; "
        "Translator('trl[PPOTrainer]==0.11.4', 'trl[PPOTrainer]==0.18.2'); print(*sorted(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=ENV)
    imported = done.stdout.split()

    assert not {"re", "json", *HEAVY} & {*imported}
    assert sum(name.startswith("rlmetrics") for name in imported) <= 35
