"""A kind of log is one module and one line, as the contributor's guide says, in a fresh copy."""

from __future__ import annotations

import json
from graphlib import TopologicalSorter
from pathlib import Path

from docs.walk_through import GUIDE, changed, clone_to, commit, edit, named, run, steps
from folders import ROOT
from repository.imports import edges, modules
from rlmetrics.translate import kinds

MODULE = "adapters/rlmetrics/translate/kinds/clearml.py"
SCALARS = {
    "actor": {"ppo_kl": {"x": [1, 2], "y": [0.25, 0.5]}, "lr(1e-4)": {"x": [1, 2], "y": [0.5, 0.25]}},
    "critic": {"score/mean": {"x": [1, 2], "y": [1e-3, 2e-3]}},
    "epoch": {"epoch": {"x": [2], "y": [1]}},
}


def test_a_kind_is_added_as_the_guide_says(tmp_path: Path) -> None:
    """What the module and its line bring: names, values, detection, checks and help, with no other file changed."""
    clone, page = clone_to(tmp_path / "rlmetrics"), steps(GUIDE, "add-a-tracker")
    log, out = tmp_path / "scalars.json", tmp_path / "out.json"
    log.write_text(json.dumps(SCALARS))
    translate = f"rlmetrics translate {log} -o {out} --force --json"
    commit(clone)
    before = run(clone, f"{translate} --from verl==0.1 --to verl==0.9.1")
    assert "clearml" not in before.stdout

    (clone / MODULE).write_text(page["module"], encoding="utf-8")
    registry = edit(clone, page["edit"])

    assert named("A tracker kind", "Files") == changed(clone) == sorted([MODULE, registry])
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
    assert "clearml" in run(clone, "rlmetrics translate --help").stdout
    strict = run(clone, "python -m mypy --follow-imports=silent adapters/rlmetrics/translate/kinds/clearml.py")
    assert strict.returncode == 0, strict.stdout


def test_every_module_of_a_kind_is_named_once() -> None:
    """The line is all that a module needs, so none is forgotten, and no kind imports the registry of kinds."""
    folder = ROOT / "adapters/rlmetrics/translate/kinds"
    there = {path.stem for path in folder.iterdir() if path.stem not in ("__init__", "__pycache__")}
    assert there == {name.replace("-", "_") for name in kinds.KINDS}
    imported = edges(modules())
    imported[kinds.__name__] |= {f"{kinds.__name__}.{name}" for name in there}
    TopologicalSorter(imported).prepare()
