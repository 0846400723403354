"""One word for one thing: what the glossary calls a thing, pages, messages and docstrings call it, too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from docs.glossary import CODE, glossary, rejected_in
from folders import ROOT
from rlmetrics.codegen.output.store import MARKER

PAGES = ("README.md", "docs/*.md", "docs/api/*.md", "docs/translating/*.md")


def pages() -> list[Path]:
    """Return the pages that people wrote, but for the glossary."""
    found = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern)) if path.name != "glossary.md"]
    return [path for path in found if MARKER not in path.read_text(encoding="utf-8")[:400]]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_use_the_words_of_the_glossary(page: Path) -> None:
    """No page uses a word that the glossary rejects."""
    assert rejected_in(page.read_text(encoding="utf-8")) == []


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
        plain = CODE.sub("code", row.meaning)
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
