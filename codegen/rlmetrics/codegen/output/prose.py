"""Prose in generated files: names, wrapped paragraphs, docstrings, headers."""

from __future__ import annotations

from keyword import iskeyword

from .layout import WIDTH
from .store import MARKER


def header(source: str) -> str:
    """Return what a generated file says about itself."""
    return f"{MARKER}{source}. Edit that, not this."


def module_name(family: str) -> str:
    """Return the name of a family's module; one that Python keeps for itself gets an underscore."""
    return f"{family}_" if iskeyword(family) else family


def function_name(metric: str, variant: str | None = None) -> str:
    """Return the name of a metric's function: ``kl/old/k1`` becomes ``kl_old_k1``."""
    name = metric.replace("/", "_")
    return f"{name}_{variant}" if variant else name


def registry_key(metric: str, variant: str | None = None) -> str:
    """Return the key of a metric, or of a variant of it, in the registry."""
    return f"{metric}@{variant}" if variant else metric


def anchor(key: str) -> str:
    """Return the id of a metric's heading on its reference page: ``kl/old/k1`` becomes ``kl-old-k1``."""
    return key.replace("/", "-").replace("@", "--")


def sentence(text: str) -> str:
    """Return the text on one line, with a capital at its start and a full stop at its end."""
    text = " ".join(text.split())
    if text[-1] not in ".!?":
        text += "."
    first = text.split(" ", 1)[0]
    return text[0].upper() + text[1:] if first.isalpha() and first.islower() else text


def wrap(text: str, indent: int, hang: int = 0) -> list[str]:
    """Wrap a text at the line width.

    Args:
        text: Paragraphs separated by blank lines; other white space does not matter.
        indent: Column of every line.
        hang: Further indentation of a paragraph's lines after its first.

    Returns:
        The lines; a blank line stands between paragraphs.
    """
    out: list[str] = []
    for paragraph in text.split("\n\n"):
        rest = " ".join(paragraph.split())
        if not rest:
            continue
        if out:
            out.append("")
        pad = " " * indent
        while len(pad) + len(rest) > WIDTH:
            # The last blank that still fits; a word that is too long for any line gets one of its own.
            cut = rest.rfind(" ", 0, WIDTH - len(pad) + 1)
            cut = cut if cut > 0 else rest.find(" ")
            if cut < 0:
                break
            out.append(pad + rest[:cut])
            rest = rest[cut + 1 :]
            pad = " " * (indent + hang)
        out.append(pad + rest)
    return out
