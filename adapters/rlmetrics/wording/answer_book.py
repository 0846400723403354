"""Answers that stand ready: to questions with a name, and with a newest release, looked up before anything is imported.

`rlmetrics generate` writes books of them: a line that says where it comes from, how long the list of names
is, the list, and the answers. An answer is packed, and laid out for the terminal in which it is read.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["AT", "MAP", "at_name", "book", "entry", "map_name", "printed_entry"]

AT = "at"
"""The book of keys of a source; the others are called like their command."""

MAP = "map"
"""The book of translations from one source to another."""


_LINE = "#L"
"""How addresses of source code name a line that a text names after a colon."""

_PART = "\x0c\n"
"""Separates what stands out, links and the answer."""


def entry(lines: Sequence[str], keys: Sequence[str], links: Mapping[str, str]) -> str:
    """Return an answer as it is kept.

    Args:
        lines: The answer, made by `rlmetrics.wording.terminal.unlaid`.
        keys: Names that stand out in its first line; after the one that was asked for.
        links: Addresses of texts that occur in it.
    """
    from .packed_answer import packed

    return _PART.join(["\t".join(keys), _packed_links(links), packed(lines)])


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


def at_name(key: str, source: str) -> str:
    """Return the name under which the answer to a key of a source is kept."""
    return f"{key} --at {source}"


def map_name(key: str | None, source: str, target: str) -> str:
    """Return the name under which it is kept what becomes of a key of a source, or of all of them."""
    return " ".join([*([] if key is None else [key]), "--from", source, "--to", target])


def book(head: str, entries: Mapping[str, str]) -> str:
    """Return a file of answers; what is the same for several names stands there once."""
    ordered = dict(sorted(entries.items()))
    places: dict[str, tuple[int, int]] = {}
    end = 0
    for text in ordered.values():
        if text not in places:
            size = len(text.encode())
            places[text] = end, size
            end += size + 1
    names = "".join(f"\n{name}\t{places[text][0]}\t{places[text][1]}" for name, text in ordered.items())
    return f"# {head}\n{len(names.encode())}{names}\n" + "".join(f"{text}\n" for text in places)


def printed_entry(name_of_book: str, name: str, asked: str) -> str | None:
    """Return a ready answer as its stream shows it; None if there is none.

    Args:
        name_of_book: Where it stands.
        name: Under which name.
        asked: What was asked about, which stands out in the first line; nothing where that is no single name.

    Raises:
        ImportError: The tables have not been generated.
    """
    from rlmetrics.tables import __path__ as folders

    if not name.isprintable():
        return None  # neither is what separates names, nor what cannot be encoded
    try:
        with open(f"{folders[0]}/ready/{name_of_book}.txt", "rb") as stream:
            stream.readline()
            size = int(stream.readline())
            # The list begins with the end of the line before it.
            stream.seek(-1, os.SEEK_CUR)
            names = stream.read(size)
            at = names.find(f"\n{name}\t".encode())
            if at < 0:
                return None
            _, start, length = names[at + 1 :].partition(b"\n")[0].split(b"\t")
            stream.seek(1 + int(start), os.SEEK_CUR)
            text = stream.read(int(length)).decode()
    except FileNotFoundError:
        return None
    from .packed_answer import laid
    from .terminal import printed

    keys, addresses, answer = text.split(_PART)
    names_shown = [*filter(None, [asked, *keys.split("\t")])]
    return printed(laid(answer), keys=names_shown, links=_links(addresses))
