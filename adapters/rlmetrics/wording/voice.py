"""The language in which answers are given: English as it is composed, or another one in which a catalog has it.

Sentences are composed once, in English. What shows them asks for the same in the language that is spoken. Answers that
are given at once import this module, too: English costs them a look at one name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LANGUAGES", "Voice", "begun", "language", "later", "phrase", "speak", "spoken"]

LANGUAGES = ("en", "zh")
"""English, and those that answers can be given in."""


class Voice:
    """The texts of one language, without markup.

    Args:
        language: Its code, such as ``zh``.
        catalog: English text to text in that language; placeholders stand in braces in both.

    Attributes:
        missing: English texts that were asked for and have no translation.
    """

    def __init__(self, language: str = "en", catalog: Mapping[str, str] | None = None) -> None:
        self.language = language
        self._catalog = catalog or {}
        self.missing: set[str] = set()

    def plain(self, english: str, **values: object) -> str:
        """Return a text with values in the places of its placeholders; English where none is known."""
        found = self.found(english)
        text = english if found is None else found
        if not values:
            return text
        text = text.format_map(PlaceholderValues(values))
        if found is None or self.language == "en":
            return text
        from .catalog import tidied

        return tidied(text)

    def composed(self, english: str) -> str:
        """Return a text that was put together, as much of it as is known."""
        from .catalog import in_parts, tidied

        text, unknown = in_parts(english, self.known)
        self.missing.update(unknown)
        return tidied(text)

    def found(self, english: str) -> str | None:
        """Return a text in this language; None, which is noted, if it has none."""
        if self.language == "en":
            return english
        text = self.known(english)
        if text is None:
            self.missing.add(english)
        return text

    def known(self, english: str) -> str | None:
        """Return the text for one that need not have any; that it is missing is not noted."""
        return self._catalog.get(" ".join(english.split()))


class PlaceholderValues(dict[str, object]):
    """PlaceholderValues by name; a name without one stays as it stands, since keys hold braces too."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


_spoken: Voice | None = None
"""The voice in which answers are given, unless that is English."""


def language() -> str:
    """Return the language in which answers are given."""
    return "en" if _spoken is None else _spoken.language


def speak(code: str) -> None:
    """Have answers given in a language from now on."""
    global _spoken
    if code == "en":
        _spoken = None
        return
    from .catalog import stored_catalog

    _spoken = Voice(code, stored_catalog(code))


def phrase(english: str, **values: object) -> str:
    """Return a text that an answer says by itself, with values in the places of its placeholders."""
    if _spoken is None:
        return english.format_map(PlaceholderValues(values)) if values else english
    return _spoken.plain(english, **values)


def begun(english: str, **values: object) -> str:
    """Return what a list or a text follows, up to its colon, with the blank that belongs there in the language."""
    text = phrase(english, **values)
    return text if text.endswith("：") else f"{text} "


def later(english: str) -> str:
    """Return a text that is said elsewhere; this tells translators of it."""
    return english


def spoken(english: str) -> str:
    """Return a text that was composed, as much of it as is known: as a whole, else sentence by sentence."""
    return english if _spoken is None or _is_names(english) else _spoken.composed(english)


def _is_names(text: str) -> bool:
    """Tell whether a text is a list of keys or metrics, which have one name in every language."""
    parts = text.split(", ")
    return all(" " not in part for part in parts) and (len(parts) > 1 or "/" in text or "_" in text)
