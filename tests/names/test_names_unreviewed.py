"""What nobody has stated of a key is unreviewed: never exact, in no relation and no answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from names.small_spec import FOLDER
from rlmetrics.cli.main import main
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.tables import build
from rlmetrics.names import Tables, diff, keys, map_names, resolve, show
from rlmetrics.translate import Translator

GAMMA = "gamma==1.0"
FRAMEWORK = """\
framework: gamma
title: Gamma
package: gamma
brief: A third framework.
releases: [{release: '0.9', date: '2026-01-01'}, {release: '1.0', date: '2026-02-01'}]
"""
TRAINER = """\
title: GammaTrainer
brief: Logs a few numbers.
components: [{name: GammaTrainer, releases: 0.9.., module: gamma.trainer}]
tracking: [{route: direct, enable: nothing, x_axis: step}]
profiles:
  whole: {brief: Everything at once., as_defined: true}
  parts: {brief: Means of means., reduction: {micro_batch: mean, rank: mean}}
keys:
  silent: {metric: kl/old/k2}
  partly: {metric: kl/old/k2, profile: parts}
  minus: {metric: kl/old/k1, scale: -1}
  stated: {metric: kl/old/k2, as_defined: true}
  by_profile: {metric: kl/old/k2, profile: whole}
  in_full: {metric: kl/old/k2, profile: parts, population: response_tokens}
  from_now_on: {metric: kl/old/k2, facts: [{releases: '1.0', as_defined: true}]}
  time: {metric: timing/step, reduction: {rank: max}}
  time_of: {metric: timing/step, reduction: {rank: max}, span: everything}
"""


def _overlay(folder: Path, trainer: str = TRAINER) -> Path:
    place = folder / "mine" / "frameworks" / "gamma"
    place.mkdir(parents=True, exist_ok=True)
    (place / "framework.yaml").write_text(FRAMEWORK, encoding="utf-8")
    (place / "trainer.yaml").write_text(trainer, encoding="utf-8")
    return folder / "mine"


def _tables(overlay: Path) -> Tables:
    data = build(load(FOLDER, [overlay]))
    return Tables(lambda table: data[table].data)


@pytest.fixture(scope="module")
def gamma(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The small spec with a framework that says little."""
    return _tables(_overlay(tmp_path_factory.mktemp("gamma")))


def test_what_is_missing_is_named(gamma):
    """Population and reduction of every number, and what a clock covers; `as_defined` states all of it."""
    unstated = {item.key: item.unstated for item in keys(GAMMA, spec=gamma)}
    assert unstated == {
        "silent": ("population", "reduction"),
        "partly": ("population",),
        "minus": ("population", "reduction"),
        "stated": (),
        "by_profile": (),
        "in_full": (),
        "from_now_on": (),
        "time": ("span",),
        "time_of": (),
    }
    assert {item.key: item.unstated for item in keys("gamma==0.9", spec=gamma)}["from_now_on"] == (
        "population",
        "reduction",
    )


@pytest.mark.parametrize("target", ["canonical", "alpha[NewTrainer]==1.0.0", "beta==0.5", "gamma==0.9"])
def test_no_relation_of_it_is_exact(gamma, target):
    """To a definition, to another framework, to another release: at most unreviewed, and the difference says so."""
    rows = {row.from_: row for row in map_names(GAMMA, target, spec=gamma).rows}
    for key in ("silent", "partly", "minus", "time"):
        row = rows[key]
        assert row.relation in ("unreviewed", "related", "none"), key
        if row.to is not None:
            assert row.severity in ("unreviewed", "biased")
            assert any(item.what.startswith("unreviewed in the source: nobody has stated") for item in row.differs_by)


def test_a_number_that_is_stated_keeps_its_relation(gamma):
    """By itself, by its profile, or field by field."""
    rows = {row.from_: row for row in map_names(GAMMA, "canonical", spec=gamma).rows}
    assert [rows[key].relation for key in ("stated", "by_profile")] == ["exact", "exact"]
    assert rows["in_full"].relation == "approximate"


def test_nothing_is_claimed_of_what_is_not_stated(gamma):
    """A reduction that the target has is no difference from one that nobody knows."""
    rows = {row.from_: row for row in map_names("alpha[NewTrainer]==1.0.0", GAMMA, spec=gamma).rows}
    row = next(row for row in map_names(GAMMA, "alpha[NewTrainer]==1.0.0", spec=gamma).rows if row.from_ == "silent")
    assert row.to == "approxkl_avg"
    assert not any("mean" in item.what for item in row.differs_by)
    assert rows["approxkl_avg"].to in ("stated", "by_profile", "in_full", "from_now_on"), "what is stated is preferred"


def test_a_conversion_is_told_beside_it(gamma):
    """That a sign is turned is stated, whatever else is not."""
    row = next(row for row in map_names(GAMMA, "beta==0.5", spec=gamma).rows if row.from_ == "minus")
    assert (row.to, row.relation) == ("actor/ppo_kl", "unreviewed")
    assert row.transform is not None
    assert row.transform(2.0) == -2.0


def test_strict_translation_leaves_it_alone(gamma):
    """`--strict` carries what is exact; otherwise it is carried, and the report says unreviewed."""
    strict = Translator(GAMMA, "canonical", spec=gamma, strict=True)
    assert [strict.key(key).translated for key in ("silent", "stated")] == [False, True]
    loose = Translator(GAMMA, "canonical", spec=gamma)
    assert loose.row({"silent": 0.5}) == {"kl/old/k2": 0.5}
    assert loose.report.translated["silent"]["severity"] == "unreviewed"


def test_a_release_that_says_the_same_changed_nothing(gamma):
    """What nobody has stated of a key in two releases is no change of its meaning."""
    assert diff("gamma==0.9", GAMMA, spec=gamma).changed == ()


def test_resolve_and_show_tell_it(gamma):
    """In their records."""
    (found,) = resolve(["silent"], at=GAMMA, spec=gamma)
    assert found.signature is not None
    assert found.signature.unstated == ("population", "reduction")
    (shown,) = show("kl/old/k2", spec=gamma)
    told = {item.key: item.unstated for item in shown.spellings if item.framework == "gamma"}
    assert (told["silent"], told["stated"]) == (("population", "reduction"), ())


def test_an_overlay_of_a_known_file_does_not_inherit_its_word(tmp_path):
    """The records of a file that says `as_defined` are as defined; those that an overlay adds to it are not."""
    place = tmp_path / "mine" / "frameworks" / "alpha"
    place.mkdir(parents=True)
    text = "keys:\n  mine: {metric: kl/old/k2}\n  sure: {metric: kl/old/k2, as_defined: true}\n"
    (place / "new_trainer.yaml").write_text(text, encoding="utf-8")
    found = {item.key: item.unstated for item in keys("alpha[NewTrainer]==1.0.0", spec=_tables(tmp_path / "mine"))}
    assert (found["mine"], found["sure"], found["reward"]) == (("population", "reduction"), (), ())


def test_a_file_can_say_it_for_its_records(tmp_path):
    """With one line; a record that was not looked at says so itself."""
    said = TRAINER.replace("brief: Logs a few numbers.", "brief: Logs a few numbers.\nas_defined: true")
    said = said.replace("minus: {metric: kl/old/k1,", "minus: {metric: kl/old/k1, as_defined: false,")
    unstated = {item.key: item.unstated for item in keys(GAMMA, spec=_tables(_overlay(tmp_path, said)))}
    assert [key for key, missing in unstated.items() if missing] == ["minus"]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An overlay of the real spec."""
    text = TRAINER.replace("timing/step", "timing/generation")
    return str(_overlay(tmp_path_factory.mktemp("real"), text))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["resolve", "silent", "--at", GAMMA], "≈ unreviewed: nobody has stated over what it is taken and how it is"),
        (["map", "--from", GAMMA, "--to", "verl==0.9.1"], "≈ unreviewed: compare the code before use"),
        (["map", "silent", "--from", GAMMA, "--to", "canonical"], "that is unreviewed."),
        (["show", "silent", "--at", GAMMA], "≈ unreviewed"),
        (["keys", "--at", GAMMA], "≈ unreviewed: how 4 of 9 keys are computed is not stated in full."),
        (["resolve", "silent", "--at", GAMMA], "changed   nothing that is stated, in 0.9..1.0"),
        (["resolve", "silent=0.3", "--at", GAMMA], "≈ unreviewed: nobody has stated over what it is taken and how it"),
        (["resolve", "silent=0.3", "stated=0.3", "--at", GAMMA], "≈ unreviewed (1): silent: how these are computed"),
        (["resolve", "silent", "stated", "--at", GAMMA], "≈ unreviewed: nobody has stated"),
        (["diff", "--from", "gamma==0.9", "--to", GAMMA], "Unreviewed: how 5 of 9 keys are computed is not stated in"),
        (["diff", "silent", "--from", "gamma==0.9", "--to", GAMMA], "Nothing that is stated of silent changed from"),
        (["diff", "stated", "--from", "gamma==0.9", "--to", GAMMA], "stated means the same from"),
    ],
    ids=lambda item: item[0] if isinstance(item, list) else "",
)
def test_every_answer_says_it(capsys, real, command, said):
    """In the terminal, without asking for more."""
    assert main([*command, "--spec", real]) == 0
    assert said in capsys.readouterr().out


def test_what_is_not_stated_is_not_told_of_two_keys(capsys, real):
    """Neither over what nor how a number is put together, where nobody said it; of the other key it is."""
    assert main(["resolve", "silent", "in_full", "--at", GAMMA, "--spec", real]) == 0
    lines = capsys.readouterr().out.splitlines()
    (counted,) = [line for line in lines if line.startswith("  counted")]
    assert counted.split()[:3] == ["counted", "-", "all"]
    assert "computed alike" not in " ".join(lines)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of the third framework."""
    path = tmp_path_factory.mktemp("log") / "run.jsonl"
    rows = [{"step": at, "silent": 0.001 * at, "stated": 0.01, "time": 2.0} for at in range(1, 40)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return str(path)


def test_check_says_which_keys_are_unreviewed(capsys, real, log):
    """In the report, and in JSON under a name of its own."""
    assert main(["check", log, "--at", GAMMA, "--spec", real]) == 0
    assert "unreviewed: how 1 of 2 judged keys is computed" in " ".join(capsys.readouterr().out.split())
    assert main(["check", log, "--at", GAMMA, "--json", "--spec", real]) == 0
    assert json.loads(capsys.readouterr().out)["unreviewed"] == ["silent"]


def test_strict_says_why_nothing_is_carried(capsys, real, tmp_path):
    """What is unreviewed is not called approximate; without `--strict`, each such key has the mark of its footnote."""
    (tmp_path / "run.jsonl").write_text('{"step": 1, "silent": 0.1, "minus": 0.2}\n', encoding="utf-8")
    command = ["translate", str(tmp_path / "run.jsonl"), "--from", GAMMA, "--to", "canonical", "--spec", real]
    assert main([*command, "--strict"]) == 2
    assert "2 keys of the source have only unreviewed counterparts" in capsys.readouterr().err
    assert main([*command, "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    (line,) = [line for line in lines if line.startswith("≈ unreviewed")]
    assert line.count("[1]") == 2
    assert any(line.startswith("[1] unreviewed in") for line in lines)


def test_diff_as_json_lists_what_may_have_changed_too(gamma):
    """Keys of which one release leaves something open, with what that is."""
    found = {item.key: item.unstated for item in diff("gamma==0.9", GAMMA, spec=gamma).unreviewed}
    assert found["from_now_on"] == ("population", "reduction")
    assert "stated" not in found


def test_json_says_it(capsys, real):
    """`relation` and `severity` of a row, `unstated` in the signature."""
    assert main(["map", "--from", GAMMA, "--to", "verl==0.9.1", "--json", "--spec", real]) == 0
    rows = {row["from"]: row for row in json.loads(capsys.readouterr().out)}
    assert {row["relation"] for key, row in rows.items() if key in ("time", "partly")} <= {"unreviewed", "related"}
    assert main(["resolve", "silent", "--at", GAMMA, "--json", "--spec", real]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["signature"]["unstated"] == ["population", "reduction"]


def test_lint_tells_a_framework_that_nothing_proves(capsys, real):
    """No anchor and no lock: a warning, at the framework's own file."""
    main(["lint", "--format", "short", "--spec", real])
    lines = [line for line in capsys.readouterr().out.splitlines() if "unproven-framework" in line]
    assert len(lines) == 1
    assert "gamma/framework.yaml:1:1" in lines[0]
    assert "nothing proves what `gamma` logs: it has no anchor and no lock" in lines[0]
