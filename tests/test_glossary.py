"""One word for one thing: what the glossary calls a thing, pages, messages and docstrings call it, too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from rlmetrics.codegen.output.store import MARKER

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = ("README.md", "docs/*.md", "docs/api/*.md", "docs/translating/*.md")

_ROW = re.compile(r"^\| (?P<word>[^|]+) \| (?P<meaning>[^|]+) \| (?P<others>[^|]*)\|$", re.MULTILINE)
_ANOTHER_SENSE = re.compile(r"\*[^*]+\*")
_CODE = re.compile(
    r"\A---\n.*?^---$|^ *```.*?^ *```$|<!--.*?-->|``[^`]*``|`[^`]*`|\]\([^)]*\)", re.DOTALL | re.MULTILINE
)
_DOCTEST = re.compile(r"^ *(?:>>>|\.\.\.) .*$", re.MULTILINE)
_COMMAND = re.compile(r"\brlmetrics(?: [a-z]+\b|\[[a-z]+\])")


class Row(NamedTuple):
    """A row of the glossary: the word, what it is, and the words that no page uses for it."""

    word: str
    meaning: str
    rejected: tuple[str, ...]


@cache
def glossary(language: str = "") -> list[Row]:
    """Return the rows of the glossary."""
    found = []
    for row in _ROW.finditer((DOCS / language / "glossary.md").read_text(encoding="utf-8")):
        if row["word"] in ("word", "词") or set(row["word"]) == {"-"}:
            continue
        others = re.split("[,、]", _ANOTHER_SENSE.sub("", row["others"]))
        found.append(Row(row["word"], row["meaning"], tuple(word.strip() for word in others if word.strip())))
    return found


@cache
def rejected_words() -> re.Pattern[str]:
    """Return a pattern for all rejected words."""
    words = [re.escape(word).replace(r"\ ", r"\s+") for row in glossary() for word in row.rejected]
    return re.compile(rf"(?<![\w/.-])(?:{'|'.join(words)})s?(?![\w/-])", re.IGNORECASE)


@cache
def input_names() -> re.Pattern[str]:
    """Return a pattern for the names of all inputs."""
    inputs = yaml.safe_load((ROOT / "spec" / "inputs.yaml").read_text(encoding="utf-8"))["inputs"]
    return re.compile(rf"\b(?:{'|'.join(inputs)})\b")


def rejected_in(text: str) -> list[str]:
    """Return the rejected words of a text, whether capital or plural; what is code is no word."""
    return [" ".join(match.group().split()) for match in rejected_words().finditer(_CODE.sub("`", text))]


def pages() -> list[Path]:
    """Return the pages that people wrote, but for the glossary."""
    found = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern)) if path.name != "glossary.md"]
    return [path for path in found if MARKER not in path.read_text(encoding="utf-8")[:400]]


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module: docstrings, messages and help, without examples and names of inputs."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, input_names().sub("`", _COMMAND.sub("`", _DOCTEST.sub("", node.value)))


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_use_the_words_of_the_glossary(page: Path) -> None:
    """No page uses a word that the glossary rejects."""
    assert rejected_in(page.read_text(encoding="utf-8")) == []


@pytest.mark.slow
@pytest.mark.parametrize("root", ["adapters", "codegen"])
def test_messages_and_docstrings_use_the_words_of_the_glossary(root: str) -> None:
    """Neither help and messages of the command line nor docstrings use a word that the glossary rejects."""
    assert [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in sorted((ROOT / root).rglob("*.py"))
        for line, text in sentences(path)
        for word in rejected_in(text)
    ] == []


@pytest.mark.parametrize("word", [word for row in glossary() for word in row.rejected])
def test_a_rejected_word_is_noticed(word: str) -> None:
    """In a sentence, at its beginning, in the plural and over the end of a line; in code it is left alone."""
    for text in (f"There is a {word} here.", f"{word.capitalize()}s, too", f"({word})", word.replace(" ", "\n  ")):
        assert [found.lower().removesuffix("s") for found in rejected_in(text)] == [word.lower()], text
    assert rejected_in(f"Such as `{word}`.\n\n```python\n{word}\n```\n") == []


def test_each_word_stands_for_one_thing() -> None:
    """No word has two rows, and none is rejected in favour of another."""
    words = [word for row in glossary() for word in row.word.split(", ")]
    rejected = [word for row in glossary() for word in row.rejected]
    assert len(words) == len(set(words))
    assert len(rejected) == len(set(rejected))
    assert not set(words) & set(rejected)


def test_each_meaning_is_one_plain_sentence() -> None:
    """It ends with its only full stop and is short enough to be read at once."""
    for row in glossary():
        plain = _CODE.sub("code", row.meaning)
        assert re.fullmatch(r"(?:[^.!?]|[.!?](?! |$))+\.", plain), row.word
        assert len(plain.split()) <= 25, row.word


def test_the_chinese_glossary_has_the_same_words() -> None:
    """It has every row with the English word, and says terms of the field as every other Chinese text does."""
    terms = yaml.safe_load((ROOT / "spec" / "texts" / "zh" / "glossary.yaml").read_text(encoding="utf-8"))["terms"]
    for english, chinese in zip(glossary(), glossary("zh"), strict=True):
        text, word = chinese.word.removesuffix("）").split("（")
        assert english.word == word
        assert english.rejected == chinese.rejected
        for one, other in zip(word.split(", "), text.split("、"), strict=True):
            term = terms.get(one, other)
            words = [term["text"], *term.get("also", [])] if isinstance(term, dict) else [term]
            assert other in words, one
