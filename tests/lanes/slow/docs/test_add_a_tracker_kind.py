"""A kind of log is a module that reads, one that writes and two lines, as the guide says, in a fresh copy."""

from __future__ import annotations

import json
from graphlib import TopologicalSorter
from pathlib import Path

from docs.walk_through import GUIDE, changed, clone_to, commit, edit, named, run, steps
from folders import ROOT
from repository.imports import edges, modules
from rlmetrics.logs import kinds

MODULE = "adapters/rlmetrics/logs/kinds/clearml.py"
REWRITER = "adapters/rlmetrics/translate/rewriting/clearml_rewriter.py"
SCALARS = {
    "actor": {"ppo_kl": {"x": [1, 2], "y": [0.25, 0.5]}, "lr(1e-4)": {"x": [1, 2], "y": [0.5, 0.25]}},
    "critic": {"score/mean": {"x": [1, 2], "y": [1e-3, 2e-3]}},
    "epoch": {"epoch": {"x": [2], "y": [1]}},
}


def test_a_kind_is_added_as_the_guide_says(tmp_path: Path) -> None:
    """What the modules and their lines bring: names, values, detection, checks and help, with no other file changed."""
    clone, page = clone_to(tmp_path / "rlmetrics"), steps(GUIDE, "add-a-tracker")
    log, out = tmp_path / "scalars.json", tmp_path / "out.json"
    log.write_text(json.dumps(SCALARS))
    translate = f"rlmetrics translate {log} -o {out} --force --json"
    commit(clone)
    before = run(clone, f"{translate} --from verl==0.1 --to verl==0.9.1")
    assert "clearml" not in before.stdout

    (clone / MODULE).write_text(page["module"], encoding="utf-8")
    (clone / REWRITER).write_text(page["rewriter"], encoding="utf-8")
    registries = edit(clone, page["edit"]), edit(clone, page["line"])

    assert named("A tracker kind", "Files") == changed(clone) == sorted([MODULE, REWRITER, *registries])
    for registry in registries:
        assert "1\t0" in run(clone, f"git diff --numstat -- {registry}").stdout
    done = run(clone, f"{translate} --from verl==0.1 --to verl==0.9.1")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["kind"], report["records"]) == ("clearml", 7)
    written = json.loads(out.read_text())
    assert set(written["actor"]) == {"ppo_kl", "lr"}
    assert written["actor"]["lr"]["y"] == [5e-5, 2.5e-5]
    assert SCALARS["epoch"] == written["epoch"]
    back = run(clone, f"rlmetrics translate {out} -o {log} --force --from verl==0.9.1 --to verl==0.1")
    assert back.returncode == 0, back.stderr
    assert json.loads(log.read_text()) == SCALARS
    guessed = run(clone, f"{translate} --to canonical")
    assert json.loads(guessed.stdout)["from"].startswith("verl=="), guessed.stderr
    judged = run(clone, f"rlmetrics check {log} --at verl==0.1 --json")
    assert str(log) == json.loads(judged.stdout)["run"], judged.stderr
    run(clone, "python tests/programs/manual_pages.py")
    assert "clearml" in run(clone, "rlmetrics translate --help").stdout
    assert named("A tracker kind", "Generated") == sorted({*changed(clone)} - {MODULE, REWRITER, *registries})
    strict = run(clone, f"python -m mypy --follow-imports=silent {MODULE} {REWRITER}")
    assert strict.returncode == 0, strict.stdout


def test_every_module_of_a_kind_is_named_once() -> None:
    """A line is all that a module needs, so none is forgotten, and no kind imports the registry of kinds."""
    folder = ROOT / "adapters/rlmetrics/logs/kinds"
    there = {path.stem for path in folder.iterdir() if path.stem not in ("__init__", "__pycache__")}
    assert there == {name.replace("-", "_") for name in kinds.KINDS}
    imported = edges(modules())
    imported[kinds.__name__] |= {f"{kinds.__name__}.{name}" for name in there}
    TopologicalSorter(imported).prepare()
