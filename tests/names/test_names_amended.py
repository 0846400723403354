"""What a file says about several keys at once, its own ones and those that it takes over."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from names.small_spec import FOLDER
from rlmetrics.codegen.inheritance import applied_records
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.releases import Releases
from rlmetrics.codegen.tables import build
from rlmetrics.names import Tables, open_view
from rlmetrics.names.inheritance import applied_rows

AMENDS = """amends:
  - keys: [entropy, approxkl_avg]
    releases: 0.4.1..1.0.0
    modes: [train]
    traits: [clamped]
    note: Cut.
    evidence: [{release: 1.0.0, path: alpha/new.py, line: 1, symbol: NewTrainer.cut, shows: value}]
  - keys: [entropy]
    releases: 1.0.0
    traits: [wrong_sum]
    note: Summed.
    evidence: [{release: 1.0.0, path: alpha/new.py, line: 2, symbol: NewTrainer.sum, shows: value}]
  - keys: [approxkl_avg, kl]
    releases: 0.3.0..0.4.1
    when: beta < 1 or(beta > 2)
    evidence: [{release: 0.4.1, path: alpha/new.py, line: 3, symbol: NewTrainer.test, shows: condition}]
"""

DROPS = """amends:
  - keys: [clip_ratio]
    releases: 1.0.0
    traits: [padded_once]
    drops: [clamped, per sequence]
    evidence: [{release: 1.0.0, path: alpha/new.py, line: 4, symbol: NewTrainer.take, shows: condition}]
"""

Amended = dict[tuple[str, str, str], tuple[str, ...]]
"""Key, mode and release to traits."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small spec with a trainer that amends a key of its own and one that it takes over."""
    root = tmp_path / "spec"
    shutil.copytree(FOLDER, root)
    path = root / "frameworks/alpha/new_trainer.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("extends: [base]\n", f"extends: [base]\n{AMENDS}"))
    return root


def _from_tables(root: Path) -> Amended:
    data = build(load(root))
    table = Tables(lambda table: data[table].data).framework("alpha")
    return {
        (row.key.removeprefix("eval_"), row.mode, release): tuple(row.row.get("traits", ()))
        for row in applied_rows(table, "new_trainer", ("0.3.0", "0.4.1", "1.0.0"))
        for release in row.releases
        if row.key.removeprefix("eval_") in ("entropy", "approxkl_avg")
    }


def test_amendments_hold_where_they_say(folder: Path) -> None:
    """In their releases and modes only, one after the other, for an own key and for one of an extended file."""
    found = _from_tables(folder)
    assert () == found["entropy", "train", "0.3.0"]
    assert ("clamped",) == found["entropy", "train", "0.4.1"]
    assert ("clamped", "wrong_sum") == found["entropy", "train", "1.0.0"]
    assert () == found["entropy", "eval", "0.4.1"]
    assert ("wrong_sum",) == found["entropy", "eval", "1.0.0"]
    before, after = (found["approxkl_avg", "train", release] for release in ("0.3.0", "1.0.0"))
    assert (*before, "clamped") == after


def test_the_generator_applies_them_as_the_tables_do(folder: Path) -> None:
    """Pages and tests are generated from the spec, answers come from the tables: both see the same traits."""
    framework = load(folder).frameworks["alpha"]
    order = Releases(tuple(release.release for release in framework.framework.releases))
    described = order.expand(framework.files["new_trainer"].components[0].releases)
    found = {
        (record.emission.key, mode, release): tuple(record.emission.traits)
        for record in applied_records(framework.files, "new_trainer", described, order.expand)
        for mode in record.modes
        for release in record.releases
        if record.emission.key in ("entropy", "approxkl_avg")
    }
    assert _from_tables(folder) == found


def test_a_guard_is_added_to_the_records_own(folder: Path) -> None:
    """Both must hold, whichever binds loosest; in the tables as in the generator."""
    framework = load(folder).frameworks["alpha"]
    order = Releases(tuple(release.release for release in framework.framework.releases))
    said = {
        (record.emission.key, release): record.emission.when
        for record in applied_records(framework.files, "new_trainer", order.expand(["0.4.1", "1.0.0"]), order.expand)
        for release in record.releases
    }
    data = build(load(folder))
    table = Tables(lambda table: data[table].data).framework("alpha")
    for key, when in (("kl", "beta != 0 and (beta < 1 or(beta > 2))"), ("approxkl_avg", "beta < 1 or(beta > 2)")):
        (row,) = applied_rows(table, "new_trainer", ("0.4.1",), (key, "train"))
        assert when == row.row["when"] == said[key, "0.4.1"]
    assert "beta != 0" == said["kl", "1.0.0"]


def test_variants_and_traits_that_cannot_occur_are_dropped(tmp_path: Path) -> None:
    """From the record and from the variants that stay; in the tables as in the generator."""
    root = tmp_path / "spec"
    shutil.copytree(FOLDER, root)
    path = root / "frameworks/alpha/new_trainer.yaml"
    said = path.read_text(encoding="utf-8").replace("extends: [base]\n", f"extends: [base]\n{DROPS}")
    stays = "{when: level == 'token', name: per token, traits: [clamped, wrong_sum]}"
    path.write_text(
        said.replace("    variants:\n      - {when: level", f"    variants:\n      - {stays}\n      - {{when: level")
    )
    framework = load(root).frameworks["alpha"]
    order = Releases(tuple(release.release for release in framework.framework.releases))
    (record,) = (
        record.emission
        for record in applied_records(framework.files, "new_trainer", order.expand("1.0.0"), order.expand)
        if record.emission.key == "clip_ratio" and "train" in record.modes and "1.0.0" in record.releases
    )
    data = build(load(root))
    table = Tables(lambda table: data[table].data).framework("alpha")
    (row,) = applied_rows(table, "new_trainer", ("1.0.0",), ("clip_ratio", "train"))
    assert ["padded_once"] == record.traits == row.row["traits"]
    assert [("per token", ["wrong_sum"])] == [(each.name, each.traits) for each in record.variants]
    assert [("per token", ["wrong_sum"])] == [(each["name"], each["traits"]) for each in row.row["variants"]]


def _traits(source: str) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(entry.key, entry.mode): entry.signature.traits for entry in open_view(source).entries()}


def test_only_training_filters_and_evaluation_replays() -> None:
    """GFPO filters groups in training only; the replay buffer is used in evaluation, too."""
    gfpo = _traits("trl[GFPOTrainer]==1.7.1")
    assert "filtered_responses_only" in gfpo["reward", "train"]
    assert "filtered_responses_only" not in gfpo["eval_reward", "eval"]
    assert "filtered_responses_only" in gfpo["entropy", "train"]
    replay = _traits("trl[GRPOWithReplayBufferTrainer]==1.12.0")
    for logged in (("entropy", "train"), ("eval_entropy", "eval"), ("loss", "train"), ("eval_loss", "eval")):
        assert "replayed_responses_included" in replay[logged]
    assert "replayed_responses_included" not in replay["reward", "train"]


def test_what_fails_before_it_logs_is_never_logged() -> None:
    """Every key of a release in which the trainer ends with an error says so, and none of the releases around it."""
    broken = [entry for entry in open_view("trl[GFPOTrainer]==0.28.0").entries() if entry.mode == "eval"]
    assert broken
    assert all("raises an error" in (entry.condition or "") for entry in broken)
    assert {False} == {entry.logged_by_default for entry in broken}
    for source in ("trl[GFPOTrainer]==0.25.1", "trl[GFPOTrainer]==1.1.0"):
        assert not [entry for entry in open_view(source).entries() if "raises an error" in (entry.condition or "")]


def test_omitted_keys_may_have_placeholders_that_the_class_fills_in() -> None:
    """MiniLLMTrainer's own compute_loss is not timed, that of GRPOTrainer is."""
    key = "profiling/Time taken: {}.compute_loss"
    for name, is_timed in (("GRPOTrainer", True), ("MiniLLMTrainer", False)):
        logged = {entry.key for entry in open_view(f"trl[{name}]==0.27.2").entries()}
        assert is_timed == (key.format(name) in logged)


def test_reasons_for_a_constant_that_do_not_hold_are_replaced() -> None:
    """What is replayed was generated by an earlier policy, so that evaluation may clip."""
    found = {}
    for name in ("GRPOTrainer", "GRPOWithReplayBufferTrainer"):
        entries = {entry.key: entry for entry in open_view(f"trl[{name}]==0.26.2").entries()}
        found[name] = entries["eval_clip_ratio/high_mean"].constant_when
    assert any(text.startswith("0 in evaluation") for text in found["GRPOTrainer"])
    assert 1 == len(found["GRPOWithReplayBufferTrainer"])
    assert "nothing is replayed" in found["GRPOWithReplayBufferTrainer"][0]


def _variants(source: str) -> list[str]:
    return [item.variant or "" for entry in open_view(source).entries() for item in entry.alternatives]


def test_variants_that_cannot_occur_are_dropped() -> None:
    """PAPO and GFPO take no tools, so that no number of theirs depends on them; GMPO hands them to its base class."""
    for name in ("PAPOTrainer", "GFPOTrainer"):
        assert not [text for text in _variants(f"trl[{name}]==1.7.1") if "tools" in text]
        assert "truncated completions masked" in _variants(f"trl[{name}]==1.7.1")
    assert [text for text in _variants("trl[GMPOTrainer]==1.7.1") if "tools" in text]


def test_continuous_batching_keeps_evaluation_from_logging() -> None:
    """It leaves the model in training mode, whose store the log takes then; the loss comes from the base class."""
    setting = {"use_transformers_continuous_batching": "true"}
    for config, is_logged in (({}, True), (setting, False)):
        view = open_view("trl[GRPOTrainer]==1.16.0", config=config)
        logged = {entry.key: entry.logged for entry in view.entries()}
        assert is_logged == logged["eval_entropy"]
        assert logged["entropy"]
        assert logged["eval_loss"]
