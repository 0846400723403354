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
from rlmetrics.names import map_names
from rlmetrics.names.meanings.entries import Entries
from rlmetrics.names.settings.configuration import Configuration
from rlmetrics.names.tables.component_rows import TableRow
from rlmetrics.names.tables.key_records import Entry

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


def test_a_log_on_this_machine_is_judged_without_what_talks_to_servers(tmp_path):
    """That takes longer to import than a short log takes to judge."""
    log = tmp_path / "run.jsonl"
    log.write_text("".join(f'{{"step": {step}, "loss": 0.5, "kl": 0.01}}\n' for step in range(3)), encoding="utf-8")
    code = (
        "import sys; from rlmetrics.cli import main; "
        "main(['check', sys.argv[1], '--at', 'trl[GRPOTrainer]==1.16.0']); print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, str(log)], capture_output=True, text=True, check=True, env=ENV
    )

    assert "run.jsonl" in done.stdout
    assert "rlmetrics.health.checking" in done.stderr.split()
    assert "http.client" not in done.stderr.split()


def test_what_becomes_of_one_key_takes_few_entries_of_the_target(monkeypatch):
    """Only what may be meant by it is looked at: a log has few of the keys that its trainer can log."""
    made = set()
    make = Entries.make

    def counted(self: Entries, row: TableRow, config: Configuration, *, alternatives: bool = True) -> Entry:
        made.add((row.key, row.mode))
        return make(self, row, config, alternatives=alternatives)

    monkeypatch.setattr(Entries, "make", counted)
    names = map_names("trl[GRPOTrainer]==1.16.0", "verl==0.9.1", program="all")
    found = names.translate("frac_reward_zero_std")

    assert found.row is not None
    assert found.target is None
    assert 0 < len(made) < len(names.to_view.places()) / 5
