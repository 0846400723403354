"""The page "Add a metric" is followed step by step in a fresh copy, with nothing done that it does not say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STEP = re.compile(r"<!-- add-a-metric: (?P<step>\w+) -->\n *```\w+\n(?P<text>.*?)^ *```$", re.S | re.M)


@pytest.fixture(scope="module")
def steps() -> dict[str, str]:
    """The blocks of the page."""
    text = (ROOT / "docs" / "spec-editing.md").read_text(encoding="utf-8")
    return {match["step"]: textwrap.dedent(match["text"]) for match in STEP.finditer(text)}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a clone of the working tree holds."""
    target = tmp_path_factory.mktemp("clone") / "rlmetrics"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def run(clone: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the page in the clone, with the clone's own modules."""
    paths = os.pathsep.join(str(clone / root) for root in ("generated", "adapters", "codegen"))
    command = re.sub(r"^rlmetrics ", f"{sys.executable} -m rlmetrics.cli ", command, flags=re.M)
    command = re.sub(r"^python ", f"{sys.executable} ", command, flags=re.M)
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_metric_is_added_as_the_page_says(clone: Path, steps: dict[str, str]) -> None:
    """Definition, example, generation and tests: each step does what the page promises."""
    family = clone / "spec" / "metrics" / "kl.yaml"
    family.write_text(family.read_text() + "\n" + textwrap.indent(steps["metric"], "  "))

    lint = run(clone, "rlmetrics lint")
    assert (0, 1) == (lint.returncode, lint.stdout.count("warning[")), lint.stdout + lint.stderr
    stub = re.search(r"= (tests/fixtures/hand_computed/\w+\.yaml) has .*\n +(kl/old/chi2: \{is: '\?'\})", lint.stdout)
    assert stub is not None, lint.stdout

    example = clone / "tests" / "fixtures" / "hand_computed" / "tokens.yaml"
    example.write_text(example.read_text().rstrip("\n") + "\n" + textwrap.indent(steps["example"], "  "))
    made = run(clone, steps["generate"])
    assert 0 == made.returncode, made.stdout + made.stderr
    assert "nothing to report" in made.stderr
    assert "generated/rlmetrics/functional/kl.py: changed" in made.stdout
    assert "kl/old/chi2" in (clone / "docs" / "reference" / "kl.md").read_text()

    tests = run(clone, steps["test"])
    assert 0 == tests.returncode, tests.stdout + tests.stderr
    assert "[100%]" in tests.stdout

    shown = run(clone, "rlmetrics show kl/old/chi2")
    assert "mean((exp(logprobs - old_logprobs) - 1)**2)" in shown.stdout
    assert 0 == run(clone, "rlmetrics generate --check --no-cache").returncode
