"""Writes the table of frameworks into ``docs/verified.md`` and ``docs/zh/verified.md``, from data.

Run ``PYTHONPATH=tests python -m programs.coverage_table`` after a release, a census or a recording was added.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Sequence
from typing import Any

from folders import FIXTURES, ROOT
from rlmetrics.names import keys, releases
from rlmetrics.names.tables.loading import load_tables

PAGES = {"en": ROOT / "docs" / "verified.md", "zh": ROOT / "docs" / "zh" / "verified.md"}
MARKS = re.compile(r"(?<=<!-- frameworks -->\n).*?(?=<!-- end of frameworks -->)", re.DOTALL)
HEADS = {
    "en": (
        "framework",
        "releases",
        "keys of the newest",
        "described, of names found without the auditor",
        "numbers of its own code",
    ),
    "zh": ("框架", "版本数", "最新版本的键", "已描述 / 不用审计器找到的名称", "其自身代码的数值"),
}


def census() -> dict[str, Any]:
    """Return what the census found."""
    found: dict[str, Any] = json.loads((ROOT / "docs" / "results" / "census.json").read_text(encoding="utf-8"))
    return found


def numbers_of(framework: str, title: str) -> int:
    """Count the numbers that a framework's own code made: those on the page of parity, or those of a recording."""
    recorded = sorted((FIXTURES / "parity").glob(f"{framework}-[0-9]*.json.gz"))
    parity = (ROOT / "docs" / "results" / "parity.md").read_text(encoding="utf-8")
    sections = [part for part in parity.split("\n## ")[1:] if part.startswith(f"{title} ")]
    if sections:
        told = re.findall(r"([\d,]+) numbers? (?:is|are) reproduced", "\n".join(sections))
        return sum(int(count.replace(",", "")) for count in told)
    return sum(
        len(event["numbers"])
        for path in recorded
        for event in json.loads(gzip.decompress(path.read_bytes())).get("events", ())
    )


def rows() -> list[list[str]]:
    """Return the cells of each framework; one on top of another is one release on whichever base."""
    found = census()
    made = []
    known = load_tables()
    for name in known.named:
        title = known.title(name)
        listed = [info.release for info in releases(name) if info.components]
        one = found.get(name)
        share = "–"
        if one is not None:
            described = one["names"] - len(one["missing"])
            share = f"{described} / {one['names']} ({described / one['names']:.0%})"
        count = len({item.key for item in keys(f"{name}=={listed[-1]}")})
        numbers = numbers_of(name, title)
        made.append(
            [
                title,
                str(len({release.partition("+")[0] for release in listed})),
                f"{count:,}",
                share,
                f"{numbers:,}" if numbers else "–",
            ]
        )
    return made


def line(cells: Sequence[str]) -> str:
    """Return a row in Markdown."""
    return f"| {' | '.join(cells)} |"


def table(language: str) -> str:
    """Return the table in a language."""
    lines = [line(HEADS[language]), "|---|---:|---:|---:|---:|", *map(line, rows())]
    return "\n".join(lines) + "\n"


def page(language: str) -> str:
    """Return a page with the table as it must be."""
    text = PAGES[language].read_text(encoding="utf-8")
    return MARKS.sub(lambda _: table(language), text)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    for spoken, path in PAGES.items():
        path.write_text(page(spoken), encoding="utf-8")
