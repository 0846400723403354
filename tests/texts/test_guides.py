"""Guides in other languages say what the English ones say: the same code, headings, links, tables and numbers."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from rlmetrics.codegen.lint.checks.chinese import chinese_faults
from rlmetrics.codegen.translations import guides

ROOT = Path(__file__).parents[2]
GUIDES = list(guides(ROOT, "zh"))

_BLOCK = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
_FRONT = re.compile(r"\A---\n.*?^---\n+", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)]+)\)")
_CODE = re.compile(r"`[^`]+`")
_HEADING = re.compile(r"^(#+) (.*?)(?: \{#([a-z0-9_-]+)\})?$", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")


def halves(name: str) -> tuple[str, str]:
    """Return the English and the Chinese guide without front matter and comments."""
    texts = [(ROOT / folder / f"{name}.md").read_text(encoding="utf-8") for folder in ("docs", "docs/zh")]
    english, chinese = (re.sub(r" *<!--.*?-->\n?", "", _FRONT.sub("", text)) for text in texts)
    return english, chinese


def slug(heading: str) -> str:
    """Return the anchor that MkDocs gives to an English heading."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower())


def rows(text: str) -> list[int]:
    """Return the number of cells of each row of the tables of a text."""
    return [line.count("|") for line in text.splitlines() if line.startswith("|")]


def items(text: str) -> list[str]:
    """Return the mark of each list item and each numbered one, with its indentation."""
    return re.findall(r"^( *(?:-|\d+\.)) ", text, re.MULTILINE)


@pytest.fixture(params=GUIDES, ids=lambda guide: guide.name)
def guide(request: pytest.FixtureRequest) -> tuple[str, str]:
    """The English and the Chinese text of a guide."""
    return halves(request.param.name)


def test_every_guide_is_translated_and_in_the_repository() -> None:
    """No guide lacks its Chinese page, and git ignores none of these pages, as it does those that are generated."""
    ignored = subprocess.run(
        ["git", "check-ignore", "--no-index", *(guide.path for guide in GUIDES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert len(GUIDES) > 20
    assert [guide.path for guide in GUIDES if guide.made_from is None] == []
    assert ignored.stdout.splitlines() == []
    assert ignored.returncode == 1  # so git says that it looked and that none is ignored


def test_code_is_the_same(guide: tuple[str, str]) -> None:
    """Every block of code stands in both, character by character and in the same order."""
    english, chinese = guide

    assert [match.group() for match in _BLOCK.finditer(english)] == [
        match.group() for match in _BLOCK.finditer(chinese)
    ]


def test_headings_keep_their_levels_and_anchors(guide: tuple[str, str]) -> None:
    """Each heading has its level and the English anchor, so that links and a change of language find the place."""
    english, chinese = (_HEADING.findall(_BLOCK.sub("", text)) for text in guide)

    assert [(level, slug(title)) for level, title, _ in english[1:]] == [(level, own) for level, _, own in chinese[1:]]
    assert [english[0][0], chinese[0][0]] == ["#", "#"]


def test_links_and_code_in_sentences_are_the_same(guide: tuple[str, str]) -> None:
    """The translation links where the English links, and names the same code as often; a picture may have its own."""
    english, chinese = (_BLOCK.sub("", text).replace(".zh.svg)", ".svg)") for text in guide)

    for pattern in (_LINK, _CODE):
        assert Counter(pattern.findall(english)) == Counter(pattern.findall(chinese))


def test_tables_lists_and_numbers_are_the_same(guide: tuple[str, str]) -> None:
    """Nothing is left out: tables have the same rows, lists the same items, and numbers stand as often."""
    english, chinese = (_BLOCK.sub("", text) for text in guide)

    assert rows(english) == rows(chinese)
    assert items(english) == items(chinese)
    numbers = [Counter(_NUMBER.findall(_LINK.sub("]", _CODE.sub("", text)))) for text in (english, chinese)]
    assert numbers[0] == numbers[1]


def test_chinese_is_set_as_chinese(guide: tuple[str, str]) -> None:
    """Punctuation has full width, and one space stands between Chinese and Latin."""
    plain = _LINK.sub("]", _BLOCK.sub("", guide[1])).replace("**", "")
    prose = [re.sub(r"\{[# ][^{}]*\}|!?\[|[\]*]|^[\s#-]+", "", part) for part in re.split(r"[\n|]", plain)]

    assert [fault for part in prose for fault in chinese_faults(" ".join(part.split()))] == []
