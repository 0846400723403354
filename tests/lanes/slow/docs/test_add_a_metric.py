"""The page "Add a metric" is followed step by step in a fresh copy, with nothing done that it does not say."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from docs.walk_through import clone_to, run, steps


def test_a_metric_is_added_as_the_page_says(tmp_path: Path) -> None:
    """Definition, example, generation and tests: each step does what the page promises."""
    clone, page = clone_to(tmp_path / "rlmetrics"), steps("spec-editing.md", "add-a-metric")
    family = clone / "spec" / "metrics" / "kl.yaml"
    family.write_text(family.read_text() + "\n" + textwrap.indent(page["metric"], "  "))

    lint = run(clone, "rlmetrics lint")
    assert (lint.returncode, lint.stdout.count("warning[")) == (0, 1), lint.stdout + lint.stderr
    stub = re.search(r"= (tests/fixtures/hand_computed/\w+\.yaml) has .*\n +(kl/old/chi2: \{is: '\?'\})", lint.stdout)
    assert stub is not None, lint.stdout

    example = clone / "tests" / "fixtures" / "hand_computed" / "tokens.yaml"
    example.write_text(example.read_text().rstrip("\n") + "\n" + textwrap.indent(page["example"], "  "))
    made = run(clone, page["generate"])
    assert made.returncode == 0, made.stdout + made.stderr
    assert "warning" not in made.stderr + made.stdout
    assert "generated/rlmetrics/functional/kl.py: changed" in made.stdout
    assert "kl/old/chi2" in (clone / "docs" / "reference" / "coverage.md").read_text()

    tests = run(clone, page["test"])
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert "[100%]" in tests.stdout

    shown = run(clone, "rlmetrics show kl/old/chi2")
    assert "mean((exp(logprobs - old_logprobs) - 1)**2)" in shown.stdout
    assert run(clone, "rlmetrics generate --check --no-cache").returncode == 0
