"""A YAML file becomes data with places, or findings, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from lint.spec_text import BASE
from rlmetrics.codegen.findings import Location, SpecFinding
from rlmetrics.codegen.loader import parse
from rlmetrics.codegen.loader.yaml_scalars import AmbiguousScalarError, resolve

TEXT = """\
name: 'it''s'
list:
  - plain text
  - {key: "a\\tb\\u00e9c", é: 1}
folded: >-
  first line
  second line
literal: |
  one
    two
empty:
"""
SEEDS = [path.read_bytes() for path in sorted(BASE.rglob("*.yaml"))]


def place(line: int, column: int) -> Location:
    """A location in the file that the tests parse."""
    return Location("f.yaml", line, column)


def test_data_is_that_of_yaml() -> None:
    """The data of a valid file are what a plain YAML reader makes of them."""
    document, findings = parse(TEXT.encode(), "f.yaml")

    assert findings == []
    assert yaml.safe_load(TEXT) == document.data


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("name",), False, place(1, 1)),
        (("name",), True, place(1, 7)),
        (("list", 1), False, place(4, 5)),
        (("list", 1, "é"), False, place(4, 26)),
        (("list", 1, "é"), True, place(4, 29)),
        (("empty",), True, place(11, 1)),
        (("list", 1, "missing", "deeper"), False, place(4, 5)),
        (("missing",), False, place(1, 1)),
        ((), False, place(1, 1)),
    ],
)
def test_places_are_exact(path: tuple[str | int, ...], value: bool, expected: Location) -> None:
    """Keys, values, items and missing fields are located by line and column, in characters."""
    document, _ = parse(TEXT.encode(), "f.yaml")

    assert document.locate(path, value=value) == expected


@pytest.mark.parametrize(
    ("path", "word", "expected"),
    [
        (("name",), "s", place(1, 12)),
        (("list", 0), "text", place(3, 11)),
        (("list", 1, "key"), "c", place(4, 22)),
        (("folded",), "second", place(7, 3)),
        (("folded",), "line second", place(6, 9)),
        (("literal",), "one", place(9, 3)),
        (("literal",), "two", place(10, 5)),
    ],
)
def test_characters_of_a_text_are_located(path: tuple[str | int, ...], word: str, expected: Location) -> None:
    """A character of a value is found in the file, through quotes, escapes, folding and indentation."""
    document, _ = parse(TEXT.encode(), "f.yaml")
    value = document.data
    for step in path:
        value = value[step]

    assert document.locate_in_text(path, value.index(word)) == expected


def test_a_place_after_the_end_is_the_end() -> None:
    """An offset behind the last character points to the end of the text, not outside the file."""
    document, _ = parse(b"a: xyz\n", "f.yaml")

    assert place(1, 6) == document.locate_in_text(("a",), 99)


def test_every_character_of_the_base_spec_is_found() -> None:
    """Whatever the quoting, each letter of each text of a real file is located on the very same letter."""
    content = (BASE / "metrics" / "policy.yaml").read_text(encoding="utf-8")
    document, _ = parse(content.encode(), "f.yaml")
    lines = content.split("\n")
    for path, text in _texts((), document.data):
        for offset, character in enumerate(text):
            where = document.locate_in_text(path, offset)
            if not character.isspace():
                assert character == lines[where.line - 1][where.column - 1]


def _texts(path: tuple[str | int, ...], node: object) -> list[tuple[tuple[str | int, ...], str]]:
    if isinstance(node, str):
        return [(path, node)]
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else []
    return [found for key, child in entries for found in _texts((*path, key), child)]


def test_crlf_and_byte_order_mark_do_not_shift_places() -> None:
    """Files saved on Windows give the same data and places."""
    document, findings = parse(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", "f.yaml")

    assert findings == []
    assert document.data == {"a": 1, "b": 2}
    assert place(2, 4) == document.locate(("b",), value=True)


def test_bytes_that_are_not_utf8_are_located() -> None:
    """The first byte that is not UTF-8 is named with its line and column."""
    document, findings = parse("a: 1\nb: é".encode("latin-1"), "f.yaml")

    expected = SpecFinding("yaml-encoding", "error", place(2, 4), "byte 0xe9 is not UTF-8", "save the file as UTF-8")
    assert findings == [expected]
    assert document.data is None


def test_an_alias_bomb_gives_one_finding() -> None:
    """Aliases that stand for billions of nodes are refused without expanding them."""
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for before, after in zip("abcdefghijkl", "bcdefghijklm", strict=True):
        bomb += f"{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"

    document, findings = parse(bomb.encode(), "f.yaml")

    assert [finding.id for finding in findings] == ["yaml-alias"]
    assert document.data is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[" * 100_000, place(1, 41)),
        ("{" * 100_000, place(1, 41)),
        ("[ " * 100_000, place(1, 81)),
        ("a:\n  {b: " + "[" * 100_000, place(2, 45)),
        ("- " * 100_000 + "x", place(1, 81)),
        ("? " * 100_000 + "x", place(1, 81)),
        ("".join(" " * level + "a:\n" for level in range(1100)), place(41, 41)),
    ],
)
def test_a_hundred_thousand_levels_give_one_finding(text: str, expected: Location) -> None:
    """Nesting far beyond the limit neither crashes nor hangs, and the place of the first level too many is told."""
    document, findings = parse(text.encode(), "f.yaml")

    assert [(finding.id, finding.location) for finding in findings] == [("yaml-depth", expected)]
    assert document.data is None


def test_brackets_in_texts_are_no_levels() -> None:
    """A text may be full of brackets."""
    text = "[{" * 3000
    document, findings = parse(f"a: '{text}' # {text}\nb: |\n  {text}\n".encode(), "f.yaml")

    assert findings == []
    assert document.data == {"a": text, "b": f"{text}\n"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("true", True),
        ("False", False),
        ("12", 12),
        ("-3", -3),
        ("0.12", 0.12),
        ("1e-5", 1e-5),
        ("5.", 5.0),
        (".5", 0.5),
        ("1.2.3", "1.2.3"),
        ("0.3.0..0.11.4", "0.3.0..0.11.4"),
        ("2024-01-31", "2024-01-31"),
        ("never", "never"),
        ("-", "-"),
    ],
)
def test_plain_scalars(text: str, value: object) -> None:
    """Unquoted scalars mean what YAML 1.2 says."""
    assert (type(value), value) == (type(resolve(text)), resolve(text))


def test_infinite_and_missing_numbers() -> None:
    """The special floats of YAML are read."""
    assert float("-inf") == resolve("-.inf")
    assert resolve(".nan") != resolve(".nan")


@pytest.mark.parametrize("text", ["yes", "No", "on", "OFF", "012", "0o17", "1_000", "1:30", "0x1F"])
def test_scalars_that_readers_disagree_about(text: str) -> None:
    """What YAML 1.1 and 1.2 read differently must be quoted."""
    with pytest.raises(AmbiguousScalarError, match=text):
        resolve(text)


@given(st.binary(max_size=400))
@example(b"\x00")
@example(b"a: \xff")
@example(b"? - a\n")
@example(b"--- !!python/object:os.system {}\n")
@example(b"&a [*a]")
@example(b"%YAML 9.9\n---\na: 1")
@example("\ufeff\ufeffa: 1".encode())
def test_any_bytes_give_data_or_findings(content: bytes) -> None:
    """No input makes the parser raise, and every finding lies in the file."""
    _check(content)


@given(st.text(alphabet="ab1:-{}[]&*!|>'\"%@`#,? \n\té\x07", max_size=200))
def test_any_text_gives_data_or_findings(text: str) -> None:
    """Text made of YAML's own punctuation neither crashes nor passes silently."""
    _check(text.encode())


@given(st.sampled_from(SEEDS), st.data())
def test_damaged_files_give_data_or_findings(seed: bytes, data: st.DataObject) -> None:
    """A valid file with bytes replaced, cut or repeated neither crashes nor hangs."""
    start = data.draw(st.integers(0, len(seed)))
    end = data.draw(st.integers(start, min(len(seed), start + 40)))
    _check(seed[:start] + data.draw(st.binary(max_size=8)) + seed[end:] + seed[start:end])


def _check(content: bytes) -> None:
    document, findings = parse(content, "f.yaml")
    assert document.data is not None or findings
    lines = content.decode("utf-8", "replace").splitlines() or [""]
    for finding in findings:
        assert finding.level == "error"
        assert "\n" not in finding.message + finding.fix
        assert 1 <= finding.location.line <= len(lines) + 1
        assert finding.location.column >= 1


def test_parse_does_not_depend_on_the_folder(tmp_path: Path) -> None:
    """The name in locations is the one that is given, whatever the bytes come from."""
    path = tmp_path / "x.yaml"
    path.write_bytes(b"a: [1\n")

    _, findings = parse(path.read_bytes(), "spec/x.yaml")

    assert [finding.location.file for finding in findings] == ["spec/x.yaml"]
