"""The next release of TRL, made up, is added to a clone command by command, as the page on maintenance says."""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.codegen.locks.fetch import archive_of, open_release

CACHE = ROOT / ".cache" / "wheels"
STEP = re.compile(r"<!-- next-release: (?P<step>\w+) -->\n```\w+\n(?P<text>.*?)^```$", re.S | re.M)
LAST, NEXT = "1.16.0", "1.17.0"
WHEEL = f"trl-{NEXT}-py3-none-any.whl"
TRAINER = "spec/frameworks/trl/grpo_trainer.yaml"
CHANGES = {
    "trl/trainer/grpo_trainer.py": (
        ('self._metrics["train"]["step_time"]', 'self._metrics["train"]["seconds_per_step"]'),
        (
            '["entropy"].append(global_masked_mean(entropies))',
            '["entropy"].append(self.accelerator.gather(masked_seq_mean(entropies)).mean().item())',
        ),
    ),
    "trl/trainer/grpo_config.py": (
        ("    beta: float = field(\n        default=0.0,", "    beta: float = field(\n        default=0.1,"),
    ),
}
"""A key with another name, a reduction that became another one, and a default with another value."""
BEFORE = {
    "keys": ["keys", "--at", f"trl[GRPOTrainer]=={LAST}", "--json"],
    "keys of an heir": ["keys", "--at", f"trl[GMPOTrainer]=={LAST}", "--json"],
    "step_time": ["resolve", "step_time", "--at", f"trl[GRPOTrainer]=={LAST}", "--json"],
    "entropy": ["resolve", "entropy", "--at", f"trl[GRPOTrainer]=={LAST}", "--json"],
    "map": ["map", "--from", "trl[GRPOTrainer]==1.9.0", "--to", f"trl[GRPOTrainer]=={LAST}", "--json"],
    "diff": ["diff", "--from", "trl[GRPOTrainer]==0.18.2", "--to", f"trl[GRPOTrainer]=={LAST}"],
}
"""Questions about releases that are described already."""


@dataclass
class Clone:
    """A clone of the working tree, in which commands run.

    Attributes:
        folder: Where it is.
    """

    folder: Path

    def rlmetrics(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command with the clone's own modules."""
        return subprocess.run(
            [sys.executable, "-m", "rlmetrics.cli", *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder / "adapters")},
            capture_output=True,
            text=True,
            check=False,
        )

    def follow(self, lines: str) -> list[subprocess.CompletedProcess[str]]:
        """Run the commands of a block of the page."""
        return [self.rlmetrics(*shlex.split(line)[1:]) for line in lines.splitlines()]


@pytest.fixture(scope="module")
def steps() -> dict[str, list[str]]:
    """The blocks of the example, by step."""
    found: dict[str, list[str]] = {}
    for match in STEP.finditer((ROOT / "docs" / "maintenance.md").read_text(encoding="utf-8")):
        found.setdefault(match["step"], []).append(match["text"])
    return found


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """What a clone holds, the last release's wheel, and the wheel of the next one."""
    target = tmp_path_factory.mktemp("clone") / "rlmetrics"
    folders = ("spec", "generated", "adapters", "codegen", "docs", "tests")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "pyproject.toml", *folders],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    open_release("trl", LAST, None, CACHE)  # pip fetches its wheel once
    archive = archive_of("trl", LAST, CACHE)
    assert archive is not None
    (target / ".cache" / "wheels").mkdir(parents=True)
    shutil.copy(archive, target / ".cache" / "wheels")
    _patch(archive, target / WHEEL)
    return Clone(target)


def _patch(archive: Path, path: Path) -> None:
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            for before, after in CHANGES.get(name, ()):
                assert text.count(before.encode()) == 1, f"{name} says {before} no more; the example changes with TRL"
                text = text.replace(before.encode(), after.encode())
            new.writestr(
                name.replace(LAST, NEXT), text.replace(f"\nVersion: {LAST}\n".encode(), b"\nVersion: 1.17.0\n")
            )


def _edited(text: str, blocks: list[str]) -> str:
    """Make edits, each of which the page shows as lines that stay, go and come."""
    for block in blocks:
        lines = block.splitlines()
        before = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        after = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        assert text.count(before) == 1, f"the file does not say once:\n{before}"
        text = text.replace(before, after)
    return text


def _changed(before: dict[str, str], after: dict[str, str]) -> int:
    """Lines of YAML that went or came, without blank lines and those that are nothing but a comment."""
    lines = [
        line
        for name in before
        for line in difflib.ndiff(before[name].splitlines(), after[name].splitlines())
        if line[:2] in ("- ", "+ ")
    ]
    return sum(bool(line[2:].strip()) and not line[2:].lstrip().startswith("#") for line in lines)


def _yaml(clone: Clone) -> dict[str, str]:
    return {str(path): path.read_text(encoding="utf-8") for path in sorted((clone.folder / "spec").rglob("*.yaml"))}


def _items(said: str) -> dict[str, str]:
    """Items that are open, as the terminal shows them: name to kind, or to the changed function."""
    found = re.finditer(r"^  (?P<id>[er]\d+) +(?P<what>\S.*)$", said, re.M)
    return {match["id"]: " ".join(match["what"].split()) for match in found}


def test_the_next_release_is_added_as_the_page_says(clone: Clone, steps: dict[str, list[str]]) -> None:
    """Items, edits, proofs and answers: under 15 lines of YAML."""
    old = {name: clone.rlmetrics(*words).stdout for name, words in BEFORE.items()}
    assert all(old.values())

    (added,) = clone.follow(steps["add"][0])
    assert added.returncode == 1, added.stdout + added.stderr
    items = _items(added.stdout)
    assert sorted(items) == ["e1", "e2", "e3", "r1", "r2", "r3"]
    assert items["e1"] == "anchor lost entropy.append in GRPOTrainer._compute_loss -> 1 key"
    assert items["e2"] == "anchor lost step_time.append in GRPOTrainer.training_step -> 1 key"
    assert items["e3"].startswith("renamed key step_time -> seconds_per_step of GRPOTrainer")
    assert items["r1"].startswith("beta 0.0 -> 0.1 (GRPOConfig), which the locks take over")
    assert items["r2"].startswith("GRPOTrainer._compute_loss, 2 lines")
    assert items["r3"].startswith("GRPOTrainer.training_step, 2 lines")
    for proposed in (*steps["prove"][0].splitlines()[:2], "renamed: {seconds_per_step: {releases: 1.17.0..}}"):
        assert proposed.partition(" --wheel")[0] in added.stdout
    refused = clone.rlmetrics("release", "confirm", "e3", "--why", "nothing of importance changed")
    assert (refused.returncode, refused.stderr.count("nothing but an edit closes it")) == (2, 1), refused.stderr

    # What was taken without an edit closes the lost anchors alone: the code is open until an edit or a reason is there.
    *_, taken = [clone.rlmetrics(*line.removeprefix("rlmetrics ").split()) for line in steps["prove"][0].splitlines()]
    assert sorted(_items(taken.stdout)) == ["e3", "r1", "r2", "r3"], taken.stdout + taken.stderr
    assert clone.rlmetrics("release", "confirm", "r2", "--why", "fine").returncode == 2
    (confirmed,) = clone.follow(steps["confirm"][0])
    assert confirmed.stdout.startswith("r1 is closed; 3 items"), confirmed.stderr

    before = _yaml(clone)  # with the row that the command wrote of the release
    path = clone.folder / TRAINER
    path.write_text(_edited(path.read_text(encoding="utf-8"), steps["edit"]), encoding="utf-8")
    assert _changed(before, _yaml(clone)) == 2 < 15

    *anchored, again = clone.follow(steps["prove"][0])
    assert [done.returncode for done in anchored] == [0, 0]
    assert (again.returncode, _items(again.stdout)) == (0, {}), again.stdout + again.stderr
    assert f"trl {NEXT} is added; nothing is open." in again.stdout
    assert not (clone.folder / "spec/locks/trl/news.json").exists()

    linted, generated, resolved, explained, mapped = clone.follow(steps["look"][0])
    assert linted.returncode == 0, linted.stdout
    assert "error[" not in linted.stderr + linted.stdout
    # Verdicts on what means the same are kept: new are those on `entropy`, and on what the default of beta decides.
    unjudged = linted.stdout.count("was not judged")
    assert unjudged < 60, unjudged
    # That a translated guide waits for its turn is nothing that a release does.
    assert set(re.findall(r"warning\[(.*?)\]", linted.stderr + linted.stdout)) <= {"stale-guide"}
    assert generated.returncode == 0, generated.stdout + generated.stderr

    assert resolved.stdout.startswith("Wall time of one training step."), resolved.stdout
    assert re.search(r"^source +trl/trainer/grpo_trainer\.py:1517\b", resolved.stdout, re.M), resolved.stdout
    assert re.search(r"^over token +mean +:\d+ +:3270$", explained.stdout, re.M), explained.stdout
    assert re.search(r"^over sequence +mean +:\d+ +:3270$", explained.stdout, re.M), explained.stdout
    rows = {row["from"]: row for row in json.loads(mapped.stdout)}
    assert (rows["step_time"]["relation"], rows["step_time"]["to"]) == ("exact", "seconds_per_step")
    assert (rows["entropy"]["relation"], rows["entropy"]["to"]) == ("approximate", "entropy")
    # With its new default, beta has a penalty logged in this loss.
    assert (rows["policy_loss"]["relation"], rows["policy_loss"]["to"]) == ("related", None)
    others = {key for key, row in rows.items() if row["relation"] != "exact"}
    assert others == {"entropy", "eval_entropy", "policy_loss", "eval_policy_loss"}
    for name, words in BEFORE.items():
        later = clone.rlmetrics(*words).stdout.splitlines()
        assert [line for line in later if line not in old[name].splitlines()] == [], name
        assert len(later) == len(old[name].splitlines()), name
