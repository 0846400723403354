"""A fictitious next release of TRL, from its wheel to a spec without open items, through the real commands."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from folders import ROOT
from rlmetrics.cli import main
from rlmetrics.codegen.lint import lint
from rlmetrics.codegen.locks.fetch import archive_of, open_release

CACHE = ROOT / ".cache" / "wheels"
TRAINER = "trl/trainer/grpo_trainer.py"
LAST = "1.16.0"


@pytest.fixture(scope="module")
def source() -> Mapping[str, str]:
    """The newest described release; pip fetches its wheel once."""
    return open_release("trl", LAST, None, CACHE).texts


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the spec with its locks, in which the commands run."""
    shutil.copytree(ROOT / "spec", tmp_path / "spec")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _wheel(folder: Path, source: Mapping[str, str], edits: Mapping[str, tuple[tuple[str, str], ...]]) -> Path:
    """Write the wheel of trl 1.17.0: the newest release with some texts replaced, each of which occurs in it."""
    path = folder / "trl-1.17.0-py3-none-any.whl"
    archive = archive_of("trl", LAST, CACHE)
    assert archive is not None
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            text = old.read(name)
            for before, after in edits.get(name, ()):
                assert before in source[name], f"{name} says {before} no more; the test has to change with TRL"
                text = text.replace(before.encode(), after.encode())
            new.writestr(name, text)
    return path


def _add(wheel: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, object]]:
    code = main(["release", "add", "trl==1.17.0", "--wheel", str(wheel), "--cache", str(CACHE), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_release_that_changes_nothing_is_added_at_once(
    checkout: Path, source: Mapping[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A comment at the top of every trainer moves all anchors; all are found, and open ranges go on by themselves."""
    head = "# limitations under the License.\n"
    paths = [path for path, text in source.items() if path.startswith("trl/trainer/") and head in text]
    edits = dict.fromkeys(paths, ((head, f"{head}# More.\n"),))
    code, found = _add(_wheel(tmp_path, source, edits), capsys)
    assert (code, found["open"], found["news"]) == (0, 0, [])
    assert found["anchors"]["moved"] > 100  # type: ignore[index]
    assert "trl 1.17.0 " in (checkout / "spec/locks/trl/dates.lock").read_text()
    assert "1.17.0" in (checkout / "spec/locks/trl/grpo_trainer.lock").read_text()
    proofs = {"unproven", "default-differs", "default-repeated", "anchor-repeated"}
    assert [finding for finding in lint(checkout / "spec") if finding.id in proofs] == []


def test_changes_are_items_that_want_an_edit_or_a_reason(
    checkout: Path, source: Mapping[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A new key and a changed reduction are closed by edits alone; a default and code by a reason that is kept."""
    symbol = _default_of("beta", source)
    entropy = '        self._metrics[mode]["entropy"].append(global_masked_mean(entropies))\n'
    wheel = _wheel(
        tmp_path,
        source,
        {
            TRAINER: ((entropy, entropy.replace("mean", "max") + entropy.replace('"entropy"', '"entropy/mean"')),),
            "trl/trainer/grpo_config.py": ((symbol, symbol.replace("default=0.0", "default=0.1")),),
        },
    )
    code, found = _add(wheel, capsys)
    items = found["news"]
    assert isinstance(items, list)
    by_kind = {kind: [item for item in items if item["kind"] == kind] for kind in {item["kind"] for item in items}}
    assert code == 1
    assert set(by_kind) == {"anchor lost", "new key", "setting", "changed code"}
    assert any("entropy/mean" in item["what"] for item in by_kind["new key"])
    assert any("entropy.append" in item["what"] for item in by_kind["anchor lost"])
    (default,) = by_kind["setting"]
    assert default["what"].startswith("beta 0.0 -> 0.1 (GRPOConfig), which the locks take over")
    # An edit is what these need; a confirmation is refused, and the release after it is, too.
    for item in by_kind["new key"]:
        assert main(["release", "confirm", item["id"], "--why", "it is only a name"]) == 2
    assert main(["release", "add", "trl==1.18.0", "--wheel", str(wheel), "--cache", str(CACHE)]) == 2
    for item in (default, *by_kind["changed code"]):
        main(["release", "confirm", item["id"], "--why", "read together with the lost anchors"])
    (checkout / "spec/locks/trl/news.json").unlink()  # a colleague's checkout has the locks alone
    capsys.readouterr()
    _, again = _add(wheel, capsys)
    whys = {item["why"] for item in again["news"] if item["kind"] in ("setting", "changed code")}  # type: ignore[attr-defined]
    assert whys == {"read together with the lost anchors"}


def _default_of(name: str, source: Mapping[str, str]) -> str:
    found = re.search(rf"    {name}: float = field\(\n        default=0\.0,", source["trl/trainer/grpo_config.py"])
    assert found is not None
    return found[0]


def test_a_pull_request_is_annotated(
    checkout: Path, source: Mapping[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Against a source tree, with nothing written: an annotation at the changed function names what it may change."""
    for name in ("base", "head"):
        for path, text in source.items():
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(
                text
                if name == "base"
                else text.replace("global_masked_mean(entropies)", "global_masked_mean(-entropies)")
            )
    before = (checkout / "spec/locks/trl/dates.lock").read_text()
    code = main(
        ["release", "add", "trl==1.17.0.dev0", "--source", str(tmp_path / "head"), "--base", str(tmp_path / "base"),
         "--dry-run", "--format", "github"]
    )  # fmt: skip
    shown = capsys.readouterr().out
    assert code == 1
    assert re.search(r"^::warning file=trl/trainer/grpo_trainer\.py,line=\d+,", shown, re.M)
    assert "entropy" in shown
    assert (checkout / "spec/locks/trl/dates.lock").read_text() == before
    assert not (checkout / "spec/locks/trl/news.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["release", "add", "trl==1.0.0"], "older than"),
        (["release", "add", "trl"], "no release"),
        (["release", "add", "tlr==2.0.0"], "no framework"),
        (["release", "confirm", "r1", "--why", "nothing changed here"], "no release has open items"),
        (["release", "replay", "--from", "trl==0.0.1"], "not its oldest"),
        (["anchor", "add", "nothing", "trl==1.16.0", "trl/trainer/grpo_trainer.py:x"], "PATH:LINE"),
    ],
)
def test_bad_requests_are_refused_in_one_line(
    checkout: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, nothing written, and what to write instead."""
    assert main(words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.splitlines()) == 1


def test_an_anchor_takes_a_statement(
    checkout: Path, source: Mapping[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With its fingerprint and lines, in the lock of its file; a trivial statement is refused."""
    lines = source[TRAINER].splitlines()
    place = next(number for number, line in enumerate(lines, 1) if "completion_mask * (~is_truncated)" in line)
    lock = checkout / "spec/locks/trl/grpo_trainer.lock"
    before = lock.read_text()
    words = ["anchor", "add", "completion_mask", f"trl[GRPOTrainer]=={LAST}"]
    assert main([*words, f"{TRAINER}:{place}", "--cache", str(CACHE)]) == 0
    assert "GRPOTrainer._generate_and_score_completions" in capsys.readouterr().out
    assert lock.read_text() == before
    trivial = next(number for number, line in enumerate(lines, 1) if line.strip() == "return loss")
    assert main([*words, f"{TRAINER}:{trivial}", "--cache", str(CACHE)]) == 2
    assert "proves nothing" in capsys.readouterr().err


def test_the_newest_release_replayed_has_no_silent_row(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Added to the spec cut off before it: every row that changed belongs to a component that some item names."""
    code = main(["release", "replay", "--from", f"trl=={LAST}", "--cache", str(CACHE), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (code, found["silently_wrong"]) == (0, [])
    (step,) = found["releases"]
    assert step["unchanged"] > step["changed"] > 0
    assert step["carried"] > 0.9 * step["unchanged"]
