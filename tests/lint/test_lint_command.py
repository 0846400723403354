"""`rlmetrics lint` through the real command line: formats, exit codes, overlays, and no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Answer, answered
from lint.spec_text import SpecText

BROKEN = ("metrics/policy", "    range: [0, 1]", "    ¦rnge: [0, 1]")


@pytest.fixture
def checkout(spec: SpecText) -> SpecText:
    """The base spec in a folder that looks like a checkout."""
    (spec.root.parent / "pyproject.toml").write_text("", encoding="utf-8")
    return spec


def lint(folder: Path, *arguments: str) -> Answer:
    """Run the command in a folder."""
    return answered("lint", *arguments, folder=folder)


def test_a_clean_spec_exits_with_0(checkout: SpecText) -> None:
    """Nothing on stdout, a word on stderr, and success; from a folder inside the checkout too."""
    done = lint(checkout.root / "metrics")

    assert (done.code, done.out, done.err) == (0, "", "nothing to report\n")


def test_short_has_one_line_for_each_finding(checkout: SpecText) -> None:
    """Each line names the place, the level, the check, what is wrong and what to do, as editors read it."""
    checkout.edit(*BROKEN)
    checkout.edit("metrics/timing", "description: How", "title: Twice\ndescription: How")

    done = lint(checkout.root.parent, "--format", "short")

    assert done.code == 1
    first, second = done.out.splitlines()
    assert first.startswith("spec/metrics/policy.yaml:35:5: error[unknown-field]: `rnge` is not a field of a metric; ")
    assert second.startswith("spec/metrics/timing.yaml:3:1: error[yaml-duplicate-key]: `title` stands twice")
    assert done.err == "2 errors\n"


def test_text_shows_the_source(checkout: SpecText) -> None:
    """A finding shows the line, a caret under each character that is meant, and help; no colour goes into a pipe."""
    checkout.edit("frameworks/acme/trainer", "penalised: beta != 0", "penalised: betta != 0")

    done = lint(checkout.root.parent)

    expected = """\
error[broken-reference]: there is no configuration key `betta`
  --> spec/frameworks/acme/trainer.yaml:26:14
   |
26 |   penalised: betta != 0
   |              ^^^^^
   = help: did you mean `beta`? (--fix does it)

"""
    assert (done.out, done.err) == (expected, "1 error\n")


def test_other_places_are_underlined_with_what_is_there(checkout: SpecText) -> None:
    """The same wrong name at several places is one finding that shows where else it stands."""
    for old in ("when: beta > 1", "1.1.0, when: mode == 'sequence'"):
        checkout.edit("frameworks/acme/trainer", old, old.replace("beta", "gamma").replace("mode", "gamma"))

    done = lint(checkout.root.parent)
    everything = lint(checkout.root.parent, "--all")

    assert done.out.count("error[broken-reference]: there is no configuration key `gamma`") == 1
    assert "   |                                                     ----- here too" not in done.out
    assert "here too" in done.out
    assert "hidden (--all" in done.err
    assert everything.out.count("error[broken-reference]: there is no configuration key `gamma`") == 2
    assert "hidden" not in everything.err


def test_colour_only_where_it_is_wanted(checkout: SpecText) -> None:
    """A terminal gets colours, unless NO_COLOR asks for none."""
    checkout.edit(*BROKEN)
    command = f"{sys.executable} -m rlmetrics.cli lint"

    outputs = [
        subprocess.run(
            ["script", "--quiet", "--command", f"{setting} {command}", "/dev/null"],
            cwd=checkout.root.parent,
            env={**os.environ, "TERM": "xterm"},
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        for setting in ("NO_COLOR=", "NO_COLOR=1")
    ]

    assert ["\033[1;31merror[unknown-field]\033[0m" in outputs[0], "\033[" in outputs[1]] == [True, False]
    assert "error[unknown-field]" in outputs[1]


def test_fix_repairs_what_needs_no_decision(checkout: SpecText) -> None:
    """A misspelt name with one near name, a renamed metric and a missing quote are written; the rest is left alone."""
    checkout.edit(
        "frameworks/acme/trainer", "metric: policy/loss\n      profile", "metric: policy/surrogate\n      profile"
    )
    checkout.edit("frameworks/acme/trainer", "penalised: beta != 0", "penalised:  betta != 0  # first of all")
    checkout.edit("metrics/timing", "unit: s", "unit: yes")
    path = checkout.root / "frameworks/acme/trainer.yaml"
    before = path.read_text()

    done = lint(checkout.root.parent, "--fix")

    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        "fixed spec/frameworks/acme/trainer.yaml:26:15: betta → beta",
        "fixed spec/frameworks/acme/trainer.yaml:30:15: policy/surrogate → policy/loss",
        "fixed spec/metrics/timing.yaml:8:11: yes → 'yes'",
        "nothing to report",
    ]
    assert before.replace("surrogate", "loss").replace("betta", "beta") == path.read_text()


def test_fix_leaves_what_is_not_clear(checkout: SpecText) -> None:
    """Where two names are as near, a person has to choose."""
    checkout.edit(
        "frameworks/acme/trainer",
        "  window:",
        "  bet:\n    brief: X.\n    type: int\n    defaults: [{value: 1}]\n  window:",
    )
    checkout.edit("frameworks/acme/trainer", "penalised: beta != 0", "penalised: betx != 0")
    before = (checkout.root / "frameworks/acme/trainer.yaml").read_text()

    done = lint(checkout.root.parent, "--fix")

    assert done.code == 1
    assert "did you mean `bet` or `beta`?" in done.out
    assert (checkout.root / "frameworks/acme/trainer.yaml").read_text() == before


def test_warnings_alone_exit_with_0(checkout: SpecText) -> None:
    """A warning is shown but does not fail a build."""
    checkout.edit(
        "metrics/policy",
        "{default: 0.2, brief: Largest change., source: {title: A paper}}",
        "{default: 0.2, brief: X.}",
    )

    done = lint(checkout.root.parent)

    assert (done.code, done.err) == (0, "1 warning\n")
    assert "warning[default-source]" in done.out


def test_json_is_one_document(checkout: SpecText) -> None:
    """The fields of each finding are there, numbers as numbers, and nothing else is on stdout."""
    checkout.edit(*BROKEN)

    done = lint(checkout.root.parent, "--format", "json")

    (finding,) = json.loads(done.out)
    assert done.code == 1
    assert {"id": "unknown-field", "level": "error", "line": 35, "column": 5}.items() <= finding.items()
    assert finding["file"] == "spec/metrics/policy.yaml"
    assert finding.keys() == {"id", "level", "file", "line", "column", "message", "fix", "related", "notes", "follows"}


def test_json_of_a_clean_spec_is_an_empty_list(checkout: SpecText) -> None:
    """A reader of the JSON needs no special case for success."""
    assert json.loads(lint(checkout.root.parent, "--format", "json").out) == []


def test_github_annotations(checkout: SpecText) -> None:
    """Each finding becomes a workflow command with its place, and special characters are escaped."""
    checkout.edit(*BROKEN)
    checkout.edit("metrics/policy", "title: Policy", "title: 100% Policy\nallow: [{check: 'a,b%', reason: x}]")

    done = lint(checkout.root.parent, "--format", "github")

    first, second = done.out.splitlines()
    assert done.code == 1
    assert first.startswith("::error file=spec/metrics/policy.yaml,line=3,col=17,title=unknown-check::`a,b%25` is not")
    assert second.startswith("::error file=spec/metrics/policy.yaml,line=36,col=5,title=unknown-field::`rnge` is not")


def test_an_overlay_is_checked_too(checkout: SpecText) -> None:
    """`--spec DIR` adds an overlay, whose faults are found in its own files."""
    folder = checkout.root.parent / "mine" / "metrics"
    folder.mkdir(parents=True)
    (folder / "timing.yaml").write_text("metrics:\n  timing/step: {}\n", encoding="utf-8")

    done = lint(checkout.root.parent, "--spec", "mine")

    assert done.code == 1
    assert done.out.startswith("error[overlay-conflict]")
    assert "--> mine/metrics/timing.yaml:2:3" in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--spec", "nowhere"], "nowhere: no such folder"), (["--format", "xml"], "xml")],
)
def test_bad_arguments_exit_with_2(checkout: SpecText, arguments: list[str], says: str) -> None:
    """A wrong option or folder gives one line on stderr, and nothing on stdout."""
    done = lint(checkout.root.parent, *arguments)

    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_outside_a_checkout_it_exits_with_2(tmp_path: Path) -> None:
    """Without a spec there is nothing to check, which is said in one line."""
    done = lint(tmp_path)

    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "no checkout here" in done.err
