"""Did what proves a key change between two states of a framework's source? On real git clones of a small package."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from rlmetrics.cli.main import main

TRAINER = """
class GRPOTrainer:
    def _compute_loss(self, model, inputs):
        per_token_kl = torch.exp(ref - new) - (ref - new) - 1
        unrelated = 1
        self._metrics[mode]["kl"].append({kl})
        return unrelated

    def log(self, logs):
        {log}
"""
RELEASE = "1.16.0"
MEAN, SUM = "per_token_kl.mean()", "per_token_kl.sum()"


def _write(folder: Path, kl: str = MEAN, log: str = "super().log(logs)") -> Path:
    path = folder / "trl" / "trainer" / "grpo_trainer.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    (folder / "trl" / "__init__.py").touch()
    path.write_text(TRAINER.format(kl=kl, log=log), encoding="utf-8")
    return folder


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with three commits: a first state, one that changes a proof, one that changes nothing of it."""
    folder = tmp_path / "clone"
    _write(folder)
    _git(folder, "init", "-q")
    for name, kl, extra in (("first", MEAN, ""), ("second", SUM, ""), ("third", SUM, "x = 1\n")):
        _write(folder, kl)
        (folder / "trl" / "other.py").write_text(extra, encoding="utf-8")
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "-m", f"The {name} state")
        _git(folder, "tag", name)
    return folder


def _diff(capsys: pytest.CaptureFixture[str], old: str, new: str, *options: str) -> tuple[int, str, str]:
    code = main(
        ["diff", "kl", "--from", f"trl[grpo]=={RELEASE}@{old}", "--to", f"trl[grpo]=={RELEASE}@{new}", *options]
    )
    out, err = capsys.readouterr()
    return code, out, err


def test_the_commit_that_touched_a_proof_is_named(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the commits between two states those that changed a function that proves the key, and no other."""
    code, out, _ = _diff(capsys, f"{clone}@first", f"{clone}@third", "--json")
    (told,) = json.loads(out)
    changed = {proof["symbol"]: proof for proof in told["proofs"] if proof["change"] == "changed"}
    assert code == 0
    assert told["touched"] is True
    assert [*changed] == ["GRPOTrainer._compute_loss"]
    assert [commit["subject"] for commit in changed["GRPOTrainer._compute_loss"]["commits"]] == ["The second state"]
    assert any("per_token_kl.sum()" in line for line in changed["GRPOTrainer._compute_loss"]["diff"])


def test_folders_that_say_the_same_touch_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Layout and comments are no change."""
    old, new = _write(tmp_path / "old"), _write(tmp_path / "new")
    source = new / "trl" / "trainer" / "grpo_trainer.py"
    source.write_text(f"# a comment\n{source.read_text(encoding='utf-8')}", encoding="utf-8")
    code, out, _ = _diff(capsys, str(old), str(new))
    assert code == 0
    assert "nothing that proves it changed" in " ".join(out.split())


def test_a_folder_and_a_commit_can_be_compared(clone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the two sides are; commits are named only within one clone."""
    _, out, _ = _diff(capsys, str(_write(tmp_path / "old")), f"{clone}@third", "--json")
    (told,) = json.loads(out)
    assert told["touched"] is True
    assert not [commit for proof in told["proofs"] for commit in proof["commits"]]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("{clone}@nowhere", "{clone}@first", "name a branch, tag or commit of this clone"),
        ("/no/such/place", "{clone}@first", "name a wheel, a source archive or a source folder"),
    ],
)
def test_a_place_that_is_not_there_is_refused(
    old: str, new: str, said: str, clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line that says what to write instead, and exit code 2."""
    code, out, err = _diff(capsys, old.format(clone=clone), new.format(clone=clone))
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
