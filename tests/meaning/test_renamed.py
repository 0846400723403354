"""Keys that have another name in some releases."""

from __future__ import annotations

from typing import Any

from rlmetrics.codegen.meaning.resolution import ExtendedFile
from rlmetrics.codegen.model import ComponentFile
from rlmetrics.names.tables.versions import Releases

ORDER = Releases(dict.fromkeys(("1.0.0", "1.1.0", "1.2.0"), ""))


def _resolved(record: dict[str, Any], heir: dict[str, Any] | None = None, **more: Any) -> dict[str, set[str]]:
    """What a component logs: keys, with a trait of each in brackets, to the releases."""

    def file(keys: dict[str, Any], **fields: Any) -> ComponentFile:
        component = {"name": "T", "releases": "1.0.0..", "module": "pkg"}
        return ComponentFile.model_validate(
            {"title": "T", "brief": "B", "components": [component], "keys": keys, **fields}
        )

    files = {"base": file({"time": record}, **more), "heir": file(heir or {}, extends=["base"])}
    component = ExtendedFile(files, "heir", 0b111, lambda ranges: ORDER.bits(ORDER.checked(ranges)), 0b111)
    found: dict[str, set[str]] = {}
    for item in component.resolved:
        said = "".join(f" [{trait}]" for piece in item.facts for trait in piece.says.get("traits", ()))
        found.setdefault(f"{item.key}{said}", set()).update(ORDER.of_bits(item.releases))
    return found


def test_a_key_has_one_name_in_each_release() -> None:
    """The new one where it is said, and its own everywhere else; both carry the prefix of evaluation."""
    found = _resolved({"metric": "m", "renamed": {"seconds": {"releases": "1.2.0.."}}}, modes=["train", "eval"])
    names = {"time": {"1.0.0", "1.1.0"}, "seconds": {"1.2.0"}}
    assert found == {**names, **{f"eval_{key}": releases for key, releases in names.items()}}


def test_a_name_may_change_twice() -> None:
    """And a gap belongs to the first name."""
    renamed = {"seconds": {"releases": "1.1.0"}, "duration": {"releases": "1.2.0.."}}
    found = _resolved({"metric": "m", "renamed": renamed})
    assert found == {"time": {"1.0.0"}, "seconds": {"1.1.0"}, "duration": {"1.2.0"}}


def test_facts_go_on_to_hold() -> None:
    """Those of the record do; shared ones that name it hold under both names, others under the one they name."""
    record = {"metric": "m", "renamed": {"seconds": {"releases": "1.2.0.."}}, "facts": [{"traits": ["own"]}]}
    shared = [{"keys": ["time"], "traits": ["record"]}, {"keys": ["seconds"], "traits": ["name"]}]
    found = _resolved(record, shared=shared)
    assert found == {"time [own] [record]": {"1.0.0", "1.1.0"}, "seconds [own] [record] [name]": {"1.2.0"}}


def test_an_own_record_replaces_the_name_of_its_releases_alone() -> None:
    """A file that extends this one and describes the old name leaves the new one as it is."""
    record = {"metric": "m", "renamed": {"seconds": {"releases": "1.2.0.."}}, "facts": [{"traits": ["base"]}]}
    found = _resolved(record, {"time": {"metric": "n"}})
    assert found == {"time": {"1.0.0", "1.1.0", "1.2.0"}, "seconds [base]": {"1.2.0"}}


def test_one_key_of_a_family_can_have_another_name() -> None:
    """The one that is named; the others, and its copies, keep theirs."""
    record = {
        "family": {"time": "m", "wait": "n"},
        "also": {"copy": {"of": "wait"}},
        "renamed": {"pause": {"of": "wait", "releases": "1.1.0"}},
    }
    every = {"1.0.0", "1.1.0", "1.2.0"}
    assert _resolved(record) == {"time": every, "wait": {"1.0.0", "1.2.0"}, "pause": {"1.1.0"}, "copy": every}
