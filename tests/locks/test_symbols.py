"""Modules read as symbols and statements, packages with bases, and statements found again."""

from __future__ import annotations

from pathlib import Path

import pytest
from locks.packages import package, wheel
from rlmetrics.codegen.locks.anchor_marks import Mark, find, mark_of
from rlmetrics.codegen.locks.anchoring import is_trivial, statement_at
from rlmetrics.codegen.locks.packages import Package, PackageError, open_package
from rlmetrics.codegen.locks.symbols import REST, read_module
from rlmetrics.codegen.locks.yaml_settings import read_settings

SOURCE = '''\
import os
if os.name:
    LIMIT = 3

class A(B):
    """Docs."""
    x: int = 1

    @property
    def p(self):
        return self._p

    @p.setter
    def p(self, value):
        self._p = value

    def f(self, a):
        """Docs."""
        if (
            a
            and self.p
        ):
            b = 1
        else:
            b = 2

        def g():
            return b
        return g()
'''


def test_symbols_are_functions_classes_and_assignments() -> None:
    """A method holds what is nested in it, a class its body without methods; the rest of a module is one symbol."""
    module = read_module("pkg/a.py", SOURCE)
    assert set(module.symbols) == {"LIMIT", "A", "A.p", "A.p.setter", "A.f", REST}
    assert len(module.symbols["A.f"].statements) == 7
    assert len(module.symbols["A"].statements) == 2


@pytest.mark.parametrize(
    ("line", "first"),
    [(3, 3), (7, 7), (9, 9), (19, 19), (20, 19), (23, 23), (25, 25), (28, 28), (29, 29)],
)
def test_a_line_belongs_to_the_smallest_statement_around_it(line: int, first: int) -> None:
    """Of a condition over several lines each is its header; a decorator belongs to its function."""
    module = read_module("pkg/a.py", SOURCE)
    symbol = module.symbol_at(line)
    assert symbol is not None
    place = symbol.place_at(line)
    assert place is not None
    assert first == symbol.statements[place].first


@pytest.mark.parametrize("line", [6, 18, 22, 24, 26])
def test_docstrings_blanks_brackets_and_else_are_no_statements(line: int) -> None:
    """They prove nothing, so that no anchor can be taken there."""
    symbol = read_module("pkg/a.py", SOURCE).symbol_at(line)
    assert symbol is None or symbol.place_at(line) is None


def test_a_symbol_changes_with_its_statements_and_their_nesting() -> None:
    """Comments, docstrings and layout leave its fingerprint; a statement that moves out of a condition changes it."""
    one = package("1", a="def f(x):\n    '''D.'''\n    if x:\n        g()\n    h()\n")
    same = package("2", a="def f(x):\n    # says nothing\n    if x:\n\n        g()\n    h( )\n")
    other = package("3", a="def f(x):\n    if x:\n        g()\n        h()\n")
    prints = [p.named("f")[0].fingerprint for p in (one, same, other)]
    assert prints[0] == prints[1] != prints[2]


def test_bases_are_followed_through_imports_and_aliases() -> None:
    """Relative imports, names that an `__init__` passes on, and imports within conditions."""
    found = package(
        "1",
        base="class Base:\n    def log(self): pass\n    def run(self): pass\n",
        sub__init="from ..base import Base as Root\n",
        sub__mid="from . import Root\nclass Mid(Root):\n    def run(self): pass\n",
        top="if 1:\n    from pkg.sub.mid import Mid\nclass Top(Mid, Generic[T]): pass\n",
    )
    top = found.class_named("pkg.top", "Top")
    assert top is not None
    assert [symbol.name for symbol in found.mro(top)] == ["Top", "Mid", "Base"]
    run, log = found.method(top, "run"), found.method(top, "log")
    assert (run and run.path, log and log.path) == ("pkg/sub/mid.py", "pkg/base.py")


def test_classes_that_extend_each_other_end() -> None:
    """A circle, as it can stand in a tree that nobody runs, is not followed forever."""
    found = package("1", a="from pkg.b import B\nclass A(B): pass\n", b="from pkg.a import A\nclass B(A): pass\n")
    symbol = found.class_named("pkg.a", "A")
    assert symbol is not None
    assert {item.name for item in found.mro(symbol)} == {"A", "B"}


REPEATED = """\
def f(a, b):
    if a:
        x = 1
        y = 2
    if b:
        x = 1
    return x
"""


def test_equal_statements_are_told_apart_by_the_headers_around_them() -> None:
    """A statement that its symbol says once needs no headers; one that is said twice carries them."""
    found = package("1", a=REPEATED)
    symbol = found.named("f")[0]
    marks = [mark_of(symbol, place) for place in range(1, 7)]
    assert [mark.around for mark in marks] != ["", "", "", "", "", ""]
    assert marks[2].around == ""
    first, second = marks[1], marks[4]
    assert first.fingerprint == second.fingerprint
    assert first.around != second.around
    assert [item.offsets for item in find(found, [first])] == [(2,)]
    assert [item.offsets for item in find(found, [second])] == [(5,)]


def test_a_mark_that_became_ambiguous_is_not_found() -> None:
    """Where a symbol says twice what it said once, nothing tells which one was meant."""
    before = package("1", a="def f(a):\n    x = 1\n    return x\n")
    after = package("2", a="def f(a):\n    x = 1\n    if a:\n        x = 1\n    return x\n")
    mark = mark_of(before.named("f")[0], 1)
    assert len(find(before, [mark])) == 1
    assert find(after, [mark]) == []


def test_a_mark_is_found_where_its_symbol_moved() -> None:
    """In another file, as long as one symbol has the name; of several, in the one that is near."""
    mark = mark_of(package("1", a="def f():\n    x = 1\n").named("f")[0], 1)
    moved = package("2", b="\n\ndef f():\n    x = 1\n")
    assert [(item.path, item.offsets) for item in find(moved, [mark], ["pkg/a.py"])] == [("pkg/b.py", (1,))]
    twice = package("3", b="def f():\n    x = 1\n", c="def f():\n    x = 1\n")
    assert find(twice, [mark], ["pkg/a.py"]) == []
    assert [item.path for item in find(twice, [mark], ["pkg/c.py"])] == ["pkg/c.py"]


def test_every_unique_statement_is_lost_when_it_is_edited() -> None:
    """Whichever statement of a symbol changes, its mark is not found any more, and those of the others are."""
    lines = ["def f(a):", "    x = a", "    y = x + 1", "    for i in y:", "        z(i)", "    return y - 1"]
    before = package("1", a="\n".join(lines))
    marks = [mark_of(before.named("f")[0], place) for place in range(1, 6)]
    edits = {1: "    x = b", 2: "    y = x + 2", 3: "    for i in x:", 4: "        z()", 5: "    return y - 2"}
    for changed, edit in edits.items():
        text = [edit if place == changed else line for place, line in enumerate(lines)]
        after = package("2", a="\n".join(text))
        found = [bool(find(after, [mark])) for mark in marks]
        assert [place != changed for place in range(1, 6)] == found


@pytest.mark.parametrize("text", ["a: " + "[" * 100_000, "- " * 100_000])
def test_yaml_of_a_package_that_nests_without_end_is_no_module(text: str) -> None:
    """It is left out like one that is no YAML; no stack runs out."""
    assert Package("pkg", "1.0", {"pkg/deep.yaml": text}).module("pkg/deep.yaml") is None


def test_yaml_keys_are_symbols() -> None:
    """A key's value is its statement; of a mapping only the key counts, so that a change inside leaves it."""
    one = read_settings("c.yaml", "a:\n  b: 1\n  c: [x, y]\n")
    two = read_settings("c.yaml", "# more\na:\n  b: 2\n  c:\n    - x\n    - y\n")
    assert set(one.symbols) == {"a", "a.b", "a.c"}
    same = {name: one.symbols[name].fingerprint == two.symbols[name].fingerprint for name in one.symbols}
    assert same == {"a": True, "a.b": False, "a.c": True}
    symbol = two.symbol_at(3)
    assert symbol is not None
    assert symbol.name == "a.b"


@pytest.mark.parametrize("text", ["return loss", "return self.x", "pass", "else:", "continue  # next", "import os"])
def test_trivial_statements_prove_nothing(text: str) -> None:
    """An anchor on one of these would hold whatever the code computes."""
    assert is_trivial(text)


@pytest.mark.parametrize("text", ["return a + b", "return f(x)", "x = y", "if x:", "log(x)"])
def test_other_statements_prove_something(text: str) -> None:
    """They compute, decide or write."""
    assert not is_trivial(text)


def test_wheels_and_folders_are_read_alike(tmp_path: Path) -> None:
    """The same texts and requirements; a folder may be the package's own or the one around it."""
    found = open_package("pkg", "1", wheel(tmp_path, "1", ("torch>=2",), a="x = 1\n"))
    folder = tmp_path / "tree" / "pkg"
    folder.mkdir(parents=True)
    for path, text in found.texts.items():
        (folder.parent / path).write_text(text)
    assert found.requirements == ("torch>=2",)
    assert found.texts == open_package("pkg", "1", folder).texts == open_package("pkg", "1", folder.parent).texts


@pytest.mark.parametrize("name", ["missing.whl", "text.whl", "empty"])
def test_what_is_no_package_is_refused(tmp_path: Path, name: str) -> None:
    """One line that names the file, for a path that is missing, no archive, or without the package."""
    (tmp_path / "text.whl").write_text("no archive")
    (tmp_path / "empty").mkdir()
    with pytest.raises(PackageError, match=name):
        open_package("pkg", "1", tmp_path / name)


def test_a_line_without_a_statement_is_refused() -> None:
    """A blank line, a line behind the end and a file that is not there."""
    found = package("1", a="def f():\n    x = 1\n\n    return x\n")
    for path, line in (("pkg/a.py", 3), ("pkg/a.py", 30), ("pkg/b.py", 1)):
        with pytest.raises(Exception, match=r"pkg/"):
            statement_at(found, path, line)


def test_a_mark_reads_as_text() -> None:
    """As it stands in a lock."""
    assert f"{Mark('A.f', '0123')} " == "A.f 0123 "
    assert str(Mark("A.f", "0123", "4567")) == "A.f 0123/4567"
