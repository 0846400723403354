"""A record that replaces an inherited one keeps what the key is about, unless it says otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from meaning.test_fact_groups import file, framework
from rlmetrics.codegen.loader.fact_groups import write_out
from rlmetrics.codegen.model import ComponentFile, Record

BASE: dict[str, Any] = {"profiles": {"mean": {"brief": "M", "reduction": {"rank": "mean"}}}, "components": []}


def kept(own: dict[str, Any], *bases: dict[str, Any], **more: Any) -> Record:
    """The own record of `kl` in a file that extends others, as it is written out."""
    files = {f"base{index}": file(**{**BASE, "keys": keys}) for index, keys in enumerate(bases)}
    files["own"] = file(extends=[*files], keys={"kl": own}, **more)
    record = written(files).keys["kl"]
    assert isinstance(record, Record)
    return record


def written(files: dict[str, ComponentFile]) -> ComponentFile:
    """The last file, written out."""
    return [*write_out(framework(), files).files.values()][-1]


def test_what_is_not_named_stays() -> None:
    """The fields that say what the key is about, and nothing else."""
    about = {"metric": "m", "profile": "mean", "modes": ["eval"], "span": "S"}
    record = kept({"at": []}, {"kl": {**about, "notes": "N", "logged_when": "beta != 0"}})
    assert {name: getattr(record, name) for name in about} == about
    assert (record.notes, record.logged_when) == ([], None)


@pytest.mark.parametrize("own", [{"metric": "n"}, {"profile": "sum"}, {"modes": ["train"]}])
def test_what_is_named_is_said(own: dict[str, Any]) -> None:
    """Each field by itself: the others stay."""
    before = {"metric": "m", "profile": "mean", "modes": ["eval"]}
    record = kept(own, {"kl": before}, profiles={"sum": {"brief": "S"}})
    assert {name: getattr(record, name) for name in before} == {**before, **own}


def test_only_the_nearest_file_counts_and_only_what_its_records_say_alike() -> None:
    """Several records of one key, or of a family, must agree."""
    two = {"kl": [{"metric": "m", "modes": ["eval"]}, {"metric": "n", "modes": ["eval"]}]}
    record = kept({}, two, {"kl": {"metric": "far", "profile": "mean"}})
    assert (record.metric, record.profile, record.modes) == (None, None, ["eval"])


def test_a_member_of_a_family_and_a_copy_are_keys_like_others() -> None:
    """Their metric is the one that the family gives them, or the copied one."""
    family = {"kl and others": {"family": {"kl": "m", "ratio": "n"}, "also": {"kl2": {"of": "ratio"}}}}
    files = {"base": file(**{**BASE, "keys": family}), "own": file(extends=["base"], keys={"kl": {}, "kl2": {}})}
    said = written(files).keys
    assert [said[key].metric for key in ("kl", "kl2")] == ["m", "n"]  # type: ignore[union-attr]


def test_a_family_stays_under_the_name_of_its_record() -> None:
    """The metrics of its keys with it; a record that is called like one of the keys is of that key alone."""
    family = {"kl": "m", "ratio": "n"}
    for name, expected in (("kl and others", family), ("kl", {})):
        base = file(**{**BASE, "keys": {name: {"family": family}}})
        own = written({"base": base, "own": file(extends=["base"], keys={name: {"notes": "N"}})}).keys[name]
        assert isinstance(own, Record)
        assert own.family == expected


def test_a_profile_that_means_something_else_here_is_not_kept() -> None:
    """A file can have a profile of its own under the name."""
    record = kept({}, {"kl": {"metric": "m", "profile": "mean"}}, profiles={"mean": {"brief": "Another"}})
    assert record.profile is None


def test_fields_are_kept_through_several_files_and_say_where_they_stand() -> None:
    """A record in the middle hands on what it keeps itself."""
    files = {"far": file(**{**BASE, "keys": {"kl": {"metric": "m", "profile": "mean"}}})}
    files["middle"] = file(extends=["far"], keys={"kl": {"profile": "mean"}}, components=[])
    files["own"] = file(extends=["middle"], keys={"kl": {}})
    result = write_out(framework(), files)
    record = result.files["own"].keys["kl"]
    assert isinstance(record, Record)
    assert (record.metric, record.profile) == ("m", "mean")
    assert result.moved["own"]["keys", "kl", "profile"] == ("middle", ("keys", "kl", "profile"))


def test_keys_that_are_never_logged_are_a_list_in_which_a_star_is_any_text() -> None:
    """Of the keys of all extended files; what fits none stays as it is written, for lint to show."""
    never = {"logged": "never", "reason": "R"}
    far = {"tools/calls": {"metric": "m"}, "tools and others": {"family": {"tools/time": "m", "loss": "m"}}}
    files = {"far": file(**{**BASE, "keys": far}), "near": file(**{**BASE, "keys": {"tools/x": {"metric": "m"}}})}
    files["near"] = files["near"].model_copy(update={"extends": ["far"]})
    omitted = {**never, "family": ["loss", "tools/*", "tool*/*s", "none/*"]}
    files["own"] = file(extends=["near"], keys={"tools/x": {**never}, "other": omitted})
    record = written(files).keys["other"]
    assert isinstance(record, Record)
    assert [*record.family] == ["loss", "tools/x", "tools/calls", "tools/time", "none/*"]
    assert {*record.family.values()} == {None}


def test_a_star_stands_for_keys_only_where_they_are_never_logged() -> None:
    """A record of its own names its keys."""
    with pytest.raises(ValueError, match="only with `logged: never`"):
        Record.model_validate({"family": {"tools/*": "m"}})
