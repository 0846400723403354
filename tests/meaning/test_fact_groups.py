"""Groups of facts: whoever refers to one says what its facts say, as if they were written out there."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.loader.fact_groups import write_out
from rlmetrics.codegen.meaning import ExtendedFile
from rlmetrics.codegen.model import ComponentFile, Framework
from rlmetrics.names.settings.guards import parse
from rlmetrics.names.tables.versions import Releases

NAMES = ("1.0.0", "1.1.0", "1.2.0", "1.3.0")
ORDER = Releases(dict.fromkeys(NAMES, ""))
RANGES = st.none() | st.sampled_from(["..1.1.0", "1.1.0..1.2.0", "1.2.0..", "1.3.0"])
MODES = st.none() | st.sampled_from([["train"], ["eval"]])
GUARDS = st.none() | st.sampled_from(["beta != 0", "tools", "tools or beta == 1"])
SETTINGS = [{"beta": beta, "tools": tools} for beta in (0, 1) for tools in (False, True)]


def framework(**more: Any) -> Framework:
    """A framework of four releases."""
    releases = [{"release": name, "date": "2026-01-01"} for name in NAMES]
    said = {"framework": "acme", "title": "A", "package": "acme", "brief": "B", "releases": releases}
    return Framework.model_validate({**said, **more})


def file(**more: Any) -> ComponentFile:
    """A file of one component, with one key."""
    component = {"name": "T", "releases": "1.0.0..", "module": "pkg"}
    said = {"title": "T", "brief": "B", "components": [component], "modes": ["train", "eval"]}
    return ComponentFile.model_validate({**said, "keys": {"kl": {"metric": "m"}}, **more})


def said(files: dict[str, ComponentFile], whole: Framework | None = None) -> set[tuple[Any, ...]]:
    """What the last file says: key, release, settings, and each trait that holds with them."""
    written = write_out(whole or framework(), files)
    assert written.faults == []
    component = ExtendedFile(written.files, [*files][-1], 15, lambda r: ORDER.bits(ORDER.checked(r)), 15)
    found: set[tuple[Any, ...]] = set()
    for item in component.resolved:
        for release in ORDER.of_bits(item.releases):
            for place, config in enumerate(SETTINGS):
                held = [f for f in item.facts if f.when is None or parse(f.when).evaluate(config)]
                found.update((item.key, release, place, trait) for f in held for trait in f.says.get("traits", ()))
    return found


@st.composite
def where(draw: st.DrawFn) -> dict[str, Any]:
    """Where a fact holds."""
    drawn = {"releases": draw(RANGES), "modes": draw(MODES), "when": draw(GUARDS)}
    return {name: value for name, value in drawn.items() if value is not None}


def holds_in(place: dict[str, Any], release: str, mode: str, config: dict[str, Any]) -> bool:
    """Whether a fact holds, by its own words."""
    return (
        ("releases" not in place or release in ORDER.expand([place["releases"]]))
        and mode in place.get("modes", ["train", "eval"])
        and ("when" not in place or bool(parse(place["when"]).evaluate(config)))
    )


@given(st.lists(where(), min_size=1, max_size=4), where(), st.sampled_from(["record", "fact", "shared", "facts"]))
def test_a_group_says_what_its_facts_say_where_both_hold(
    facts: list[dict[str, Any]], outer: dict[str, Any], user: str
) -> None:
    """Each fact holds where it says itself and where the one says that refers to its group; a record limits nothing."""
    group = [{**place, "traits": [f"t{index}"]} for index, place in enumerate(facts)]
    reference = {**outer, "groups": ["g"]}
    keys: dict[str, dict[str, Any]] = {
        "record": {"keys": {"kl": {"metric": "m", "groups": ["g"]}}},
        "fact": {"keys": {"kl": {"metric": "m", "facts": [reference]}}},
        "shared": {"shared": [{"keys": ["kl"], **reference}]},
        "facts": {"shared": [{"keys": ["kl"], **outer, "facts": [{"groups": ["g"]}]}]},
    }
    limit = {} if user == "record" else outer
    expected = {
        ("kl" if mode == "train" else "eval_kl", release, number, f"t{index}")
        for index, place in enumerate(facts)
        for release in NAMES
        for mode in ("train", "eval")
        for number, config in enumerate(SETTINGS)
        if holds_in(place, release, mode, config) and holds_in(limit, release, mode, config)
    }
    assert said({"own": file(groups={"g": group}, **keys[user])}) == expected


def test_a_group_may_name_another() -> None:
    """Both limits hold then."""
    groups = {
        "outer": [{"releases": "1.1.0..", "groups": ["inner"]}],
        "inner": [{"releases": "..1.2.0", "when": "tools", "traits": ["t"]}],
    }
    found = said({"own": file(groups=groups, modes=["train"], keys={"kl": {"metric": "m", "groups": ["outer"]}})})
    assert found == {("kl", release, place, "t") for release in ("1.1.0", "1.2.0") for place in (1, 3)}


def test_names_are_looked_for_nearest_first() -> None:
    """In the file, in those that it extends, and then in what holds for the whole framework."""
    everywhere = framework(groups={"g": [{"traits": ["all"]}], "h": [{"traits": ["rest"]}]})
    base = file(groups={"g": [{"traits": ["base"]}]}, keys={"old": {"metric": "m", "groups": ["h"]}}, modes=["train"])
    heir = file(extends=["base"], keys={"kl": {"metric": "m", "groups": ["g"]}}, modes=["train"])
    other = file(keys={"x": {"metric": "m", "groups": ["g"]}})
    found = said({"other": other, "base": base, "heir": heir}, everywhere)
    assert {(key, trait) for key, _, _, trait in found} == {("old", "rest"), ("kl", "base")}


def test_guards_of_extended_files_and_of_the_framework_are_known() -> None:
    """A named condition stands for what it does where it is defined, in the releases of the file that uses it."""
    everywhere = framework(guards={"penalised": [{"releases": "1.1.0..", "when": "beta != 0"}]})
    base = file(guards={"either": "penalised or tools"}, keys={"x": {"metric": "m"}}, modes=["train"])
    facts = [{"when": "either", "traits": ["t"]}]
    heir = file(extends=["base"], keys={"kl": {"metric": "m", "facts": facts}}, modes=["train"])
    found = said({"base": base, "heir": heir}, everywhere)
    expected = {("kl", name, place, "t") for name in NAMES for place in ((1, 3) if name == "1.0.0" else (1, 2, 3))}
    assert found == expected


def test_a_profile_of_the_framework_is_taken_where_none_is_nearer() -> None:
    """So that one that many files share is written once."""
    everywhere = framework(profiles={"p": {"brief": "For all."}, "q": {"brief": "For all."}})
    keys = {"kl": {"metric": "m", "profile": "p"}, "x": {"metric": "m", "profile": "q"}}
    written = write_out(everywhere, {"own": file(keys=keys, profiles={"p": {"brief": "Own."}})})
    assert {name: item.brief for name, item in written.files["own"].profiles.items()} == {"p": "Own.", "q": "For all."}


def test_a_star_stands_for_any_text_in_keys() -> None:
    """Of keys that the file or an extended one spells; braces and dots are nothing special."""
    base = file(keys={"clip/low": {"metric": "m"}, "clip.low": {"metric": "m"}}, modes=["train"])
    family = {"clip/{x}_mean": "m", "kl": "n"}
    shared = [{"keys": ["clip/*"], "traits": ["a"]}, {"keys": ["*_mean", "kl"], "traits": ["b"]}]
    heir = file(extends=["base"], keys={"own": {"family": family}}, shared=shared, modes=["train"])
    found = {(key, trait) for key, _, _, trait in said({"base": base, "heir": heir})}
    assert found == {("clip/low", "a"), ("clip/{x}_mean", "a"), ("clip/{x}_mean", "b"), ("kl", "b")}


def test_a_profile_says_which_one_older_releases_had() -> None:
    """A record with it has that one there, as if a fact of its own said so."""
    profiles = {"cut": {"brief": "Cut.", "older": {"..1.1.0": "whole"}}, "whole": {"brief": "Whole."}}
    keys = {"kl": {"metric": "m", "profile": "cut"}, "new": {"metric": "m", "profile": "cut", "releases": "1.2.0.."}}
    written = write_out(framework(), {"own": file(profiles=profiles, keys=keys)}).files["own"].keys
    facts = {name: [(fact.releases, fact.profile) for fact in written[name].facts] for name in written}  # type: ignore[union-attr]
    assert facts == {"kl": [("..1.1.0", "whole")], "new": []}
