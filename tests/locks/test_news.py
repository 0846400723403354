"""News between two releases, the list that a person works off, and the replay of the past."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from locks.packages import package
from rlmetrics.codegen.locks.anchor_marks import Mark, mark_of
from rlmetrics.codegen.locks.component_lock import Anchor, Claim, ClassRange, LockedComponent, StatedDefault
from rlmetrics.codegen.locks.extend import extend
from rlmetrics.codegen.locks.lock import Lock
from rlmetrics.codegen.locks.packages import Package
from rlmetrics.codegen.locks.pending import CONFIRMABLE, Pending, PendingError
from rlmetrics.codegen.locks.release_news import Item, News, ReleaseStep, news
from rlmetrics.codegen.locks.replay import Replayed, ReplayRow, RowId, cut, replay_step
from rlmetrics.codegen.locks.symbol_changes import depends, diff_of

ORDER = ("1", "2")
TRAINER = """\
from pkg.utils import mean

class TConfig:
    beta: float = 0.1

class T:
    def __init__(self, args: TConfig): pass

    def loss(self, x):
        scale = 2
        kl = mean(x)
        self.put("kl", kl * scale)
        print("hello")
"""
UTILS = "def mean(x):\n    return sum(x) / len(x)\n\ndef unused(x):\n    return x\n"


def _old() -> Package:
    return package("1", a=TRAINER, utils=UTILS)


def _component(stem: str = "a", name: str = "T", module: str = "pkg.a", **more: Any) -> LockedComponent:
    at = ("kl.mean", "kl.put")
    claim = Claim(("keys", "kl"), "kl", ("kl",), ("train",), frozenset(ORDER), at)
    fields: dict[str, object] = {
        "classes": (ClassRange(name, module, frozenset(ORDER)),),
        "anchors": {anchor: Anchor("pkg", (f"{name}.loss",)) for anchor in at},
        "claims": (claim,),
        "keys": {"kl": frozenset(ORDER)},
        **more,
    }
    return LockedComponent("pkg", "pkg", stem, **fields)  # type: ignore[arg-type]


def _marks(old: Package, name: str = "T") -> dict[str, list[Mark]]:
    symbol = old.named(f"{name}.loss")[0]
    return {"kl.mean": [mark_of(symbol, 2)], "kl.put": [mark_of(symbol, 3)]}


def _step(new: Package, keys: Mapping[str, list[str]] | None = None, **more: Any) -> ReleaseStep:
    """Two releases with the lock that adding the second one gives."""
    old, component = _old(), _component(**more)
    common = Lock("pkg", "framework", list(ORDER))
    lock = Lock("pkg", "a", common=common)
    written = {"kl": ["pkg/a.py T.loss"]}
    extend(lock, old, component, written, _marks(old))
    extend(lock, new, component, written if keys is None else keys)
    return ReleaseStep(old, new, [component], {"a": lock}, common, {"a": frozenset({"kl"})})


def _new(old: str = "", new: str = "", utils: str = UTILS) -> Package:
    assert old in TRAINER
    return package("2", a=TRAINER.replace(old, new), utils=utils)


def _kinds(found: News) -> list[str]:
    return [item.kind for item in found.items]


def test_a_release_that_only_moves_code_has_no_news() -> None:
    """New lines, comments and docstrings move anchors, which are found."""
    found = news(_step(_new("class TConfig", "# A comment.\n\nclass TConfig")))
    assert (found.found, found.moved, found.lost, found.items) == (2, 2, 0, ())


def test_an_edited_statement_is_lost_and_its_successor_proposed() -> None:
    """With the command that takes it."""
    found = news(_step(_new("kl * scale", "kl * scale / 3")))
    assert _kinds(found) == ["anchor lost", "changed code"]
    lost = found.items[0]
    assert (lost.what, lost.keys) == ("kl.put in T.loss -> 1 key", ("a: kl",))
    assert lost.hints[0] == "rlmetrics anchor add kl.put pkg==2 pkg/a.py:12"
    assert lost.hints[1].endswith("- {releases: 2.., …, at: [kl.put]}")
    assert lost.diff[1].endswith("(similar)")


def test_a_statement_that_moved_to_another_symbol_is_proposed() -> None:
    """The same statement elsewhere is a better proposal than a similar one in its place."""
    moved = TRAINER.replace('        self.put("kl", kl * scale)\n', "") + (
        '\n    def record(self, kl, scale):\n        self.put("kl", kl * scale)\n'
    )
    found = news(_step(package("2", a=moved, utils=UTILS)))
    assert "the same in T.record" in found.items[0].diff[1]


def test_a_statement_that_also_stood_elsewhere_is_not_proposed() -> None:
    """What another class said before, too, is no successor: the edited statement is, however little it resembles."""
    more = TRAINER + '\nclass U:\n    def put(self, kl, scale):\n        self.put("kl", kl * scale)\n'
    old = package("1", a=more, utils=UTILS)
    new = package("2", a=more.replace('self.put("kl", kl * scale)\n        p', "self.put(kl_of(x).sum())\n        p"))
    step = _step(_new())
    lock = Lock("pkg", "a", common=Lock("pkg", "framework", list(ORDER)))
    for release in (old, new):
        extend(lock, release, step.components[0], {"kl": ["pkg/a.py T.loss"]}, _marks(old))
    lost = news(replace(step, old=old, new=new, locks={"a": lock})).items[0]
    assert lost.hints[0] == "rlmetrics anchor add kl.put pkg==2 pkg/a.py:12"


def test_changed_code_that_is_watched_has_to_be_read() -> None:
    """A function that a method of the class calls is watched; one that nothing calls is named only."""
    read = news(_step(_new(utils=UTILS.replace("len(x)", "(len(x) - 1)"))))
    assert _kinds(read) == ["changed code"]
    assert read.items[0].diff == ("- return sum(x) / len(x)", "+ return sum(x) / (len(x) - 1)")
    named = news(_step(_new(utils=UTILS.replace("    return x\n", "    return x + 1\n"))))
    assert (_kinds(named), named.names) == ([], ("pkg/utils.py unused",))


HELPED = """\
def _pack(x):
    return x

class Batch:
    def cut(self, x): return x

def mean(x):
    return sum(_pack(Batch().cut(x))) / len(x)
"""


def test_private_functions_are_read_with_those_that_use_them() -> None:
    """What a watched function of another module uses there; a class that was there before is not of it."""
    old = package("1", a=TRAINER, utils=HELPED)
    changed = HELPED.replace("    return x\n", "    return x[1:]\n").replace(
        "cut(self, x): return x", "cut(self, x): return 0"
    )
    found = news(replace(_step(_new(utils=changed)), old=old))
    assert [item.symbols for item in found.items if item.symbols[0][1] != "mean"] == [(("pkg/utils.py", "_pack"),)]
    assert "pkg/utils.py Batch.cut" in found.names


def test_a_new_class_is_read_with_the_function_that_uses_it() -> None:
    """With its methods, since what the function did before is done there now."""
    found = news(_step(_new(utils=HELPED)))
    shown = {name for item in found.items for _, name in item.symbols}
    assert shown == {"mean", "_pack", "Batch", "Batch.cut"}


def test_what_anchors_depend_on_comes_first() -> None:
    """The scale enters the anchored statement, the greeting does not."""
    more = TRAINER + "\n    def other(self):\n        return 1\n"
    old = package("1", a=more, utils=UTILS)
    new = package("2", a=more.replace("scale = 2", "scale = 3").replace("return 1", "return 2"), utils=UTILS)
    step = _step(new)
    lock = Lock("pkg", "a", common=Lock("pkg", "framework", list(ORDER)))
    for release in (old, new):
        extend(lock, release, step.components[0], {"kl": ["pkg/a.py T.loss"]}, _marks(old))
    found = news(replace(step, old=old, locks={"a": lock}))
    assert [item.symbols[0][1] for item in found.items] == ["T.loss", "T.other"]


@pytest.mark.parametrize(("edit", "expected"), [("scale = 2", True), ('print("hello")', False), ("mean(x)", True)])
def test_dependence_follows_names(edit: str, expected: bool) -> None:
    """Backwards from a statement through what it reads."""
    old, new = _old(), _new(edit, edit.replace("2", "3").replace("hello", "bye").replace("(x)", "(x, x)"))
    symbol, other = old.named("T.loss")[0], new.named("T.loss")[0]
    assert expected is depends(symbol, other, old.texts["pkg/a.py"].splitlines(), [3])


def test_keys_that_appear_vanish_and_move_are_news() -> None:
    """Against the keys that are described."""
    assert _kinds(news(_step(_new(), {"kl": ["pkg/a.py T.loss"], "lr": ["pkg/a.py T.loss"]}))) == ["new key"]
    assert _kinds(news(_step(_new(), {}))) == ["lost key"]
    assert _kinds(news(_step(_new(), {"kl": ["pkg/a.py T.log"]}))) == ["moved key"]


def _default(value: float, releases: frozenset[str] = frozenset(ORDER)) -> dict[str, tuple[StatedDefault, ...]]:
    return {"beta": (StatedDefault("a", ("config", "beta", "defaults", 0), "1..", releases, value),)}


def test_a_changed_default_has_to_be_edited_where_the_spec_says_it() -> None:
    """With both values and what to write; the class's body, in which nothing else changed, is not to be read, too."""
    (item,) = news(_step(_new("0.1", "0.2"), defaults=_default(0.1))).items
    assert (item.kind, item.tier, item.what) == ("default", "edit", "beta 0.1 -> 0.2 (TConfig)")
    assert item.hints[0].endswith("end it,   releases: 1")


def test_a_changed_default_that_the_locks_have_is_to_be_read() -> None:
    """Nothing is to be edited, but what it changes by default is for a person to say, however often one adds."""
    for value in (0.1, 0.2):
        left = {"beta": tuple(replace(item, written=False) for item in _default(value)["beta"])}
        (item,) = news(_step(_new("0.1", "0.2"), defaults=left)).items
        assert (item.kind, item.tier) == ("setting", "read")
        assert item.what == "beta 0.1 -> 0.2 (TConfig), which the locks take over: what does it change by default?"


def test_a_default_that_the_spec_says_is_no_news() -> None:
    """Neither a new value that it has from this release on, nor the end of a field."""
    assert news(_step(_new("0.1", "0.2"), defaults=_default(0.2))).items == ()
    gone = news(_step(_new("    beta: float = 0.1", "    pass"), defaults=_default(0.1, frozenset({"1"}))))
    assert "default" not in _kinds(gone)
    assert "setting" not in _kinds(gone)


def test_a_default_that_the_spec_does_not_describe_is_to_be_read() -> None:
    """It may change what is logged, so that a person says why not."""
    (item,) = news(_step(_new("0.1", "0.2"))).items
    assert (item.kind, item.tier) == ("setting", "read")
    assert item.kind in CONFIRMABLE
    assert "default" not in CONFIRMABLE


def test_a_configuration_class_that_says_more_has_to_be_read() -> None:
    """A field with another type, beside its new default."""
    found = news(_step(_new("beta: float = 0.1", "beta: int = 2"), defaults=_default(0.1)))
    assert _kinds(found) == ["default", "changed code"]


def _renamed(**more: Any) -> News:
    """The statement that wrote ``kl`` writes ``kl/new``; what the file says may be replaced."""
    step = _step(_new('self.put("kl"', 'self.put("kl/new"'), {"kl/new": ["pkg/a.py T.loss"]})
    component = replace(step.components[0], **more)
    described = {"a": frozenset(key for key, releases in component.keys.items() if "2" in releases)}
    written = {("a", "kl/new"): ("pkg/a.py", 12, "T.loss")}
    return news(replace(step, components=[component], described=described, written=written))


def test_a_key_with_another_name_is_one_item() -> None:
    """Not one that vanished and one that appeared; it says what to write."""
    found = _renamed()
    assert _kinds(found) == ["anchor lost", "renamed key", "changed code"]
    item = found.items[1]
    assert item.what == "kl -> kl/new of T"
    assert item.hints[0].endswith("renamed: {kl/new: {releases: 2..}}")


def test_what_was_edited_needs_no_reading() -> None:
    """Once the spec says something new of each key that the changed statements write, and of no other one."""
    both = {"kl": frozenset({"1"}), "kl/new": frozenset({"2"})}
    at = ("kl.mean", "kl.put")
    named = Claim(("keys", "kl"), "kl", ("kl", "kl/new"), ("train",), frozenset(ORDER), at)
    assert _kinds(_renamed(keys=both, claims=(named,))) == ["anchor lost"]
    other = Claim(("keys", "other"), "other", ("other",), ("train",), frozenset(ORDER), ("kl.put",))
    assert _kinds(_renamed(keys=both, claims=(named, other))) == ["anchor lost", "changed code"]


def test_a_component_that_is_gone_is_news() -> None:
    """Its class is nowhere, so that every key is in doubt."""
    found = news(_step(package("2", b=TRAINER, utils=UTILS)))
    assert "component" in _kinds(found)
    assert "in pkg/b.py" in next(item.what for item in found.items if item.kind == "component")


def test_copies_of_one_change_are_one_item() -> None:
    """Two trainers with the same hunk are read once."""
    copied = (
        TRAINER.replace("class T:", "class U:")
        .replace("class TConfig", "class UConfig")
        .replace("TConfig)", "UConfig)")
    )
    old = package("1", a=TRAINER, b=copied, utils=UTILS)
    new = package(
        "2", a=TRAINER.replace("scale = 2", "scale = 3"), b=copied.replace("scale = 2", "scale = 3"), utils=UTILS
    )
    common = Lock("pkg", "framework", list(ORDER))
    components = [_component(), _component("b", "U", "pkg.b")]
    locks = {}
    for component, name in zip(components, ("T", "U"), strict=True):
        lock = locks[component.stem] = Lock("pkg", component.stem, common=common)
        for release in (old, new):
            extend(lock, release, component, {}, _marks(old, name))
    found = [item for item in news(ReleaseStep(old, new, components, locks, common)).items if item.tier == "read"]
    assert [item.components for item in found] == [("a", "b")]


def test_a_diff_shows_lines_of_code_that_changed() -> None:
    """Without layout and comments; hunks are parted."""
    old = package("1", a="def f(a):\n    x = g(\n        1,\n        2,\n    )\n    y = 1\n    return x\n")
    new = package("2", a="def f(a):\n    # new\n    x = g(\n        1,\n        3,\n    )\n    y = 1\n    return y\n")
    shown = diff_of(old.named("f")[0], new.named("f")[0], *(p.texts["pkg/a.py"].splitlines() for p in (old, new)))
    assert shown == ("-     2,", "+     3,", "@", "- return x", "+ return y")


def _item(kind: str, token: str) -> Item:
    return Item(kind, token, token, ("a",))  # type: ignore[arg-type]


def test_items_keep_their_names_while_others_come_and_go(tmp_path: Path) -> None:
    """An answer stays with its change; what is repaired is dropped, and its name is not given again."""
    first = Pending("2", ()).updated([_item("anchor lost", "x"), _item("changed code", "y")])
    assert [entry.id for entry in first.entries] == ["e1", "r1"]
    answered = first.confirmed("r1", "a log message only")
    answered.write(tmp_path / "news.json")
    again = Pending.read(tmp_path / "news.json")
    assert again is not None
    later = again.updated([_item("changed code", "y"), _item("changed code", "z"), _item("new key", "k")])
    assert [entry.id for entry in later.entries] == ["r1", "r2", "e2"]
    assert [entry.id for entry in later.open] == ["r2", "e2"]


def test_a_list_without_open_items_leaves_no_file(tmp_path: Path) -> None:
    """So that the next release can be added."""
    path = tmp_path / "news.json"
    pending = Pending("2", ()).updated([_item("changed code", "y")])
    pending.write(path)
    assert path.is_file()
    pending.confirmed("r1", "a log message only").write(path)
    assert not path.exists()


def test_answers_are_known_again_when_a_release_is_added_once_more() -> None:
    """Those of changes that may be confirmed; what makes the spec wrong stays open whatever was said of it."""
    again = Pending("2", ()).updated([_item("anchor lost", "x"), _item("changed code", "y")], {"x": "no", "y": "a log"})
    assert [entry.why for entry in again.entries] == [None, "a log"]


def test_what_was_to_read_of_a_release_that_is_there_is_closed() -> None:
    """What makes the spec wrong stays open."""
    pending = Pending("2", ()).updated([_item("anchor lost", "x"), _item("changed code", "y")])
    assert [entry.id for entry in pending.closed("it was read").open] == ["e1"]


@pytest.mark.parametrize(
    ("name", "why", "said"),
    [
        ("r9", "a log message only", "no item r9"),
        ("e1", "a log message only", "nothing but an edit"),
        ("r1", "ok", "three"),
    ],
)
def test_what_makes_the_spec_wrong_cannot_be_confirmed(name: str, why: str, said: str) -> None:
    """Nor can an item that is not there, or without a reason."""
    pending = Pending("2", ()).updated([_item("anchor lost", "x"), _item("changed code", "y")])
    with pytest.raises(PendingError, match=said):
        pending.confirmed(name, why)


def test_a_spec_cut_off_before_a_release_knows_nothing_that_was_born_with_it() -> None:
    """What held in the release before goes on; what began or ended later is left out."""
    order = ("1", "2", "3")
    held = Claim((), "held", (), (), frozenset({"1", "2"}), ())
    born = Claim((), "born", (), (), frozenset({"3"}), ())
    component = _component(claims=(held, born), keys={"a": frozenset({"1"}), "b": frozenset({"3"})})
    then = cut(component, order, 2)
    assert [(claim.name, claim.releases) for claim in then.claims] == [("held", frozenset(order))]
    assert then.keys == {"a": frozenset({"1"})}


def _replayed(new: Package, meaning: object, **more: Any) -> Replayed:
    component = _component(**more)
    common = Lock("pkg", "framework", list(ORDER))
    lock = Lock("pkg", "a", common=common)
    old = _old()
    for release in (old, new):
        extend(lock, release, component, {"kl": ["pkg/a.py T.loss"]}, _marks(old))
    anchors = frozenset({("a", "kl.mean"), ("a", "kl.put")})
    rows = {
        "1": {RowId("a", "kl", "train"): ReplayRow("same", anchors)},
        "2": {RowId("a", "kl", "train"): ReplayRow(meaning, anchors)},
    }
    keys = {"kl": ["pkg/a.py T.loss"]}
    return replay_step(old, new, ORDER, {"a": component}, {"a": lock}, rows.__getitem__, lambda *_: keys)


def test_an_unchanged_row_is_carried_as_long_as_its_anchors_are_found() -> None:
    """Moved code carries it, an edited statement does not."""
    kept, lost = _replayed(_new(), "same"), _replayed(_new("kl * scale", "scale * kl"), "same")
    assert [(step.unchanged, step.carried) for step in (kept, lost)] == [(1, 1), (1, 0)]


def test_a_changed_row_is_silent_if_no_item_speaks_of_its_component() -> None:
    """Here the meaning changed by code that the component does not watch; watching it, the change is an item."""
    new = _new(utils=UTILS.replace("    return x\n", "    return x + 1\n"))
    row = RowId("a", "kl", "train")
    assert ((row,), (row,)) == ((step := _replayed(new, "other")).changed, step.silent)
    assert _replayed(new, "other", watch=("unused",)).silent == ()
