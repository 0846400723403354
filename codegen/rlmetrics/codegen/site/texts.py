"""The sentences of the site in the languages that it speaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

__all__ = ["ENGLISH", "Texts", "code", "later"]


class Texts:
    """The words of one language.

    Args:
        language: Its code, such as ``zh``.
        catalog: English text to text in that language; placeholders stand in braces in both.
    """

    def __init__(self, language: str = "en", catalog: Mapping[str, str] | None = None) -> None:
        self.language = language
        self._catalog = catalog or {}
        self.missing: set[str] = set()
        """English texts that were asked for and have no translation."""

    def plain(self, english: str, **values: object) -> str:
        """Return a text of the interface for a place without markup, such as a title; English where none is known."""
        found = self._found(english)
        text = english if found is None else found
        return text.format_map(_Values(values)) if values else text

    def t(self, english: str, **values: object) -> Markup:
        """Return a text of the interface as HTML; values that are ``Markup`` stay markup."""
        found = self._found(english)
        text = _escaped(english if found is None else found)
        if values:
            text = text.format_map(_Values({name: str(escape(value)) for name, value in values.items()}))
        filled = Markup(text)
        return filled if found is not None or self.language == "en" else _untranslated(filled)

    def say(self, english: str) -> Markup:
        """Return a text of the spec, such as a brief, as HTML: what stands in backticks is code."""
        found = self._found(english)
        marked = _code(english if found is None else found)
        return marked if found is not None or self.language == "en" else _untranslated(marked)

    def listed(self, items: Sequence[Markup]) -> Markup:
        """Return several things as a list in a sentence."""
        if len(items) < 2:
            return items[0] if items else Markup("")
        return self.t("{first} and {last}", first=self.t(", ").join(items[:-1]), last=items[-1])

    def known(self, english: str) -> str | None:
        """Return the text for one that need not have any; that it is missing is not counted."""
        return self._catalog.get(" ".join(english.split()))

    def _found(self, english: str) -> str | None:
        if self.language == "en":
            return english
        found = self._catalog.get(" ".join(english.split()))
        if found is None:
            self.missing.add(english)
        return found


def code(text: str) -> Markup:
    """Return a name or value as code."""
    return Markup("<code>{}</code>").format(text)


def later(english: str) -> str:
    """Return a text of the interface that is looked up where it is shown; this tells translators of it."""
    return english


class _Values(dict[str, object]):
    """Values by name; a name without one stays as it stands, since keys hold braces too."""

    def __init__(self, values: Mapping[str, object]) -> None:
        super().__init__(values)

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def _untranslated(text: Markup) -> Markup:
    return Markup('<span lang="en" class="rlm-untranslated">{}</span>').format(text)


@lru_cache(maxsize=16384)
def _escaped(text: str) -> str:
    return str(escape(text))


@lru_cache(maxsize=65536)
def _code(text: str) -> Markup:
    parts = " ".join(text.split()).split("`")
    marked = [Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts)]
    return Markup("").join(marked)


ENGLISH = Texts()
