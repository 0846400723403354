"""A record that is like one of another file says what that one says, and besides what it says itself."""

from __future__ import annotations

from typing import Any

import pytest
from meaning.test_fact_groups import file, framework
from rlmetrics.codegen.loader.fact_groups import write_out
from rlmetrics.codegen.model import Record

THEIRS: dict[str, Any] = {
    "metric": "m",
    "releases": "1.1.0..",
    "reduction": {"rank": "mean"},
    "at": ["a"],
    "traits": ["t"],
    "notes": "N",
    "facts": [{"when": "beta != 0", "traits": ["f"]}],
}


def alike(**own: Any) -> tuple[Record, dict[Any, Any]]:
    """The record `kl` that is like the one of another file, and where what it says was written."""
    files = {"other": file(keys={"kl": THEIRS}), "own": file(keys={"kl": {"like": "other", **own}})}
    result = write_out(framework(), files)
    assert result.faults == []
    record = result.files["own"].keys["kl"]
    assert isinstance(record, Record)
    return record, result.moved.get("own", {})


def test_it_says_the_same() -> None:
    """All of it, anchors included, and each field knows that it stands in the other file."""
    record, moved = alike()
    same = Record.model_validate(THEIRS)
    assert record.model_dump(exclude_unset=True) == same.model_dump(exclude_unset=True)
    assert moved["keys", "kl", "metric"] == ("other", ("keys", "kl", "metric"))
    assert moved["keys", "kl", "facts", 0] == ("other", ("keys", "kl", "facts", 0))


@pytest.mark.parametrize(
    "own", [{"metric": "n"}, {"releases": "1.2.0.."}, {"reduction": {"rank": "sum"}}, {"at": ["b"]}]
)
def test_what_is_said_takes_the_place(own: dict[str, Any]) -> None:
    """Of that field alone."""
    record, _ = alike(**own)
    expected = Record.model_validate({**THEIRS, **own})
    assert record.model_dump(exclude_unset=True) == expected.model_dump(exclude_unset=True)


def test_lists_are_added_to() -> None:
    """Behind what the other record says, and each entry knows its file."""
    record, moved = alike(traits=["u"], notes="O", facts=[{"traits": ["g"]}])
    assert (record.traits, record.notes) == (["t", "u"], ["N", "O"])
    assert [fact.traits for fact in record.facts] == [["f"], ["g"]]
    assert moved["keys", "kl", "facts", 1] == ("own", ("keys", "kl", "facts", 0))


@pytest.mark.parametrize(
    ("keys", "like", "message"),
    [
        ({"kl": {"metric": "m"}}, "othre", "there is no file or record `othre`"),
        ({"ratio": {"metric": "m"}}, "other", "`other` has no record `kl`"),
        ({"kl": [{"metric": "m"}, {"metric": "n"}]}, "other", "`other` has several records of `kl`"),
        ({"kl": {"like": "own"}}, "other", "the record `kl` of `own` is in the end like itself"),
    ],
)
def test_a_record_that_there_is_not_is_told_at_its_place(keys: dict[str, Any], like: str, message: str) -> None:
    """With the place of the word that names it."""
    files = {"other": file(keys=keys), "own": file(keys={"kl": {"like": like}})}
    faults = write_out(framework(), files).faults
    assert ("unknown-record", ("keys", "kl", "like"), message) in [
        (each.check, each.path, each.message) for each in faults
    ]


def test_one_record_can_be_like_another_that_is_like_a_third() -> None:
    """Each field knows the file that says it."""
    files = {"far": file(keys={"kl": THEIRS}), "middle": file(keys={"kl": {"like": "far", "traits": ["u"]}})}
    files["own"] = file(keys={"kl": {"like": "middle", "metric": "n"}})
    result = write_out(framework(), files)
    record = result.files["own"].keys["kl"]
    assert isinstance(record, Record)
    assert (record.metric, record.traits, record.notes) == ("n", ["t", "u"], ["N"])
    assert result.moved["own"]["keys", "kl", "notes"] == ("far", ("keys", "kl", "notes"))
    assert result.moved["own"]["keys", "kl", "facts", 0] == ("far", ("keys", "kl", "facts", 0))


def test_a_record_can_be_like_another_one_of_its_file_with_other_keys() -> None:
    """The keys of a family begin otherwise, where the record says how."""
    keys: dict[str, Any] = {"sizes": {"family": {"a/x": "m", "a/y": "n"}, "notes": "N"}}
    keys["loss sizes"] = {"like": "sizes", "instead": {"a/": "loss/a/"}}
    record = write_out(framework(), {"own": file(keys=keys)}).files["own"].keys["loss sizes"]
    assert isinstance(record, Record)
    assert (record.family, record.notes) == ({"loss/a/x": "m", "loss/a/y": "n"}, ["N"])


def test_a_setting_can_be_like_that_of_another_file() -> None:
    """All that is said of it there, and it knows that it stands in the other file."""
    theirs = {"brief": "Weight.", "type": "float", "defaults": [{"value": 0.1}]}
    files = {"other": file(config={"beta": theirs}), "own": file(config={"beta": {"like": "other"}, "gamma": theirs})}
    result = write_out(framework(), files)
    assert result.faults == []
    config = result.files["own"].config
    assert [*config] == ["beta", "gamma"]
    assert config["beta"] == config["gamma"]
    assert result.moved["own"]["config", "beta"] == ("other", ("config", "beta"))


@pytest.mark.parametrize(("like", "fix"), [("other", "name a file that says it"), ("othre", "did you mean `other`?")])
def test_a_setting_that_there_is_not_is_told_at_its_place(like: str, fix: str) -> None:
    """With the place of the word that names it; one that is itself like another does not count."""
    for config in ({}, {"beta": {"like": "own"}}):
        files = {"other": file(config=config), "own": file(config={"beta": {"like": like}})}
        faults = [(each.stem, each.path, each.message, each.fix) for each in write_out(framework(), files).faults]
        assert ("own", ("config", "beta", "like"), f"`{like}` says nothing of the setting `beta`", fix) in faults


@pytest.mark.parametrize("said", [{}, {"like": "other", "brief": "B"}, {"like": "other", "type": "int"}])
def test_a_setting_says_what_it_is_or_whose_it_is_like(said: dict[str, Any]) -> None:
    """One of the two, and nothing beside the latter."""
    with pytest.raises(ValueError, match="`like` alone"):
        file(config={"beta": said})


def test_a_setting_of_the_framework_itself_is_like_none() -> None:
    """It is what all files share, so that none of them has to say it."""
    with pytest.raises(ValueError, match="`like` is for settings of single files; say here what `beta` is"):
        framework(config={"beta": {"like": "other"}})
