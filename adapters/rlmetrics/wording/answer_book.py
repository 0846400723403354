"""Answers that stand ready, looked up before anything is imported: about names, and about keys of released components.

`rlmetrics generate` writes books of them, each of three parts: a line that says where it comes from and one with the
size of the names, the names, and the answers, as numbers of lines. The lines, of which most stand in many answers, are
in one file for all books. An answer is packed, and laid out for the terminal in which it is read. Releases of a
component in which all is answered alike share their answers; these name none of them.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import BinaryIO

__all__ = ["AT", "DIFF", "MAP", "at_name", "entry", "library", "pair_name", "printed_entry"]

AT = "at"
"""The book of keys of a source; the others are called like their command."""

MAP = "map"
"""The book of translations from one source to another."""

DIFF = "diff"
"""The book of what changed up to a newest release."""

_LINE = "#L"
"""How addresses of source code name a line that a text names after a colon."""

_PART = "\x0c\n"
"""Separates what stands out, links and the answer."""

_RELEASE = "\x01"
"""Stands for the release that was asked about."""

_COURSE, _NONE = "=", "-"
"""What the name of a component's releases begins with, and what stands for no answer."""

_LINES, _BLOCK = "lines", 64
"""The file of the lines, and how many of them are read at a time."""


def entry(lines: Sequence[str], keys: Sequence[str], links: Mapping[str, str], spelled: Sequence[str] = ()) -> str:
    """Return an answer as it is kept.

    Args:
        lines: The answer, made by `rlmetrics.wording.terminal.unlaid`.
        keys: Names that stand out in its first line; after the one that was asked for.
        links: Addresses of texts that occur in it.
        spelled: How it spells the source that it is about, with the release last, if it is to answer for other ones.
    """
    import re

    from .packed_answer import packed

    text = _PART.join(["\t".join(keys), _packed_links(links), packed(lines)])
    for source in spelled:
        release = re.split("[= \t]", source)[-1]
        text = re.sub(rf"{re.escape(source)}(?!\.?\w)", f"{source.removesuffix(release)}{_RELEASE}", text)
    return text


def _packed_links(links: Mapping[str, str]) -> str:
    """Return addresses as text: those that end in what they are the address of by what stands before that."""
    groups: dict[str, list[str]] = {}
    for text, address in links.items():
        place = text.replace(":", _LINE)
        folder = address.removesuffix(place) if address.endswith(place) else ""
        groups.setdefault(folder, []).extend([text] if folder else [text, address])
    return "\n".join("\t".join([folder, *texts]) for folder, texts in groups.items())


def _links(packed_links: str) -> dict[str, str]:
    links: dict[str, str] = {}
    for line in packed_links.splitlines():
        folder, *texts = line.split("\t")
        pairs = zip(texts[::2], texts[1::2], strict=True)
        links.update({text: folder + text.replace(":", _LINE) for text in texts} if folder else pairs)
    return links


def at_name(key: str, component: str) -> str:
    """Return the name under which the answers to a key of a component are kept."""
    return f"{key} --at {component}"


def pair_name(key: str | None, component: str, target: str) -> str:
    """Return the name under which it is kept what became of a key of a component, or of all, in another source."""
    return " ".join([*([] if key is None else [key]), "--from", component, "--to", target])


def library(
    head: str,
    answers: Mapping[str, Mapping[str, Sequence[Sequence[str] | None]]],
    courses: Mapping[str, Mapping[str, Sequence[Sequence[str]]]],
) -> dict[str, str]:
    """Return the texts of all files.

    Args:
        head: Where they come from.
        answers: By book and name the lines of the one answer; or of one for each stretch of releases of a component,
            None where there is none.
        courses: By book and component its stretches of releases.
    """
    lines: dict[str, int] = {}
    files = {name: _book(head, found, courses.get(name, {}), lines) for name, found in answers.items()}
    encoded = [f"{line}\n".encode() for line in lines]
    sizes = [sum(map(len, encoded[start : start + _BLOCK])) for start in range(0, len(encoded), _BLOCK)]
    return {**files, _LINES: f"# {head}\n{' '.join(map(str, sizes))}\n" + "".join(f"{line}\n" for line in lines)}


def _book(
    head: str,
    answers: Mapping[str, Sequence[Sequence[str] | None]],
    courses: Mapping[str, Sequence[Sequence[str]]],
    lines: dict[str, int],
) -> str:
    """Return a book; lines that are new get their numbers."""
    kept: dict[str, int] = {}
    rows = [f"{_COURSE}{name}\t{' '.join(map(','.join, stretches))}" for name, stretches in sorted(courses.items())]
    for name, found in sorted(answers.items()):
        numbered = [None if each is None else _numbers(each, lines) for each in found]
        places = [_NONE if each is None else str(kept.setdefault(each, len(kept))) for each in numbered]
        rows.append(f"{name}\t{' '.join(places)}")
    names = "".join(f"{row}\n" for row in rows)
    return f"# {head}\n{len(names.encode())}\n{names}" + "".join(f"{answer}\n" for answer in kept)


def _numbers(answer: Sequence[str], lines: dict[str, int]) -> str:
    """Return the numbers of lines as text: of such as follow on each other the first, and how many."""
    runs: list[str] = []
    first = end = -1
    for line in answer:
        place = lines.get(line)
        if place is None:
            place = lines[line] = len(lines)
        if place != end:
            runs.append(_run(first, end - first))
            first = place
        end = place + 1
    return " ".join([*runs[1:], _run(first, end - first)])


def _run(first: int, count: int) -> str:
    return f"{first}:{count}" if count > 1 else str(first)


def printed_entry(name_of_book: str, name: str, asked: str, source: str = "") -> str | None:
    """Return a ready answer as its stream shows it; None if there is none.

    Args:
        name_of_book: Where it stands.
        name: Under which name.
        asked: What was asked about, which stands out in the first line; nothing where that is no single name.
        source: The component and release that are asked about, if any.

    Raises:
        ImportError: The tables have not been generated.
    """
    from rlmetrics.tables import __path__ as folders

    if not f"{name}{source}".isprintable():
        return None  # neither is what separates names, nor what cannot be encoded
    try:
        with open(f"{folders[0]}/ready/{name_of_book}.txt", "rb") as stream:
            stream.readline()
            # The names begin with the end of the line before them.
            names = b"\n" + stream.read(int(stream.readline()))
            stretch, numbers = _stretch(names, source), _row(names, name).split()
            if stretch is None or not numbers or numbers[stretch] == _NONE:
                return None
            answer = stream.read().split(b"\n")[int(numbers[stretch])].decode()
        with open(f"{folders[0]}/ready/{_LINES}.txt", "rb") as stream:
            text = _text(stream, answer)
    except FileNotFoundError:
        return None
    from .packed_answer import laid, linked
    from .terminal import has_colour, printed

    keys, addresses, said = text.replace(_RELEASE, source.partition("==")[2]).split(_PART)
    lines = laid(said, source)
    links = {**_links(addresses), **linked(said, source)} if has_colour(sys.stdout) else {}
    return printed(lines, keys=[*filter(None, [asked, *keys.split("\t")])], links=links)


def _text(stream: BinaryIO, answer: str) -> str:
    """Return an answer whose lines are given by their numbers."""
    stream.readline()
    sizes = [int(size) for size in stream.readline().split()]
    start = stream.tell()
    blocks: dict[int, list[bytes]] = {}
    lines: list[bytes] = []
    for run in answer.split(" "):
        first, _, count = run.partition(":")
        for number in range(int(first), int(first) + int(count or 1)):
            block, place = divmod(number, _BLOCK)
            if block not in blocks:
                stream.seek(start + sum(sizes[:block]))
                blocks[block] = stream.read(sizes[block]).split(b"\n")
            lines.append(blocks[block][place])
    return b"\n".join(lines).decode()


def _row(names: bytes, name: str) -> str:
    """Return what stands behind a name; nothing if it is none."""
    at = names.find(f"\n{name}\t".encode())
    return "" if at < 0 else names[at + 1 :].partition(b"\n")[0].partition(b"\t")[2].decode()


def _stretch(names: bytes, source: str) -> int | None:
    """Return in which stretch of a component's releases a source is; None if in no known one."""
    component, _, release = source.partition("==")
    stretches = _row(names, f"{_COURSE}{component}").split(" ") if source else [""]
    return next((place for place, stretch in enumerate(stretches) if release in stretch.split(",")), None)
