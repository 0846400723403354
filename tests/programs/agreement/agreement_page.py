"""Keeps the figures of ``docs/agreement.md`` and of its translation in step with recordings and definitions.

Run ``PYTHONPATH=tests python -m programs.agreement.agreement_page`` after a change of either.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping

from folders import ROOT
from programs.agreement.compared_definitions import CLOSE, DEFINITIONS, Recording, recordings
from programs.agreement.compared_steps import STEPS, Numbers, step
from rlmetrics.names.tables.loading import load_tables

__all__ = ["PAGES", "filled"]

PAGES = {language: ROOT / "docs" / folder / "agreement.md" for language, folder in (("en", ""), ("zh", "zh"))}
SHOWN = "uneven"
"""The step whose numbers stand in the tables."""

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "rows": "Its own code",
        "number": "logs",
        "even": "All responses equally long",
        "far": "One token far away",
        "and": ", ",
        "line": "- {}: {}",
        "then": "; ",
        "who": "{} ({})",
        "release": "Release",
    },
    "zh": {
        "rows": "自己的代码",
        "number": "记录",
        "even": "回答长度相同",
        "far": "一个词元相距很远",
        "and": "、",
        "line": "- {}：{}",
        "then": "；",
        "who": "{}（{}）",
        "release": "版本",
    },
}

_BLOCK = re.compile(r"(<!-- figures: (?P<name>\w+) -->\n).*?(<!-- end -->)", re.S)

ByStep = Mapping[str, Mapping[str, Numbers]]
"""The numbers of each framework's definition in each step."""


def filled(text: str, language: str) -> str:
    """Return a page with its figures made anew."""
    ours: ByStep = {each: {name: one.numbers(step(each)) for name, one in DEFINITIONS.items()} for each in STEPS}
    found = recordings()

    def block(match: re.Match[str]) -> str:
        name = match["name"]
        lines = _releases(found, language) if name == "releases" else _quantity(name, found, ours, language)
        return "\n".join([f"{match[1]}", *lines, "", match[3]])

    return _BLOCK.sub(block, text)


def _releases(found: list[Recording], language: str) -> Iterator[str]:
    yield f"| {WORDS[language]['rows']} | {WORDS[language]['release']} |"
    yield "|---|---|"
    for one in found:
        yield f"| {_title(one.framework)} | {_release(one.release)} |"


def _release(release: str) -> str:
    own, _, base = release.partition("+")
    return f"{own} (TRL {base.removeprefix('trl')})" if base else own


def _quantity(quantity: str, found: list[Recording], ours: ByStep, language: str) -> Iterator[str]:
    words = WORDS[language]
    defined = [name for name in DEFINITIONS if quantity in ours[SHOWN][name]]
    heads = [words["rows"], words["number"], *map(_title, defined)]
    yield f"| {' | '.join(heads)} |"
    yield f"|---|---:|{'---:|' * len(defined)}"
    logging = [one for one in found if quantity in one.numbers[SHOWN]]
    for one in logging:
        number = one.numbers[SHOWN][quantity]
        cells = [_beside(number, ours[SHOWN][name][quantity]) for name in defined]
        yield f"| {_title(one.framework)} | {_digits(number)} | {' | '.join(cells)} |"
    yield ""
    for each in ("even", "far"):
        groups = _groups({one.framework: one.numbers[each][quantity] for one in logging})
        told = [words["who"].format(_digits(number), words["and"].join(map(_title, names))) for number, names in groups]
        yield words["line"].format(words[each], words["then"].join(told))


def _beside(number: float, other: float) -> str:
    """Say how far a number is from that of a definition."""
    if abs(number - other) <= CLOSE:
        return "="
    if abs(number + other) <= CLOSE:
        return "× −1"
    return f"{'+' if number > other else '−'}{abs(number - other) / abs(other):.1%}".replace("%", " %")


def _groups(numbers: Numbers) -> list[tuple[float, list[str]]]:
    """Return who has the same number, the most first."""
    groups: list[tuple[float, list[str]]] = []
    for name, number in numbers.items():
        for other, names in groups:
            if abs(number - other) <= CLOSE:
                names.append(name)
                break
        else:
            groups.append((number, [name]))
    return sorted(groups, key=lambda group: -len(group[1]))


def _digits(number: float) -> str:
    return f"{number:.4f}".replace("-", "−")


def _title(framework: str) -> str:
    return str(load_tables(None).title(framework))


def main() -> None:
    """Write the pages."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    for language, path in PAGES.items():
        path.write_text(filled(path.read_text(encoding="utf-8"), language), encoding="utf-8")


if __name__ == "__main__":
    main()
