"""Overlays that are found without being named, and kept so that they are read once."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
import rlmetrics
from rlmetrics import overlay_places
from rlmetrics.cli.main import main
from rlmetrics.names import load_tables, releases
from rlmetrics.names.tables import loading, overlays

FRAMEWORK = """\
framework: mine
title: Mine
package: mine
brief: Ours.
releases: [{release: 1.0.0, date: '2026-01-01'}]
"""
TRAINER = """\
title: MineTrainer
brief: The loop.
components: [{name: MineTrainer, releases: 1.0.0.., module: mine.trainer}]
tracking: [{route: direct, enable: nothing, x_axis: step}]
keys:
  loss/kl: {metric: kl/reference/k3, as_defined: true}
"""


def write(folder: Path) -> Path:
    """Write an overlay."""
    place = folder / "frameworks" / "mine"
    place.mkdir(parents=True)
    (place / "framework.yaml").write_text(FRAMEWORK, encoding="utf-8")
    (place / "trainer.yaml").write_text(TRAINER, encoding="utf-8")
    return folder


@pytest.fixture
def overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An overlay, with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(overlay_places, "_declared", None)
    loading._with_overlays.cache_clear()
    return write(tmp_path / "overlay")


def test_the_variable_names_overlays(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, overlay: Path
) -> None:
    """For commands and for Python, ready answers included; `spec=()` is the spec alone."""
    assert main(["resolve", "loss/kl"]) == 0
    assert "No described release logs" in capsys.readouterr().out or "mine" not in capsys.readouterr().out
    monkeypatch.setenv("RLMETRICS_SPEC", os.pathsep.join(["", str(overlay)]))
    assert main(["resolve", "loss/kl", "--at", "mine"]) == 0
    assert "low-variance k3" in capsys.readouterr().out
    assert [item.release for item in releases("mine")] == ["1.0.0"]
    assert "mine" not in load_tables(()).frameworks


class WaitingTerminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def test_reading_an_overlay_is_told_where_somebody_waits(monkeypatch: pytest.MonkeyPatch, overlay: Path) -> None:
    """In one line of a terminal, the first time; what is kept is read at once, and nothing is said."""
    for said in ([f"reading {overlay} and the spec; what they say is kept for next time"], []):
        terminal = WaitingTerminal()
        monkeypatch.setattr("sys.stderr", terminal)
        loading._with_overlays.cache_clear()
        assert "mine" in load_tables([overlay]).frameworks
        assert terminal.getvalue().splitlines() == said


def test_a_folder_that_is_not_there_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, overlay: Path
) -> None:
    """Which says who named it."""
    monkeypatch.setenv("RLMETRICS_SPEC", str(overlay / "nowhere"))
    assert main(["resolve", "kl"]) == 2
    assert "nowhere: no such folder; RLMETRICS_SPEC names folders" in capsys.readouterr().err


def test_a_package_brings_its_overlay(tmp_path: Path) -> None:
    """By an entry point, without being imported; once it is gone, so are its frameworks."""
    site = tmp_path / "site"
    (site / "mine_rl").mkdir(parents=True)
    (site / "mine_rl" / "__init__.py").write_text("raise RuntimeError", encoding="utf-8")
    write(site / "mine_rl" / "metrics")
    info = site / "mine_rl-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text("[rlmetrics.spec]\nmine = mine_rl.metrics\n", encoding="utf-8")
    code = "from rlmetrics.names import releases; print(*{item.framework for item in releases()})"

    def told() -> list[str]:
        path = os.pathsep.join([str(Path(rlmetrics.__file__).parents[1]), str(site)])
        env = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
        return done.stdout.split()

    assert "mine" in told()
    assert "mine" in told()
    (info / "entry_points.txt").unlink()
    info.rmdir()
    assert "mine" not in told()


def test_an_overlay_is_built_once(monkeypatch: pytest.MonkeyPatch, overlay: Path) -> None:
    """What was built is read by the next process; after a change of a file, it is built anew."""
    built: list[object] = []
    build = overlays.overlaid

    def counted(folders: list[str]) -> dict[str, str]:
        built.append(folders)
        return build(folders)

    monkeypatch.setattr(overlays, "overlaid", counted)
    for _ in range(2):
        loading._with_overlays.cache_clear()
        assert [item.release for item in releases("mine", spec=overlay)] == ["1.0.0"]
    assert len(built) == 1
    file = overlay / "frameworks" / "mine" / "framework.yaml"
    file.write_text(FRAMEWORK.replace("1.0.0", "2.0.0"), encoding="utf-8")
    (file.parent / "trainer.yaml").write_text(TRAINER.replace("1.0.0", "2.0.0"), encoding="utf-8")
    loading._with_overlays.cache_clear()
    assert [item.release for item in releases("mine", spec=overlay)] == ["2.0.0"]
    assert len(built) == 2


def test_a_kept_overlay_costs_few_calls_more(monkeypatch: pytest.MonkeyPatch, overlay: Path) -> None:
    """An answer under it calls at most half as many functions again as one without."""
    source = "trl[PPOTrainer]==0.12.2"
    assert releases("mine", spec=overlay)

    def calls(spec: Path | tuple[()]) -> int:
        code = (
            "import sys; from rlmetrics.names import resolve; n = 0\n"
            "def count(frame, event, argument):\n    global n; n += event == 'call'\n"
            f"sys.setprofile(count); resolve('policy/approxkl_avg', {source!r}, spec={str(spec) if spec else ()!r})\n"
            "sys.setprofile(None); print(n)"
        )
        env = {**os.environ, "PYTHONPATH": str(Path(rlmetrics.__file__).parents[1])}
        done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=env)
        return int(done.stdout)

    assert calls(overlay) <= 1.5 * calls(())
