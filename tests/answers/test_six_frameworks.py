"""Answers with four more frameworks than two: each command works for them, in their order, and stays as short."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from answers.six_frameworks import TITLES, write
from rlmetrics.cli.main import main
from rlmetrics.names import map_names, releases
from rlmetrics.translate import Translator


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The overlay."""
    return str(write(tmp_path_factory.mktemp("six")))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A healthy run of one of them."""
    row = {"entropy": 1.0, "quartz/clip": 0.1, "length": 100, "grad_norm": 0.5, "lr": 1e-6, "time/quartz": 3.0}
    rows = [
        {
            "step": at,
            **row,
            "kl": 0.001 * at,
            "quartz/kl": 0.001 + 0.0001 * (at % 3),
            "reward": 0.01 * at,
            "quartz/reward_mean": 0.01 * at,
            "entropy": 1 - 0.001 * at,
        }
        for at in range(1, 40)
    ]
    path = tmp_path_factory.mktemp("log") / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def _said(capsys: pytest.CaptureFixture[str], six: str, *command: str) -> list[str]:
    assert main([*command, "--spec", six]) == 0
    return capsys.readouterr().out.splitlines()


def test_frameworks_stand_in_the_order_of_their_ranks(six: str) -> None:
    """Not of their names; those that are built on another one have ranks as well."""
    own = ["trl", "verl", "openrlhf", *TITLES]
    listed = [*dict.fromkeys(item.framework for item in releases(spec=six))]
    assert [name for name in listed if name in own] == own


@pytest.mark.parametrize("key", ["kl", "entropy", "reward", "loss", "grad_norm"])
def test_the_meanings_of_a_key_stay_on_a_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], six: str, key: str
) -> None:
    """However many frameworks log it: the first two are named, the others counted."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = _said(capsys, six, "resolve", key)
    assert len(lines) <= 34
    assert max(map(len, lines)) <= 80
    if key in ("kl", "entropy"):
        assert f"in TRL, {'OpenRLHF and 4' if key == 'kl' else 'Quartz and 3'} more frameworks." in " ".join(lines[:2])


def test_the_first_meaning_is_that_of_the_first_framework(capsys: pytest.CaptureFixture[str], six: str) -> None:
    """What one more framework logs under a name does not change what it is taken for first."""
    lines = _said(capsys, six, "resolve", "kl")
    assert lines[3].split("  ")[1].startswith("policy now vs reference, per")
    assert any("verl has no plain `kl`" in line for line in lines)


def test_show_names_each_framework_by_its_title(capsys: pytest.CaptureFixture[str], six: str) -> None:
    """In order, with its key."""
    lines = _said(capsys, six, "show", "kl/reference/k3")
    assert len(lines) <= 50
    begins = [next(at for at, line in enumerate(lines) if line.startswith(f"  {title} ")) for title in TITLES.values()]
    assert begins == sorted(begins)


@pytest.mark.parametrize("target", ["trl[GRPOTrainer]==1.16.0", "verl==0.9.1", "agate==1.0.0", "canonical"])
def test_names_are_carried_both_ways(six: str, target: str) -> None:
    """Into each framework, and back."""
    there = Translator("quartz==1.0.0", target, spec=six).row({"entropy": 1.0, "quartz/clip": 0.1})
    assert len(there) == 2
    assert Translator(target, "quartz==1.0.0", spec=six).row(there) == {"entropy": 1.0, "quartz/clip": 0.1}


def test_of_two_keys_that_are_equally_good_one_is_preferred(six: str) -> None:
    """`preferred: true` says which; a sign that is turned comes along."""
    found = map_names("verl==0.9.1", "basalt==1.0.0", spec=six)
    assert found.translate("critic/score/mean").target == "reward"
    turned = found.translate("actor/ppo_kl")
    assert turned.target == "basalt/kl"
    assert turned.row is not None
    assert turned.row.transform is not None
    assert turned.row.transform(1.0) == -1.0


def test_a_log_is_recognised_and_judged(capsys: pytest.CaptureFixture[str], six: str, log: str) -> None:
    """By its keys; the framework goes by its title."""
    lines = _said(capsys, six, "check", log)
    assert any(line.startswith("Quartz QuartzTrainer 1.0.0 · 39 rows") for line in lines)
    assert len(lines) <= 24


@pytest.mark.parametrize(
    "command",
    [
        ["keys", "--at", "granite-rl==1.0.0"],
        ["releases", "agate"],
        ["diff", "--from", "quartz==0.9.0", "--to", "quartz==1.0.0"],
        ["map", "--from", "quartz==1.0.0", "--to", "agate==1.0.0"],
        ["resolve", "reward", "--at", "granite-rl==1.0.0"],
    ],
    ids=lambda command: command[0],
)
def test_a_release_of_them_is_answered_on_a_screen(
    capsys: pytest.CaptureFixture[str], six: str, command: list[str]
) -> None:
    """As one of the others is, at 80 columns and 24 lines."""
    lines = _said(capsys, six, *command)
    assert lines
    assert len(lines) <= 24


def test_runs_are_translated_and_compared(
    capsys: pytest.CaptureFixture[str], six: str, log: str, tmp_path: Path
) -> None:
    """Files, too."""
    out = tmp_path / "out.jsonl"
    lines = _said(capsys, six, "translate", log, "--to", "verl==0.9.1", "-o", str(out))
    assert len(lines) <= 24
    assert "actor/kl_loss" in out.read_text(encoding="utf-8")
    assert len(_said(capsys, six, "compare", log, log)) <= 24
