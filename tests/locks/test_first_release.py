"""The first release of a framework that an overlay describes: read, locked, anchored, explained."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.cli import main
from rlmetrics.codegen.locks.fetch import open_release
from rlmetrics.codegen.locks.packages import PackageError
from rlmetrics.codegen.model.framework import PackageNames

CODE = """\
class Loop:
    def step(self, metrics, wandb):
        metrics["loss"] = metrics["sum"] / metrics["count"]
        wandb.log({"loss": metrics["loss"], "kl": 0.5})
"""
FRAMEWORK = """\
framework: tiny
title: Tiny
package: tiny-rl
imports: tinyrl
brief: A framework that nobody knows.
releases:
  - {release: '1.0', date: '2026-01-01'}
"""
TRAINER = """\
title: Loop
brief: The loop.
components: [{name: Loop, releases: '1.0', module: tinyrl.loop}]
tracking: [{route: direct, enable: nothing, x_axis: step}]
keys:
  loss: {metric: policy/loss}
"""


def _files() -> dict[str, str]:
    return {"tinyrl/__init__.py": "", "tinyrl/loop.py": CODE}


def _wheel(folder: Path, inside: str = "") -> Path:
    path = folder / "tiny_rl-1.0-cp399-cp399-manylinux1_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in _files().items():
            archive.writestr(f"{inside}{name}", text)
        archive.writestr("tiny_rl-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-rl\nVersion: 1.0\n")
    return path


def _folder(folder: Path) -> Path:
    place = folder / "checkout" / "src"
    for name, text in _files().items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return folder / "checkout"


def _sdist(folder: Path) -> Path:
    path = folder / "tiny_rl-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(_folder(folder), "tiny_rl-1.0")
    return path


@pytest.fixture
def overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An overlay with the framework, beside a small checkout."""
    place = tmp_path / "mine" / "frameworks" / "tiny"
    place.mkdir(parents=True)
    (place / "framework.yaml").write_text(FRAMEWORK, encoding="utf-8")
    (place / "trainer.yaml").write_text(TRAINER, encoding="utf-8")
    monkeypatch.chdir(ROOT)
    return tmp_path / "mine"


@pytest.mark.parametrize("inside", ["", "tiny_rl-1.0.data/purelib/"])
def test_code_is_found_wherever_a_wheel_lays_it(tmp_path: Path, inside: str) -> None:
    """Paths begin with the package, which is imported by another name than it is listed by."""
    names = PackageNames(package="tiny-rl", imports="tinyrl")
    package = open_release("tiny-rl", "1.0", _wheel(tmp_path, inside), of=names)
    assert (package.name, package.listed, sorted(package.texts)) == ("tinyrl", "tiny-rl", sorted(_files()))


def test_a_folder_and_a_source_archive_do_as_well(tmp_path: Path) -> None:
    """Given by hand, whatever folders stand around the package."""
    names = PackageNames(package="tiny-rl", imports="tinyrl")
    for place in (_folder(tmp_path), _sdist(tmp_path)):
        assert sorted(open_release("tiny-rl", "1.0", place, of=names).texts) == sorted(_files())


def test_a_wheel_without_the_package_is_refused(tmp_path: Path) -> None:
    """It says what the wheel has instead, and what to write."""
    with pytest.raises(
        PackageError, match=r"holds no package tiny_rl, but tinyrl; .* say .* what the package `imports`"
    ):
        open_release("tiny-rl", "1.0", _wheel(tmp_path))


def test_a_release_that_is_a_tag_is_asked_for_by_hand(tmp_path: Path) -> None:
    """Nothing is fetched from a repository; the tag is named."""
    names = PackageNames.model_validate(
        {"package": "tiny-rl", "imports": "tinyrl", "source": {"git": "https://example.com/tiny", "tag": "r{release}"}}
    )
    with pytest.raises(PackageError, match=r"tag of https://example.com/tiny.*check r1.0 out .*--source"):
        open_release("tiny-rl", "1.0", None, tmp_path, of=names)


def test_the_way_to_a_proof_is_open(overlay: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Audit, add, anchor, explain and lint, for a framework of an overlay and its first release."""
    wheel = _wheel(tmp_path, "tiny_rl-1.0.data/purelib/")
    options = ["--wheel", str(wheel), "--spec", str(overlay)]

    assert main(["audit", "tiny==1.0", "--json", *options]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [item["key"] for item in report["missing"]] == ["kl"]
    assert (report["matched"], report["not_understood"]) == (1, [])

    assert main(["release", "add", "tiny==1.0", "--json", *options]) == 1
    added = json.loads(capsys.readouterr().out)
    assert [(item["tier"], item["keys"]) for item in added["news"]] == [("edit", ["kl"])]
    assert sorted(path.name for path in (overlay / "locks" / "tiny").iterdir()) == [
        "framework.lock",
        "news.json",
        "trainer.lock",
    ]

    trainer = overlay / "frameworks" / "tiny" / "trainer.yaml"
    trainer.write_text(TRAINER.replace("policy/loss}", "policy/loss, at: [loss]}"), encoding="utf-8")
    assert main(["anchor", "add", "loss", "tiny==1.0", "tinyrl/loop.py:3", *options]) == 0
    assert "Loop.step, tinyrl/loop.py:3" in capsys.readouterr().out

    # A process of its own: this one has read the overlay as it was before.
    command = [sys.executable, "-m", "rlmetrics.cli", "explain", "loss", "--at", "tiny==1.0", "--json"]
    said = subprocess.run([*command, "--spec", str(overlay)], capture_output=True, text=True, check=True).stdout
    fields = {item["field"]: item for item in json.loads(said)}
    assert fields["metric"]["proof"] == ["tinyrl/loop.py:3"]
    assert str(trainer) in fields["metric"]["from"]
    assert fields["unreviewed"]["value"] == "population, reduction"

    main(["lint", "--format", "short", "--spec", str(overlay)])
    assert "tiny" not in capsys.readouterr().out
    shutil.rmtree(overlay / "locks")
    main(["lint", "--format", "short", "--spec", str(overlay)])
    (line,) = capsys.readouterr().out.splitlines()
    assert "there is no lock of `tiny`" in line
