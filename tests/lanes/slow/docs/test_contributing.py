"""The walk-throughs of the contributor's guide, followed in fresh copies: they work, and name every file they touch."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from docs.walk_through import GUIDE, blocks, changed, clone_to, commit, edit, named, run, steps

TABLE = """
from rlmetrics.codegen.generate.templating import template
from rlmetrics.codegen.lint import CHECKS

print(template("reference_checks.md.j2").render(source="", checks=CHECKS))
"""
"""Prints the page of checks as the site has it."""


def test_a_lint_check_is_added_as_the_guide_says(tmp_path: Path) -> None:
    """The check finds a planted fault of the real spec at its line, its case passes, and no third file is touched."""
    clone, mark = clone_to(tmp_path / "rlmetrics"), "add-a-check"
    commit(clone)

    for step, text in blocks(GUIDE, mark):
        if step == "edit":
            edit(clone, text)
    ran = run(clone, steps(GUIDE, mark)["run"])

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("... ")  # what it finds, what it leaves alone, and that it has a case
    assert "brief-end" not in ran.stdout
    assert named("A lint check", "Files") == changed(clone)
    assert '<span id="brief-end">`brief-end`</span> | warning |' in run(clone, f"python -c '{TABLE}'").stdout

    family = clone / "spec" / "metrics" / "kl.yaml"
    text = family.read_text(encoding="utf-8")
    found = re.search(r"^    brief: [^\n]*\.$", text, re.M)
    assert found is not None
    family.write_text(text[: found.end() - 1] + text[found.end() :], encoding="utf-8")
    line = text[: found.start()].count("\n") + 1
    linted = run(clone, "rlmetrics lint --format short")
    assert f"spec/metrics/kl.yaml:{line}:5: warning[brief-end]: the brief of `kl/" in linted.stdout


def test_a_wrong_relation_is_mended_as_the_guide_says(tmp_path: Path) -> None:
    """A mend that was made is unmade and made again: the answer is right, and the repository as it was."""
    clone, mark = clone_to(tmp_path / "rlmetrics"), "mend-a-relation"
    commit(clone)
    edits = [text for step, text in blocks(GUIDE, mark) if step == "edit"]
    page = steps(GUIDE, mark)
    right = run(clone, page["see"]).stdout

    for text in edits:
        edit(clone, text, undo=True)
    made = run(clone, page["generate"])
    assert made.returncode == 0, made.stdout + made.stderr
    generated = [name for name in changed(clone) if name not in named("A wrong relation", "Files")]
    assert generated
    for name in generated:
        assert any(name.startswith(prefix) for prefix in named("A wrong relation", "Generated")), name
    assert {*changed(clone)} - {*generated} == {*named("A wrong relation", "Files")}

    wrong = run(clone, page["see"]).stdout
    assert "0 is logged, and averaged with the rest" in " ".join(wrong.split())
    found = run(clone, page["find"]).stdout
    text = (clone / "spec/frameworks/trl/gmpo_trainer.yaml").read_text(encoding="utf-8")
    (fact,) = (line.removeprefix("-") for line in edits[0].splitlines() if line.startswith("-"))
    line = text.splitlines().index(fact) + 1
    assert re.search(rf"^traits +zero_when_empty.* :{line} ", found, re.M), found

    assert named("A wrong relation", "Files") == sorted(edit(clone, text) for text in edits)
    made = run(clone, page["generate"])
    assert made.returncode == 0, made.stdout + made.stderr
    assert right == run(clone, page["see"]).stdout
    assert wrong != right
    tests = run(clone, page["run"])
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert changed(clone) == []


def test_a_reduction_level_is_added_as_the_guide_says(tmp_path: Path) -> None:
    """A row and its translations: lint takes the level, answers say it, relations and severities know it."""
    clone, mark = clone_to(tmp_path / "rlmetrics"), "add-a-level"
    commit(clone)
    page = steps(GUIDE, mark)
    overlay = clone / "mine" / "frameworks" / "trl" / "grpo_trainer.yaml"
    overlay.parent.mkdir(parents=True)
    overlay.write_text(page["overlay"], encoding="utf-8")
    unknown = run(clone, page["see"].splitlines()[0])
    assert "there is no level of reduction `turn`" in unknown.stderr
    commit(clone)

    for step, text in blocks(GUIDE, mark):
        if step == "edit":
            edit(clone, text)
    assert named("A reduction level", "Files") == changed(clone)
    made = run(clone, page["generate"])
    assert made.returncode == 0, made.stdout + made.stderr
    assert not re.search(r"error|warning|of signatures", made.stdout), made.stdout
    generated = {*changed(clone)} - {*named("A reduction level", "Files")}
    for name in generated:
        assert any(name.startswith(prefix) for prefix in named("A reduction level", "Generated")), name
    assert "codegen/rlmetrics/codegen/schema/component.json" in generated

    seen = run(clone, page["see"])
    assert seen.returncode == 0, seen.stderr
    said = " ".join(seen.stdout.split())
    assert re.search(
        "a response of all processes at once, then plain mean over turns, then one plain mean over", said
    ), said
    assert "≈ turns: plain mean in 1.16.0, all at once in 1.15.0: same if every response is one turn" in said


ALONE = {
    "A kind of slot": ("add-a-slot", "[100%]"),
    "A rule of health": ("add-a-rule", "[100%]"),
    "A command": ("add-a-command", "441"),
}
"""Walk-throughs that need nothing but their own commands: their heading, their mark, and what the commands print."""


@pytest.mark.parametrize("heading", ALONE)
def test_a_walk_through_touches_what_it_names(heading: str, tmp_path: Path) -> None:
    """Its edits are of the files that it names, its commands succeed, and they write only what it says."""
    clone = clone_to(tmp_path / "rlmetrics")
    mark, printed = ALONE[heading]
    commit(clone)
    page, files = steps(GUIDE, mark), named(heading, "Files")
    if "module" in page:
        (new,) = (name for name in files if not (clone / name).exists())
        (clone / new).write_text(page["module"], encoding="utf-8")
    for step, text in blocks(GUIDE, mark):
        if step == "edit":
            edit(clone, text)
    assert files == changed(clone)

    ran = run(clone, page["run"])
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert printed in ran.stdout
    assert not re.search(r"error|warning|of health", ran.stdout), ran.stdout
    generated = {*changed(clone)} - {*files}
    said = named(heading, "Generated") if generated else []
    assert generated == {*said}
    style = run(
        clone, f"{Path(sys.executable).parent}/ruff check {' '.join(name for name in files if name.endswith('.py'))}"
    )
    assert style.returncode == 0, style.stdout
