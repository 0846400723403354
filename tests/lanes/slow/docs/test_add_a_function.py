"""A function of the formula language is added by a row and a reference, as the page says, in a fresh copy."""

from __future__ import annotations

import textwrap
from pathlib import Path

from docs.walk_through import changed, clone_to, commit, named, run, steps

TABLE = "codegen/rlmetrics/codegen/formula/operations.py"
SCALARS = "adapters/rlmetrics/oracle/_scalars.py"
STATISTICS = "adapters/rlmetrics/oracle/_evaluate.py"

METRIC = """
kl/old/{name}:
  brief: {brief}
  description: Both over response tokens, and only there to see that formulas can call what was added.
  unit: "1"
  identity: {{quantity: {name}, distributions: [old, current], extent: token, statistic: mean}}
  population: response_tokens
  inputs: [logprobs, old_logprobs, mask]
  formula: {formula}
  atom: token
  empty: nan
"""

FUSED = """
import torch
from rlmetrics.functional import REGISTRY
from rlmetrics.state.fusing import make_suite

names = ["logprobs", "old_logprobs"]
inputs = {name: torch.randn(3, 5, dtype=torch.float64) for name in names} | {"mask": torch.rand(3, 5) < 0.7}
metrics = ["kl/old/squashed", "kl/old/scattered"]
results = make_suite(metrics).update(**inputs).compute()
for name in metrics:
    assert abs(results[name] - REGISTRY[name].function(**inputs).item()) < 1e-12, name
print(*(REGISTRY[name].formula for name in metrics))
"""

MATHEMATICS = """
from pathlib import Path
from rlmetrics.codegen.generate.functions import resolve
from rlmetrics.codegen.lint import Context
from rlmetrics.codegen.loader import load

spec = load(Path("spec"))
functions, _ = resolve(spec, Context(spec).programs)
print(*(one.compiled.mathml for one in functions["kl"] if one.name in ("kl_old_squashed", "kl_old_scattered")))
"""


def insert(path: Path, after: str, text: str, indent: int) -> None:
    """Put lines after the only line that begins with these words."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    (place,) = (number for number, line in enumerate(lines, 1) if line.strip().startswith(after))
    lines.insert(place, textwrap.indent(textwrap.dedent(text), " " * indent))
    path.write_text("".join(lines), encoding="utf-8")


def test_a_function_and_a_reduction_are_added_in_two_files_each(tmp_path: Path) -> None:
    """A row and a reference make a formula compile, and its generated tests, its suite and its mathematics follow."""
    clone, page = clone_to(tmp_path / "rlmetrics"), steps("spec-editing.md", "add-a-function")
    commit(clone)

    insert(clone / TABLE, "# Functions of single elements", page["row"], 4)
    insert(clone / SCALARS, '"is_finite":', page["reference"], 4)
    assert changed(clone) == [SCALARS, TABLE]
    insert(clone / TABLE, "# To a number", page["reduction"], 4)
    insert(clone / STATISTICS, "xs = columns[0]", page["statistic"], 4)
    assert named("A formula operation", "Files") == changed(clone)
    family = clone / "spec" / "metrics" / "kl.yaml"
    log_ratio = "logprobs - old_logprobs"
    metrics = METRIC.format(
        name="squashed",
        brief="Mean of the squashed log-ratio, plus the squashed mean of it.",
        formula=f"mean(tanh({log_ratio})) + tanh(mean({log_ratio}))",
    ) + METRIC.format(
        name="scattered",
        brief="Scatter of the log-ratio beside its mean.",
        formula=f"scatter({log_ratio}) + mean({log_ratio})",
    )
    family.write_text(family.read_text(encoding="utf-8") + textwrap.indent(metrics, "  "), encoding="utf-8")

    made = run(clone, "rlmetrics generate")
    assert made.returncode == 0, made.stdout + made.stderr
    tests = run(clone, 'python -m pytest tests/generated/test_kl.py -k "squashed or scattered"')
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert "[100%]" in tests.stdout
    tests = run(clone, 'python -m pytest tests/formula -k "every_function or tanh or scatter"')
    assert tests.returncode == 0, tests.stdout + tests.stderr
    fused = run(clone, f"python -c '{FUSED}'")
    assert fused.returncode == 0, fused.stderr
    assert f"scatter({log_ratio})" in fused.stdout
    written = run(clone, f"python -c '{MATHEMATICS}'")
    assert written.returncode == 0, written.stderr
    assert "<mi>tanh</mi>" in written.stdout
    assert "<mi>SS</mi>" in written.stdout
