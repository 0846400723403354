"""One mistake is shown once, and what follows from it is counted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.codegen.findings import SpecFinding
from rlmetrics.codegen.lint import lint

NO_YAML = "\n: : [\n"


def shown(findings: list[SpecFinding]) -> list[str]:
    """Return the checks of the findings that do not follow from others."""
    return [finding.id for finding in findings if not finding.follows]


@pytest.mark.parametrize(
    "file",
    [
        "frameworks/trl/framework",
        "frameworks/trl/dpo_trainer",
        "frameworks/trl/grpo_trainer",
        "frameworks/trl/gspo_token_trainer",
        "frameworks/trl/kto_trainer",
        "frameworks/trl/xpo_trainer",
        "frameworks/verl/actor",
        "health/critic",
        "metrics/loss",
        "metrics/reward",
        "signatures",
        "signatures/estimators",
        "texts/zh/glossary",
        "texts/zh/interface",
        "texts/zh/metrics/policy",
    ],
)
def test_a_file_of_the_spec_that_is_no_yaml_is_one_finding(tmp_path: Path, file: str) -> None:
    """The same of files that many others build on, in the spec itself."""
    for beside in ("adapters", "codegen", "docs", "generated"):
        (tmp_path / beside).symlink_to(ROOT / beside)
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    with (tmp_path / "spec" / f"{file}.yaml").open("a", encoding="utf-8") as stream:
        stream.write(NO_YAML)

    found = [item for item in lint(tmp_path / "spec") if item.level != "info"]

    assert shown(found) == ["yaml-syntax"]
