"""Answers that stand ready: to questions with a name and nothing else, looked up before anything is imported.

`rlmetrics generate` writes a file for each command: a line that says where it comes from, how long the list of names
is, the list, and the answers. An answer is packed, and laid out for the terminal in which it is read.
"""

from __future__ import annotations

import os

from .packed_answer import laid, packed
from .terminal import printed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["book", "entry", "printed_entry"]

_PART = "\x0c\n"
"""Separates what stands out, links and the answer."""


def entry(lines: Sequence[str], keys: Sequence[str], links: Mapping[str, str]) -> str:
    """Return an answer as it is kept.

    Args:
        lines: The answer, made by `rlmetrics.wording.terminal.unlaid`.
        keys: Names that stand out in its first line; after the one that was asked for.
        links: Addresses of texts that occur in it.
    """
    addresses = "\n".join(f"{text}\t{address}" for text, address in links.items())
    return _PART.join(["\t".join(keys), addresses, packed(lines)])


def book(head: str, entries: Mapping[str, str]) -> str:
    """Return a file of answers; what is the same for several names stands there once."""
    places: dict[str, tuple[int, int]] = {}
    end = 0
    for text in entries.values():
        if text not in places:
            size = len(text.encode())
            places[text] = end, size
            end += size + 1
    names = "".join(f"\n{name}\t{places[text][0]}\t{places[text][1]}" for name, text in sorted(entries.items()))
    return f"# {head}\n{len(names.encode())}{names}\n" + "".join(f"{text}\n" for text in places)


def printed_entry(command: str, name: str) -> str | None:
    """Return the ready answer of a command to a name, as its stream shows it; None if there is none.

    Raises:
        ImportError: The tables have not been generated.
    """
    from rlmetrics.tables import __path__ as folders

    try:
        with open(f"{folders[0]}/ready/{command}.txt", "rb") as stream:
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
    keys, addresses, answer = text.split(_PART)
    links = dict(line.split("\t", 1) for line in addresses.splitlines())
    return printed(laid(answer), keys=[name, *keys.split("\t")] if keys else [name], links=links)
