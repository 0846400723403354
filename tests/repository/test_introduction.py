"""What ``import rlmetrics`` gives: a page that introduces the package, and its most used names, for next to nothing."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import rlmetrics
from folders import ROOT
from rlmetrics import functional, health, names, suites, translate
from rlmetrics.translate import Translator, translate_file

PPO = "trl[PPOTrainer]==0.11.4"
PPO_V2 = "trl[PPOTrainer]==0.18.2"


def printed(code: str) -> str:
    """Return what a new interpreter prints to which nothing but the standard library and this checkout is known."""
    folder = str(ROOT / "adapters")
    start = f"import sys\nsys.path = [{folder!r}, *(path for path in sys.path if 'site-packages' not in path)]\n"
    done = subprocess.run([sys.executable, "-I", "-c", start + code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


def test_the_examples_of_the_introduction_are_true() -> None:
    """Each line of the docstring prints what stands below it."""
    assert doctest.testmod(rlmetrics) == (0, 5)


def test_names_at_the_top_are_those_of_their_packages() -> None:
    """There is one of each: importing it from the top or from its package makes no difference."""
    assert rlmetrics.resolve is names.resolve
    assert rlmetrics.keys is names.keys
    assert rlmetrics.check is health.check
    assert rlmetrics.Monitor is health.Monitor
    assert rlmetrics.Translator is Translator
    assert rlmetrics.translate is translate
    assert rlmetrics.functional is functional
    assert rlmetrics.suites is suites


def test_importing_the_package_imports_nothing_else() -> None:
    """No part, no table and no library is loaded before a name is used."""
    code = "before = {*sys.modules}\nimport rlmetrics\nprint(sorted({*sys.modules} - before), rlmetrics.__version__)"
    assert printed(code) == f"['rlmetrics'] {rlmetrics.__version__}\n"


def test_help_introduces_the_package_without_any_dependency() -> None:
    """``help(rlmetrics)`` says what the package is for, its version, and each public name."""
    lines = printed("import pydoc, rlmetrics\nprint(pydoc.plain(pydoc.render_doc(rlmetrics)))").splitlines()
    assert lines[3] == f"    rlmetrics - {str(rlmetrics.__doc__).splitlines()[0]}"
    assert lines[lines.index("VERSION") + 1].strip() == rlmetrics.__version__
    listed = [line.split("`")[1] for line in lines[: lines.index("PACKAGE CONTENTS")] if line.startswith("    - `")]
    assert sorted(listed) == rlmetrics.__all__
    assert {"    functional (package)", "    names (package)", "    codegen (package)"} <= {*lines}


def test_all_names_are_listed() -> None:
    """Completion offers what may be imported."""
    assert {*rlmetrics.__all__} <= {*dir(rlmetrics)}
    assert [name for name in rlmetrics.__all__ if not hasattr(rlmetrics, name)] == []


def test_a_name_that_there_is_not_is_refused() -> None:
    """As by any module."""
    with pytest.raises(AttributeError, match="module 'rlmetrics' has no attribute 'translator'"):
        rlmetrics.translator  # type: ignore[attr-defined] # noqa: B018 # pyright: ignore[reportAttributeAccessIssue]


def test_the_package_that_translates_can_be_called(tmp_path: Path) -> None:
    """``rlmetrics.translate`` writes what ``translate_file`` writes, and gives the same report."""
    log = tmp_path / "run.jsonl"
    log.write_text('{"step": 1, "ppo/policy/approxkl": 0.25}\n', encoding="utf-8")

    called = rlmetrics.translate(log, source=PPO, target=PPO_V2, output=tmp_path / "called.jsonl")
    expected = translate_file(log, source=PPO, target=PPO_V2, output=tmp_path / "expected.jsonl")

    assert (tmp_path / "called.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()
    assert called.translated == expected.translated
    assert called.translated["ppo/policy/approxkl"]["to"] == "policy/approxkl_avg"
    assert inspect.signature(rlmetrics.translate) == inspect.signature(translate_file)


def test_several_logs_are_judged_in_order(tmp_path: Path) -> None:
    """One log or several: a report for each run."""
    logs = [tmp_path / f"{name}.jsonl" for name in ("second", "first")]
    for number, log in enumerate(logs):
        rows = (f'{{"step": {step}, "objective/kl": {number + step / 8}}}\n' for step in range(12))
        log.write_text("".join(rows), encoding="utf-8")

    assert [report.run for report in rlmetrics.check(logs, at=PPO_V2)] == list(map(str, logs))
    assert rlmetrics.check(logs[:1], at=PPO_V2) == rlmetrics.check(logs[0], at=PPO_V2)
