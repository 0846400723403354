"""The sentences of the site in the languages that it speaks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from rlmetrics.wording.catalog import tidied
from rlmetrics.wording.voice import PlaceholderValues, Voice, later

__all__ = ["ENGLISH", "Texts", "code", "later"]


class Texts(Voice):
    """The words of one language as HTML.

    Args:
        language: Its code, such as ``zh``.
        catalog: English text to text in that language; placeholders stand in braces in both.
    """

    def t(self, english: str, **values: object) -> Markup:
        """Return a text of the interface as HTML; values that are ``Markup`` stay markup."""
        found = self.found(english)
        text = _escaped(english if found is None else found)
        if values:
            text = text.format_map(PlaceholderValues({name: str(escape(value)) for name, value in values.items()}))
            text = text if found is None or self.language == "en" else tidied(text)
        filled = Markup(text)
        return filled if found is not None or self.language == "en" else _untranslated(filled)

    def say(self, english: str) -> Markup:
        """Return a text of the spec, such as a brief, as HTML: what stands in backticks is code."""
        found = self.found(english)
        marked = _code(english if found is None else found)
        return marked if found is not None or self.language == "en" else _untranslated(marked)

    def listed(self, items: Sequence[Markup]) -> Markup:
        """Return several things as a list in a sentence."""
        if len(items) < 2:
            return items[0] if items else Markup("")
        return self.t("{first} and {last}", first=self.t(", ").join(items[:-1]), last=items[-1])


def code(text: str) -> Markup:
    """Return a name or value as code."""
    return Markup("<code>{}</code>").format(text)


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
