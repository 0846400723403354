"""Which guide a statement of `documented` is from: its own, else the file's, release by release."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from meaning.test_fact_groups import ORDER, RANGES, file, framework
from rlmetrics.codegen.loader.fact_groups import write_out

GUIDES = st.none() | st.sampled_from(["a # One", "b # Two"]) | st.just({"..1.1.0": "a # One", "1.2.0..": "b # Two"})


def named(guide: Any, release: str) -> str | None:
    """The guide that a citation names for a release."""
    if not isinstance(guide, dict):
        return None if guide is None else str(guide)
    return next((name for ranges, name in guide.items() if release in ORDER.expand([ranges])), None)


def _listed(ranges: str | list[str]) -> list[str]:
    return [ranges] if isinstance(ranges, str) else ranges


@given(own=GUIDES, whole=GUIDES, releases=RANGES, place=st.sampled_from(["record", "fact", "shared", "group"]))
def test_each_release_has_the_guide_of_the_statement_or_else_of_the_file(
    own: Any, whole: Any, releases: str | None, place: str
) -> None:
    """Wherever the statement stands, in a group of the framework, too."""
    statement = {"says": "S.", **({} if own is None else {"guide": own})}
    if releases is not None:
        statement["releases"] = releases
    fact = {"documented": [statement]}
    more: dict[str, Any] = {
        "record": {"keys": {"kl": {"metric": "m", **fact}}},
        "fact": {"keys": {"kl": {"metric": "m", "facts": [fact]}}},
        "shared": {"shared": [{"keys": ["kl"], **fact}]},
        "group": {"keys": {"kl": {"metric": "m", "groups": ["g"]}}},
    }[place]
    groups = {"groups": {"g": [fact]}} if place == "group" else {}
    written = write_out(framework(**groups), {"t": file(**more, **({} if whole is None else {"guide": whole}))})
    record = written.files["t"].keys["kl"]
    pieces = [record, *record.facts, *written.files["t"].shared]  # type: ignore[union-attr, list-item]
    found = [item for piece in pieces for item in piece.documented]  # type: ignore[union-attr]
    meant = whole if own is None else own
    for release in ORDER.expand([releases or ".."]):
        covering = [item for item in found if release in ORDER.expand(_listed(item.releases or ".."))]
        assert [item.cited for item in covering] == ([named(meant, release)] if covering else [])
        assert covering or named(meant, release) is None
