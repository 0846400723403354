"""A framework that derives from another one: two releases in one source, keys of the base, and what is unreviewed."""

from __future__ import annotations

from pathlib import Path

import pytest
from names.derived_overlay import FRAMEWORK, SOURCE, TRAINER, write_derived
from names.small_spec import FOLDER
from rlmetrics.codegen.loader import load, read
from rlmetrics.codegen.releasing import add
from rlmetrics.codegen.spec import Spec
from rlmetrics.codegen.tables import build
from rlmetrics.codegen.tables.table_differences import kept_apart
from rlmetrics.names import Tables, diff, map_names, open_view, releases, resolve
from rlmetrics.names.meanings.view import FrameworkView


def _tables(spec: Spec) -> Tables:
    data = build(spec)
    return Tables(lambda table: data[table].data)


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    """The small spec with the overlay."""
    return load(FOLDER, [write_derived(tmp_path / "overlay")])


@pytest.fixture
def tables(spec: Spec) -> Tables:
    """Its tables."""
    return _tables(spec)


def _metric(key: str, at: str, tables: Tables) -> str | None:
    return resolve([key], at=at, spec=tables)[0].metric


def test_a_release_stands_once_for_each_release_under_it(tables: Tables) -> None:
    """One that runs on a single one keeps its name."""
    names = [item.release for item in releases("delta", spec=tables)]
    assert names == ["1.0.0", "1.1.0+alpha0.4.1", "1.1.0+alpha1.0.0"]


@pytest.mark.parametrize(
    ("key", "at", "metric"),
    [
        ("kl", "delta==1.0.0", "kl/reference/k3"),
        ("entropy", "delta[OwnTrainer]==1.1.0+alpha0.4.1", "policy/ratio/mean"),
        ("learning_rate", "delta==1.0.0", "optimizer/learning_rate"),
        ("step_time", "delta==1.1.0+alpha1.0.0", "timing/step"),
        ("delta/ratio", "delta==1.0.0", "policy/ratio/mean"),
        ("reward", "delta==1.0.0", "reward/score/mean"),
        ("reward", "delta==1.1.0+alpha0.4.1", "reward/user"),
        ("eval_reward", "delta==1.1.0+alpha0.4.1", "reward/score/mean"),
    ],
)
def test_a_key_means_what_it_means_in_the_base_unless_it_is_an_own_one(
    tables: Tables, key: str, at: str, metric: str
) -> None:
    """Ranges of the base's releases hold where these run under the derived one."""
    assert _metric(key, at, tables) == metric


def test_keys_of_other_releases_of_the_base_are_not_there(tables: Tables) -> None:
    """The base logs `step_time` from 1.0.0 on."""
    view = open_view("delta==1.1.0+alpha0.4.1", spec=tables)
    assert "step_time" not in {entry.key for entry in view.entries()}


def test_the_newest_base_answers_where_none_is_named(tables: Tables) -> None:
    """And the answer says so."""
    view = open_view("delta[own]==1.1.0", spec=tables)
    assert view.source.release == "1.1.0+alpha1.0.0"
    assert view.source.choice == "delta[OwnTrainer]: 1.1.0+alpha1.0.0, with alpha 1.0.0, the newest that it runs on"


def test_an_answer_says_where_other_bases_disagree(tables: Tables) -> None:
    """Where none is named; `step_time` is logged from 1.0.0 of the base on, `entropy` is the same in all."""
    said = "With alpha 0.4.1 it is not logged."
    assert said in resolve(["step_time"], at="delta==1.1.0", spec=tables)[0].notes
    assert said not in resolve(["step_time"], at="delta==1.1.0+alpha1.0.0", spec=tables)[0].notes
    assert not resolve(["entropy"], at="delta==1.1.0", spec=tables)[0].notes


def test_defaults_are_those_of_the_release_under_it(tables: Tables) -> None:
    """`beta` is 0.04 up to 0.4.1 and 0 from 1.0.0 on."""
    logged = {at: resolve(["kl"], at=f"delta=={at}", spec=tables)[0].logged for at in ("1.0.0", "1.1.0")}
    assert logged == {"1.0.0": True, "1.1.0": False}


def test_two_releases_differ_in_what_the_base_changed(tables: Tables) -> None:
    """`clip_ratio` is clamped from 1.0.0 on, as it is there."""
    found = diff("delta==1.0.0", "delta==1.1.0", spec=tables)
    base = diff("alpha[NewTrainer]==0.3.0", "alpha[NewTrainer]==1.0.0", spec=tables)
    keys = {item.key for item in base.changed}
    assert keys
    assert keys - {"reward"} <= {item.key for item in found.changed}


def test_what_nothing_overrides_is_the_same_number_as_the_base_logs(tables: Tables) -> None:
    """Under the release of the base that is under it."""
    row = map_names("delta==1.0.0", "alpha[NewTrainer]==0.3.0", spec=tables).translate("kl").row
    assert row is not None
    assert (row.to, row.relation, row.severity) == ("kl", "exact", "same")


def test_what_the_source_overrides_is_unreviewed(tmp_path: Path) -> None:
    """Reading the package shows that `step`, in which the base writes `kl`, is a method of the package itself."""
    overlay = write_derived(tmp_path / "overlay")
    source = tmp_path / "source" / "delta"
    source.mkdir(parents=True)
    (source / "__init__.py").write_text("", encoding="utf-8")
    (source / "own.py").write_text(SOURCE, encoding="utf-8")
    add(load(FOLDER, [overlay]), "delta", "1.1.0", tmp_path / "source", base=tmp_path / "source")
    lock = (overlay / "locks" / "delta" / "own_trainer.lock").read_text(encoding="utf-8")
    assert "step" in lock
    tables = _tables(load(FOLDER, [overlay]))
    names = map_names("delta==1.1.0+alpha0.4.1", "alpha[NewTrainer]==0.4.1", spec=tables)
    severities = {key: row.severity for key in ("kl", "clip_ratio") if (row := names.translate(key).row) is not None}
    assert severities == {"kl": "unreviewed", "clip_ratio": "same"}
    (kl,) = resolve(["kl"], at="delta==1.1.0+alpha0.4.1", spec=tables)
    said = "OwnTrainer has a `step` of its own, which writes this key in Alpha; nobody has compared the two."
    assert said in kl.notes
    # Nobody has read the release before: it is taken as the base has it.
    (before,) = resolve(["kl"], at="delta==1.0.0", spec=tables)
    assert said not in before.notes


def test_a_person_can_say_that_an_own_method_leaves_keys_as_they_are(tmp_path: Path) -> None:
    """By `kept`; methods that are replaced from outside stand under `overrides`."""
    trainer = TRAINER + "overrides: [step, clip]\nkept: [{methods: [step], keys: [k*]}]\n"
    tables = _tables(load(FOLDER, [write_derived(tmp_path, trainer=trainer)]))
    names = map_names("delta==1.0.0", "alpha[NewTrainer]==0.3.0", spec=tables)
    severities = {key: row.severity for key in ("kl", "clip_ratio") if (row := names.translate(key).row) is not None}
    assert severities == {"kl": "same", "clip_ratio": "unreviewed"}


def test_nothing_is_told_of_code_that_was_replaced(tmp_path: Path) -> None:
    """Neither when it logs a key, nor how it puts it together, nor its lines: the key is called after the base's."""
    at = "delta==1.1.0+alpha0.4.1"
    told = _tables(load(FOLDER, [write_derived(tmp_path / "told")]))
    replaced = _tables(load(FOLDER, [write_derived(tmp_path / "replaced", trainer=TRAINER + "overrides: [step]\n")]))
    (before,), (after,) = resolve(["kl"], at=at, spec=told), resolve(["kl"], at=at, spec=replaced)
    assert before.condition is not None
    assert before.signature is not None
    assert before.signature.reduction
    assert (after.metric, after.condition, after.logged) == ("kl/reference/k3", None, None)
    assert after.signature is not None
    assert (dict(after.signature.reduction), after.signature.traits) == ({}, ())
    assert after.signature.unstated
    cited = {entry.key: entry.at for entry in open_view(at, spec=replaced).entries() if entry.mode == "train"}
    assert not cited["kl"]
    assert cited["clip_ratio"]


def test_a_fact_falls_with_the_method_that_alone_proves_it(tmp_path: Path) -> None:
    """The record of `clip_ratio` is proven elsewhere; what a replaced method added to it is said no more, and that."""
    folder = write_derived(tmp_path, trainer=TRAINER + "overrides: [bound]\n")
    alpha = folder / "frameworks" / "alpha" / "new_trainer.yaml"
    text = alpha.read_text(encoding="utf-8")
    facts = "[{traits: [clamped], at: [bound.line]}, {notes: [Noted.], at: [bound.line]}]"
    text = text.replace("at: [clip.line]}", f"at: [clip.line], facts: {facts}}}")
    alpha.write_text(text.replace("clip.line: ", "bound.line: NewTrainer.bound, clip.line: "), encoding="utf-8")
    tables = _tables(load(FOLDER, [folder]))
    (base,) = resolve(["clip_ratio"], at="alpha[NewTrainer]==0.4.1", spec=tables)
    (found,) = resolve(["clip_ratio"], at="delta==1.1.0+alpha0.4.1", spec=tables)
    assert base.signature is not None
    assert found.signature is not None
    assert "clamped" in base.signature.traits
    assert "Noted." in base.notes
    assert "clamped" not in found.signature.traits
    assert "Noted." not in found.notes
    assert found.signature.unstated
    assert any("has a `bound` of its own" in note for note in found.notes)
    assert found.signature.reduction == base.signature.reduction
    (kl,) = resolve(["kl"], at="delta==1.1.0+alpha0.4.1", spec=tables)
    assert kl.signature is not None
    assert not kl.signature.unstated


def test_a_group_of_the_base_s_file_can_be_named(tmp_path: Path) -> None:
    """Its facts hold in the derived releases that run on those of the base; its lines do not prove it."""
    trainer = TRAINER.replace("at: [own.ratio]}", "at: [own.ratio], groups: [bounded]}")
    folder = write_derived(tmp_path, trainer=trainer)
    alpha = folder / "frameworks" / "alpha" / "new_trainer.yaml"
    text = alpha.read_text(encoding="utf-8")
    group = "groups: {bounded: [{releases: 1.0.0.., traits: [clamped], at: [clip.line]}]}\n"
    named = text.replace("at: [clip.line]}", "at: [clip.line], groups: [bounded]}")
    alpha.write_text(group + named, encoding="utf-8")
    spec, findings = read(FOLDER, [folder])
    assert spec is not None
    assert findings == []
    tables = _tables(spec)
    for release, holds in [("1.0.0", False), ("1.1.0+alpha0.4.1", False), ("1.1.0+alpha1.0.0", True)]:
        (found,) = resolve(["delta/ratio"], at=f"delta=={release}", spec=tables)
        assert found.signature is not None
        assert ("clamped" in found.signature.traits) is holds
    cited = {entry.key: entry.at for entry in open_view("delta==1.1.0+alpha1.0.0", spec=tables).entries()}
    assert cited["delta/ratio"] == ("own.ratio",)


def test_changes_of_code_that_was_replaced_are_not_told(tmp_path: Path) -> None:
    """`clip_ratio` is clamped in the base from 1.0.0 on."""
    spec = load(FOLDER, [write_derived(tmp_path, trainer=TRAINER + "overrides: [clip]\n")])
    found = diff("delta==1.1.0+alpha0.4.1", "delta==1.1.0+alpha1.0.0", spec=_tables(spec))
    assert "clip_ratio" not in {item.key for item in found.changed}
    assert "clip_ratio" in {item.key for item in found.unreviewed}


@pytest.mark.parametrize(
    ("said", "logged"), [("{brief: Its own., defaults: [{value: 0.5}]}", True), ("{brief: Its own.}", None)]
)
def test_a_derived_framework_has_defaults_of_its_own(tmp_path: Path, said: str, logged: bool | None) -> None:
    """What its head says of a setting holds for all of its files; one of which it knows no default has none."""
    framework = FRAMEWORK + f"config: {{beta: {said}}}\n"
    tables = _tables(load(FOLDER, [write_derived(tmp_path, framework=framework)]))
    assert resolve(["kl"], at="delta==1.1.0", spec=tables)[0].logged is logged


def test_tables_kept_as_differences_say_the_same(spec: Spec) -> None:
    """Whoever reads them gets what tables built in memory say, from less text."""
    plain = build(spec)
    kept = kept_apart(spec, plain)
    name = "frameworks/delta/own_trainer"
    assert len(repr(kept[name].data)) < len(repr(plain[name].data))
    whole, again = Tables(lambda table: plain[table].data), Tables(lambda table: kept[table].data)
    for release in whole.framework("delta").releases.names:
        one, other = (open_view(f"delta=={release}", spec=tables) for tables in (whole, again))
        assert isinstance(one, FrameworkView)
        assert isinstance(other, FrameworkView)
        assert one.entries() == other.entries()
        for label, component in one.components.items():
            assert component.tracking == other.components[label].tracking
            assert component.config.values == other.components[label].config.values


def test_keys_without_a_source_are_those_of_the_base(tables: Tables) -> None:
    """The derived framework adds no second meaning to a key that it takes over."""
    assert {item.source for item in resolve(["kl"], spec=tables) if item.source} <= {"alpha[NewTrainer]==1.0.0"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("from: alpha", "from: omega", "there is no framework `omega` to derive from"),
        ("1.0.0: 0.3.0", "1.0.0: 0.3.3", "`0.3.3` is no release of `alpha`"),
        ("1.0.0: 0.3.0, ", "", "nothing says on which release of `alpha` `1.0.0` runs"),
        ("1.0.0: 0.3.0", "0.9.0: 0.3.0", "`0.9.0` is no release of `delta`"),
        ("from: alpha", "from: delta", "the framework derives from itself: `delta` → `delta`"),
    ],
)
def test_a_wrong_base_is_one_located_finding(tmp_path: Path, old: str, new: str, message: str) -> None:
    """Nothing else is reported because of it."""
    overlay = write_derived(tmp_path, framework=FRAMEWORK.replace(old, new))
    _, findings = read(FOLDER, [overlay])
    assert [finding.message for finding in findings] == [message]
    assert findings[0].location.file.endswith("delta/framework.yaml")
    assert findings[0].location.line == 6
