"""Going backwards: a release older than all others is compared with the one after it, and listed before it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.cli import main

FRAMEWORK = """\
framework: tiny
title: Tiny
package: tinyrl
brief: A framework that nobody knows.
releases:
  - {release: 1.9.0, date: '2026-01-01'}
"""
TRAINER = """\
title: Loop
brief: The loop.
components: [{name: Loop, releases: '1.9.0', module: tinyrl.loop}]
tracking: [{route: direct, enable: nothing, x_axis: step}]
keys:
  loss: {metric: policy/loss, at: [loss]}
"""
CODE = """\
class Loop:
    def step(self, args, metrics, wandb):
        metrics["loss"] = metrics["sum"] / args.train.count
        wandb.log({"loss": metrics["loss"]})
"""


def _source(folder: Path, code: str) -> str:
    place = folder / "tinyrl"
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("", encoding="utf-8")
    (place / "loop.py").write_text(code, encoding="utf-8")
    return str(folder)


@pytest.fixture
def overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An overlay with a framework whose newest release is in the locks, with its anchor."""
    place = tmp_path / "mine" / "frameworks" / "tiny"
    place.mkdir(parents=True)
    (place / "framework.yaml").write_text(FRAMEWORK, encoding="utf-8")
    (place / "trainer.yaml").write_text(TRAINER, encoding="utf-8")
    monkeypatch.chdir(ROOT)
    options = ["--source", _source(tmp_path / "newest", CODE), "--spec", str(tmp_path / "mine")]
    main(["release", "add", "tiny==1.9.0", *options])
    assert main(["anchor", "add", "loss", "tiny==1.9.0", "tinyrl/loop.py:3", *options]) == 0
    assert main(["release", "add", "tiny==1.9.0", *options]) == 0
    return tmp_path / "mine"


def test_an_older_release_goes_before_the_others(
    overlay: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What differs from the release after it is asked, and locks and list are in order when it is answered."""
    trainer = overlay / "frameworks" / "tiny" / "trainer.yaml"
    trainer.write_text(TRAINER.replace("'1.9.0'", "1.8.0.."), encoding="utf-8")
    code = CODE.replace("args.train.count", "args.count")
    newest, older = str(tmp_path / "newest"), _source(tmp_path / "older", code)
    options = ["--source", older, "--base", newest, "--spec", str(overlay)]
    framework = overlay / "frameworks" / "tiny" / "framework.yaml"
    listed = "  - {release: 1.8.0, date: '2025-12-01'}\n"
    framework.write_text(FRAMEWORK.replace("releases:\n", f"releases:\n{listed}"), encoding="utf-8")
    capsys.readouterr()

    assert main(["release", "add", "tiny==1.8.0", "--json", *options]) == 1
    news = json.loads(capsys.readouterr().out)
    assert [item["kind"] for item in news["news"]] == ["anchor lost", "changed code"]
    assert main(["anchor", "add", "loss", "tiny==1.8.0", "tinyrl/loop.py:3", *options[:2], *options[4:]]) == 0
    why = ["--why", "a setting has another name, nothing else", "--framework", "tiny", "--spec", str(overlay)]
    assert main(["release", "confirm", "r1", *why]) == 1, "the lost anchor is asked until the release is added again"
    assert main(["release", "add", "tiny==1.8.0", *options]) == 0
    for lock in (overlay / "locks" / "tiny").glob("*.lock"):
        assert "\nreleases 1.8.0 1.9.0\n" in lock.read_text(encoding="utf-8")


def test_one_that_is_not_listed_is_listed_first(overlay: Path, tmp_path: Path) -> None:
    """Its row stands before that of the release which is newer."""
    options = ["--source", _source(tmp_path / "older", CODE), "--base", str(tmp_path / "newest")]
    main(["release", "add", "tiny==1.8.0", *options, "--spec", str(overlay)])
    rows = re.findall(r"release: ([\d.]+)", (overlay / "frameworks" / "tiny" / "framework.yaml").read_text())
    assert rows == ["1.8.0", "1.9.0"]


def test_one_between_others_has_to_be_listed(overlay: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing tells where it belongs, so nothing is written."""
    framework = overlay / "frameworks" / "tiny" / "framework.yaml"
    row = "  - {release: 1.0.0, date: '2025-01-01'}\n"
    framework.write_text(FRAMEWORK.replace("releases:\n", f"releases:\n{row}"), encoding="utf-8")
    before = framework.read_text(encoding="utf-8")
    source = _source(tmp_path / "between", CODE)
    assert main(["release", "add", "tiny==1.8.0", "--source", source, "--spec", str(overlay)]) == 2
    assert "tiny 1.8.0 lies between 1.0.0 and 1.9.0; list it in framework.yaml first" in capsys.readouterr().err
    assert framework.read_text(encoding="utf-8") == before


def test_an_anchor_of_an_older_release_is_no_matter_of_what_begins_later(
    overlay: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two components name the anchor; that of the newer one keeps its releases, and alone it is refused."""
    folder = overlay / "frameworks" / "tiny"
    heir = TRAINER.replace("Loop", "Later")
    (folder / "later.yaml").write_text(heir, encoding="utf-8")
    code = CODE + CODE.replace("Loop", "Later")
    newest = ["--source", _source(tmp_path / "both", code), "--spec", str(overlay)]
    assert main(["anchor", "add", "loss", "tiny==1.9.0", "tinyrl/loop.py:3", *newest]) == 0
    main(["release", "add", "tiny==1.9.0", *newest])
    lock = overlay / "locks" / "tiny" / "later.lock"
    before = lock.read_text(encoding="utf-8")
    assert "\nreleases 1.9.0\n" in before

    (folder / "trainer.yaml").write_text(TRAINER.replace("'1.9.0'", "1.8.0.."), encoding="utf-8")
    listed = "  - {release: 1.8.0, date: '2025-12-01'}\n"
    (folder / "framework.yaml").write_text(FRAMEWORK.replace("releases:\n", f"releases:\n{listed}"), encoding="utf-8")
    older = ["--source", _source(tmp_path / "older", CODE.replace("args.train.count", "args.count"))]
    main(["release", "add", "tiny==1.8.0", *older, "--base", str(tmp_path / "both"), "--spec", str(overlay)])
    assert main(["anchor", "add", "loss", "tiny==1.8.0", "tinyrl/loop.py:3", *older, "--spec", str(overlay)]) == 0
    assert lock.read_text(encoding="utf-8") == before
    capsys.readouterr()
    asked = ["anchor", "add", "loss", "tiny[later]==1.8.0", "tinyrl/loop.py:3", *older, "--spec", str(overlay)]
    assert main(asked) == 2
    assert "later does not describe tinyrl 1.8.0" in capsys.readouterr().err
    assert lock.read_text(encoding="utf-8") == before
