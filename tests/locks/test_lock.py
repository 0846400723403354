"""Locks: written and read back, what they know of a release, and how they are held against claims and packages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from locks.packages import package
from rlmetrics.codegen.locks.anchor_marks import mark_of
from rlmetrics.codegen.locks.anchoring import drop_unnamed
from rlmetrics.codegen.locks.component_lock import Anchor, Claim, ClassRange, LockedComponent
from rlmetrics.codegen.locks.extend import extend
from rlmetrics.codegen.locks.ledger import Ledger
from rlmetrics.codegen.locks.lock import Lock
from rlmetrics.codegen.locks.lock_check import check_component, differences
from rlmetrics.codegen.locks.lock_text import LockError, read_lock, write_lock
from rlmetrics.codegen.locks.packages import Package

RELEASES = ("1", "2", "3", "4")
WORD = st.text(st.characters(categories=("L", "N", "P")), min_size=1, max_size=6).filter(
    lambda text: not text.startswith(("#", "["))
)


@given(
    st.dictionaries(
        st.tuples(st.sampled_from(["watched", "symbols", "keys", "lines"]), WORD),
        st.dictionaries(
            WORD,
            st.dictionaries(WORD, st.sets(st.sampled_from(RELEASES), min_size=1), min_size=1, max_size=3),
            min_size=1,
            max_size=3,
        ),
        max_size=4,
    )
)
def test_a_lock_is_read_back_as_it_was_written(tables: dict) -> None:  # type: ignore[type-arg]
    """Whatever releases a value has, with gaps and open ends; and the text of what was read is the same."""
    lock = Lock("pkg", "a", list(RELEASES), tables)
    text = write_lock(lock)
    back = read_lock(text, "a.lock", "a")
    assert tables == back.tables
    assert text == write_lock(back)


@pytest.mark.parametrize(
    "text",
    [
        "nonsense\n",
        "[nonsense]\n",
        "package p\nreleases 1\n[keys]\na\tb\n",
        "package p\nreleases 1\n[keys]\na\tb\t9..\n",
    ],
)
def test_a_broken_lock_is_refused_with_its_line(text: str) -> None:
    """Only the machine writes locks, so that what it can't read was edited or merged badly."""
    with pytest.raises(LockError, match=r"a\.lock:\d+:1: "):
        read_lock(text, "a.lock", "a")


HEAD = "class T(B):\n    def __init__(self, args: TConfig): pass\n    def log(self):\n"
SOURCES = {
    "1": HEAD + "        x = mean(y)\n        put('kl', x)\n",
    "2": "import os\n\n" + HEAD + "        x = mean(y)\n        put('kl', x)\n",
    "3": HEAD + "        x = total(y) / n\n        put('kl', x)\n",
}
BASE = """\
def mean(y):
    return sum(y) / len(y)
class B:
    def train(self): pass
class TConfig:
    beta: float = field(default=0.1)
    beta2: int
"""


def _package(release: str) -> Package:
    return package(release, a="from pkg.base import B, TConfig, mean\n" + SOURCES[release], base=BASE)


def _component(**more: object) -> LockedComponent:
    at = ("kl.mean", "kl.put")
    claim = Claim(("keys", "kl"), "kl", ("kl",), ("train",), frozenset(SOURCES), at)
    fields: dict[str, object] = {
        "classes": (ClassRange("T", "pkg.a", frozenset(SOURCES)),),
        "anchors": {name: Anchor("pkg", ("T.log",)) for name in at},
        "claims": (claim,),
        "keys": {"kl": frozenset(SOURCES)},
        **more,
    }
    return LockedComponent("pkg", "pkg", "a", **fields)  # type: ignore[arg-type]


def _lock(component: LockedComponent, releases: tuple[str, ...] = ("1", "2", "3")) -> Lock:
    lock = Lock("pkg", "a", common=Lock("pkg", "framework"))
    symbol = _package("1").named("T.log")[0]
    marks = {"kl.mean": [mark_of(symbol, 1)], "kl.put": [mark_of(symbol, 2)]}
    for release in releases:
        extend(lock, _package(release), component, {"kl": ["pkg/a.py T.log"]}, marks)
    return lock


def test_a_lock_says_where_anchors_stand_in_each_release() -> None:
    """An anchor that moved has another line, one that was edited is not found."""
    lock = _lock(_component())
    assert [lock.places("kl.mean", release) for release in SOURCES] == [(("pkg/a.py", 5),), (("pkg/a.py", 7),), ()]
    assert lock.proven("kl.mean") == {"1", "2"}
    assert lock.proven("kl.put") == {"1", "2", "3"}


def test_a_component_watches_its_class_bases_configuration_and_what_these_call() -> None:
    """The class with its bases in the package, its configuration class, and functions that its methods name."""
    watched = {name for _, name in _lock(_component()).watched("1")}
    assert watched == {"T", "T.__init__", "T.log", "B", "B.train", "TConfig", "mean"}


def test_what_a_file_lists_is_watched() -> None:
    """A symbol, or all of a module."""
    assert ("pkg/base.py", "mean") in _lock(_component(classes=(), watch=("mean",))).watched("1")
    assert ("pkg/base.py", "B.train") in _lock(_component(classes=(), watch=("pkg/base.py",))).watched("1")


def test_defaults_methods_and_keys_are_kept() -> None:
    """As the source writes them; a field without a default is required."""
    lock = _lock(_component())
    assert lock.at("defaults", "1") == {("TConfig", "beta"): ("0.1",), ("TConfig", "beta2"): ("required",)}
    assert lock.at("methods", "1")["T", "train"] == ("B",)
    assert lock.at("keys", "3") == {("", "kl"): ("pkg/a.py T.log",)}


def test_extending_again_changes_nothing() -> None:
    """So that adding a release can be repeated."""
    component, lock = _component(), _lock(_component())
    before = write_lock(lock)
    extend(lock, _package("3"), component, {"kl": ["pkg/a.py T.log"]})
    assert write_lock(lock) == before


def test_a_lock_before_a_release_knows_nothing_of_it() -> None:
    """Nor of later ones."""
    component = _component()
    assert write_lock(_lock(component, ("1",))) == write_lock(_lock(component).before("2"))


def _problems(component: LockedComponent, lock: Lock) -> list[tuple[str, str]]:
    return [(problem.id, problem.anchor) for problem in check_component(component, lambda _: lock, list(SOURCES))]


def test_a_fact_is_proven_where_one_of_its_anchors_is_found() -> None:
    """The one with `put` is found in all three releases; without it nothing proves the third."""
    component = _component()
    lock = _lock(component)
    assert _problems(component, lock) == []
    claim = Claim(("keys", "kl"), "kl", ("kl",), ("train",), frozenset(SOURCES), ("kl.mean",))
    alone = _component(claims=(claim,))
    assert _problems(alone, lock) == [("unproven", ""), ("unused-anchor", "kl.put")]


def test_a_fact_is_held_by_the_anchors_of_its_key_where_its_own_are_not_found() -> None:
    """As where one statement proves what a record says in all releases, and another one what some of them add."""
    fact = Claim(("keys", "kl", "facts", 0), "kl, fact 1", ("kl",), (), frozenset(SOURCES), ("kl.mean",), ("kl.put",))
    assert _problems(_component(claims=(fact,)), _lock(_component())) == [("unused-anchor", "kl.put")]


def test_anchors_that_are_unknown_unused_never_found_or_idle_are_told() -> None:
    """Each with its own name."""
    lock = _lock(_component())
    late = Claim(("keys", "kl"), "kl", (), ("train",), frozenset({"3"}), ("kl.mean", "kl.put", "none", "lost"))
    anchors = {**_component().anchors, "spare": Anchor("pkg", ("T.log",)), "lost": Anchor("pkg", ("T.log",))}
    component = _component(claims=(late,), anchors=anchors)
    expected = {
        ("unknown-anchor", "none"),
        ("idle-anchor", "kl.mean"),
        ("anchor-not-found", "lost"),
        ("unused-anchor", "spare"),
    }
    assert set(_problems(component, lock)) == expected


def test_other_packages_prove_nothing() -> None:
    """A claim with such anchors alone is held by what its component watches; that it is found somewhere is asked."""
    other = {"hf": Anchor("other", ("T.log",))}
    claim = Claim(("keys", "kl"), "kl", (), ("train",), frozenset(SOURCES), ("hf",))
    assert _problems(_component(anchors=other, claims=(claim,)), _lock(_component())) == [("anchor-not-found", "hf")]


def test_anchors_that_nothing_names_are_dropped(tmp_path: Path) -> None:
    """From the lock alone: what claims name stays, and so does all else that the lock knows."""
    component = _component()
    spare = {**component.anchors, "spare": Anchor("pkg", ("T.log",))}
    ledger = Ledger(tmp_path, "pkg")
    lock = ledger.lock("a")
    lock.releases.append("1")
    for name in spare:
        lock.put("anchors", "pkg/a.py", name, "T.log 00 +1", "1")
    lock.put("methods", "T", "log", "T", "1")

    assert drop_unnamed(ledger, {"a": replace(component, stem="a", anchors=spare)}) == [("a", "spare")]

    assert lock.anchors() == component.cited() & component.anchors.keys()
    assert ("methods", "T") in lock.tables


@pytest.mark.parametrize("name", ["kl.mean", "kl.put"])
def test_a_lock_that_is_off_by_one_statement_is_noticed(name: str) -> None:
    """Held against the release itself."""
    lock = _lock(_component())
    assert differences(lock, _package("1")) == []
    shifted = read_lock(write_lock(lock).replace(f"{name}\tT.log", f"{name}\tT.log", 1), "a.lock", "a")
    shifted.common = lock.common
    values = shifted.tables["anchors", "pkg/a.py"][name]
    (value,) = [text for text, found in values.items() if "1" in found]
    head, _, offset = value.rpartition("+")
    values[f"{head}+{int(offset) + (1 if name == 'kl.mean' else -1)}"] = values.pop(value)
    assert differences(shifted, _package("1")) != []
