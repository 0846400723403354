"""Reading and linting stay fast, and grow no faster than the spec."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from rlmetrics.codegen.lint import lint
from rlmetrics.codegen.loader import load

REPOSITORY = Path(__file__).parents[2]
BASE = REPOSITORY / "tests" / "fixtures" / "spec_base"
METRIC = """\
  {family}/quantity_{number}/mean:
    aliases: [q_{family}_{number}]
    brief: Number {number} of {family}.
    description: Tells something about part {number} of {family} that nothing else in this file tells.
    unit: nat
    identity: {{quantity: q{family}_{number}}}
    population: response_tokens
    inputs: [logprobs, advantages, mask]
    formula: mean((logprobs - advantages) ** 2) + {number}
    atom: token
    empty: nan
"""
EMISSION = """\
  - key: {family}/{number}
    metric: {family}/quantity_{number}/mean
    evidence: [{{release: 1.0.0, path: acme/t.py, line: 3, symbol: f, shows: value}}]
"""


def make(root: Path, families: int) -> Path:
    """A spec with 250 metrics and emissions in each of some families."""
    shutil.copytree(BASE, root)
    for index in range(families):
        family = f"f{index}"
        metrics = "".join(METRIC.format(family=family, number=number) for number in range(250))
        head = f"family: {family}\ntitle: T\ndescription: D.\nmetrics:\n"
        (root / "metrics" / f"{family}.yaml").write_text(head + metrics, encoding="utf-8")
        emissions = "".join(EMISSION.format(family=family, number=number) for number in range(250))
        head = f"title: T\nbrief: B.\ncomponents: [{{name: C{index}, releases: 1.0.0, module: x.y}}]\nemissions:\n"
        (root / "frameworks" / "acme" / f"c{index}.yaml").write_text(head + emissions, encoding="utf-8")
    return root


def seconds(root: Path) -> float:
    """CPU time of one lint run that finds nothing."""
    start = time.process_time()
    assert [] == lint(root)
    return time.process_time() - start


def test_loading_the_spec_takes_little_cpu_time() -> None:
    """The project's own spec is parsed and validated in well under a second."""
    load(REPOSITORY / "spec")
    start = time.process_time()

    load(REPOSITORY / "spec")

    assert time.process_time() - start < 0.6


def test_lint_grows_linearly(tmp_path: Path) -> None:
    """Eight times the metrics take about eight times as long; a quadratic step would take up to sixty-four."""
    small = make(tmp_path / "small" / "spec", 1)
    large = make(tmp_path / "large" / "spec", 8)
    seconds(small)

    assert seconds(large) < 16 * seconds(small)
