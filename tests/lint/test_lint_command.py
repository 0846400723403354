"""`rlmetrics lint` through the real command line: formats, exit codes, overlays, and no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from lint.spec_text import SpecText

BROKEN = ("metrics/policy", "    range: [0, 1]", "    ¦rnge: [0, 1]")


@pytest.fixture
def checkout(spec: SpecText) -> SpecText:
    """The base spec in a folder that looks like a checkout."""
    (spec.root.parent / "pyproject.toml").write_text("", encoding="utf-8")
    return spec


def lint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    command = [sys.executable, "-m", "rlmetrics.cli", "lint", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)


def test_a_clean_spec_exits_with_0(checkout: SpecText) -> None:
    """Nothing on stdout, a word on stderr, and success; from a folder inside the checkout too."""
    done = lint(checkout.root / "metrics")

    assert (0, "", "nothing to report\n") == (done.returncode, done.stdout, done.stderr)


def test_text_has_one_line_for_each_finding(checkout: SpecText) -> None:
    """Each line names the place, the level, the check, what is wrong and what to do."""
    checkout.edit(*BROKEN)
    checkout.edit("metrics/timing", "description: How", "title: Twice\ndescription: How")

    done = lint(checkout.root.parent)

    assert 1 == done.returncode
    first, second = done.stdout.splitlines()
    assert first.startswith("spec/metrics/policy.yaml:35:5: error[unknown-field]: `rnge` is not a field of a metric; ")
    assert second.startswith("spec/metrics/timing.yaml:3:1: error[yaml-duplicate-key]: `title` stands twice")
    assert "2 errors, 0 warnings\n" == done.stderr


def test_warnings_alone_exit_with_0(checkout: SpecText) -> None:
    """A warning is shown but does not fail a build."""
    checkout.edit(
        "metrics/policy",
        "{default: 0.2, brief: Largest change., source: {title: A paper}}",
        "{default: 0.2, brief: X.}",
    )

    done = lint(checkout.root.parent)

    assert (0, "0 errors, 1 warning\n") == (done.returncode, done.stderr)
    assert "warning[default-source]" in done.stdout


def test_json_is_one_document(checkout: SpecText) -> None:
    """The fields of each finding are there, numbers as numbers, and nothing else is on stdout."""
    checkout.edit(*BROKEN)

    done = lint(checkout.root.parent, "--format", "json")

    (finding,) = json.loads(done.stdout)
    assert 1 == done.returncode
    assert {"id": "unknown-field", "level": "error", "line": 35, "column": 5}.items() <= finding.items()
    assert "spec/metrics/policy.yaml" == finding["file"]
    assert {"id", "level", "file", "line", "column", "message", "fix"} == finding.keys()


def test_json_of_a_clean_spec_is_an_empty_list(checkout: SpecText) -> None:
    """A reader of the JSON needs no special case for success."""
    assert [] == json.loads(lint(checkout.root.parent, "--format", "json").stdout)


def test_github_annotations(checkout: SpecText) -> None:
    """Each finding becomes a workflow command with its place, and special characters are escaped."""
    checkout.edit(*BROKEN)
    checkout.edit("metrics/policy", "title: Policy", "title: 100% Policy\nallow: [{check: 'a,b%', reason: x}]")

    done = lint(checkout.root.parent, "--format", "github")

    first, second = done.stdout.splitlines()
    assert 1 == done.returncode
    assert first.startswith("::error file=spec/metrics/policy.yaml,line=3,col=17,title=unknown-check::`a,b%25` is not")
    assert second.startswith("::error file=spec/metrics/policy.yaml,line=36,col=5,title=unknown-field::`rnge` is not")


def test_an_overlay_is_checked_too(checkout: SpecText) -> None:
    """`--spec DIR` adds an overlay, whose faults are found in its own files."""
    folder = checkout.root.parent / "mine" / "metrics"
    folder.mkdir(parents=True)
    (folder / "timing.yaml").write_text("metrics:\n  timing/step: {}\n", encoding="utf-8")

    done = lint(checkout.root.parent, "--spec", "mine")

    assert 1 == done.returncode
    assert done.stdout.startswith("mine/metrics/timing.yaml:2:3: error[overlay-conflict]")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--spec", "nowhere"], "nowhere: no such folder"), (["--format", "xml"], "xml")],
)
def test_bad_arguments_exit_with_2(checkout: SpecText, arguments: list[str], says: str) -> None:
    """A wrong option or folder gives one line on stderr, and nothing on stdout."""
    done = lint(checkout.root.parent, *arguments)

    assert (2, "") == (done.returncode, done.stdout)
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_outside_a_checkout_it_exits_with_2(tmp_path: Path) -> None:
    """Without a spec there is nothing to check, which is said in one line."""
    done = lint(tmp_path)

    assert (2, "", 1) == (done.returncode, done.stdout, done.stderr.count("\n"))
    assert "no checkout here" in done.stderr
