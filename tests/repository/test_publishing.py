"""What publishes the package and the site: inert without an owner's word, and right about what it publishes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import rlmetrics
import yaml
from command_line import answered
from folders import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def _jobs(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_does_nothing_until_its_owner_says_so(path: Path) -> None:
    """The first job asks for a variable of the repository, and every other waits for a job before it."""
    first, *others = _jobs(path).values()
    assert re.fullmatch(r"vars\.PUBLISH(_SITE)? == 'yes'", first["if"])
    assert all(job["needs"] for job in others)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_only_the_last_job_may_write_and_no_secret_is_kept(path: Path) -> None:
    """Publishing proves who it is by a token of the run; what builds can only read."""
    text = path.read_text(encoding="utf-8")
    *builders, publisher = _jobs(path).values()
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert publisher["permissions"]["id-token"] == "write"
    assert not any("permissions" in job for job in builders)
    assert "secrets." not in text


@pytest.mark.parametrize(
    ("tag", "changelog", "passes"),
    [
        ("v{version}", "## {version}, 2026-12-01\n", True),
        ("v{version}", "## {version}, not released yet\n", False),
        ("v{version}", "## 9{version}, 2026-12-01\n", False),
        ("v{version}.1", "## {version}.1, 2026-12-01\n", False),
    ],
)
def test_a_release_is_made_of_the_version_that_it_is_called_by(
    tmp_path: Path, tag: str, changelog: str, passes: bool
) -> None:
    """Package, spec and changelog have the version of the tag, or nothing is built: the step itself is run."""
    for name in ("adapters/rlmetrics/__init__.py", "spec/spec.yaml"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    version = yaml.safe_load((ROOT / "spec" / "spec.yaml").read_text(encoding="utf-8"))["version"]
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{changelog.format(version=version)}", encoding="utf-8")
    steps = _jobs(ROOT / ".github" / "workflows" / "release.yml")["build"]["steps"]
    (step,) = (step["run"] for step in steps if "CHANGELOG" in step.get("run", ""))
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "GITHUB_REF_NAME": tag.format(version=version)},
        check=False,
    )
    assert passes == (done.returncode == 0)


def test_the_changelog_has_the_version_that_is_next() -> None:
    """Its newest heading names the version of the package and of the spec."""
    version = yaml.safe_load((ROOT / "spec" / "spec.yaml").read_text(encoding="utf-8"))["version"]
    (heading,) = re.findall(r"^## (\S+), .+$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)[:1]
    assert version == heading
    assert version == rlmetrics.__version__


def test_the_command_line_says_the_version() -> None:
    """It is that of the package, whatever is installed beside this checkout."""
    assert answered("--version").out.startswith(f"rlmetrics {rlmetrics.__version__}, spec ")


def test_the_site_is_built_as_the_page_says() -> None:
    """The commands of the workflow are those of the page on maintenance."""
    page = (ROOT / "docs" / "maintenance.md").read_text(encoding="utf-8")
    steps = _jobs(ROOT / ".github" / "workflows" / "site.yml")["build"]["steps"]
    builds = [step["run"].replace("--config-file", "-f") for step in steps if "mkdocs build" in step.get("run", "")]
    assert len(builds) == 2
    assert all(re.search(rf"^{re.escape(command)} +#", page, re.M) for command in builds)


@pytest.mark.parametrize("hook", yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")))
def test_a_hook_runs_a_command_that_there_is(hook: dict[str, Any]) -> None:
    """Its entry is a command, it brings what the command needs, and it runs when the spec changes."""
    program, *words = hook["entry"].split()
    assert program == "rlmetrics"
    done = subprocess.run([sys.executable, "-m", "rlmetrics.cli", *words, "--help"], capture_output=True, check=False)
    assert done.returncode == 0
    assert hook["additional_dependencies"] == [".[codegen]"]
    assert re.search(hook["files"], "spec/metrics/kl.yaml")
    assert not re.search(hook["files"], "docs/index.md")


def _attribute(name: str, path: str) -> str:
    done = subprocess.run(["git", "check-attr", name, "--", path], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip().rpartition(": ")[2]


def test_files_are_treated_as_what_they_are() -> None:
    """Recorded bytes are not converted, what is generated is marked, and locks are no text to read."""
    assert [_attribute("text", path) for path in ("tests/fixtures/runs/x.csv", "README.md")] == ["unset", "auto"]
    assert _attribute("eol", "adapters/rlmetrics/cli/main.py") == "lf"
    for path in ("generated/manifest.json", "tests/generated/test_kl.py", "spec/locks/trl/grpo_trainer.lock"):
        assert _attribute("linguist-generated", path) == "true"
    assert [_attribute("diff", path) for path in ("spec/locks/trl/grpo_trainer.lock", "spec/metrics/kl.yaml")] == [
        "unset",
        "unspecified",
    ]


def test_no_line_ends_in_another_way() -> None:
    """What is no recorded file has lines that end in a line feed alone."""
    listed = subprocess.run(["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=True)
    other = [line for line in listed.stdout.splitlines() if line.startswith(("i/crlf", "i/mixed"))]
    assert all("attr/-text" in line for line in other), other
