"""Looks sentences up in another language, also those that answers put together of parts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from rlmetrics.lazy_typing import NamedTuple

__all__ = ["Catalog", "in_parts", "stored_catalog"]

_COMPOSED = frozenset({"what", "rest", "before", "after", "effect", "parts", "keys"})
"""Placeholders that may stand for something that is put together itself; others hold what is known as it stands."""
_BETWEEN = (", then ", ", was ", "; ")
"""What never stands within a list of parts."""
_FACETS = frozenset({"facet", "against"})
"""Placeholders for words that tell metrics apart, such as ``score``; elsewhere one word may be a key."""
_AS_IT_IS = frozenset({"key", "keys", "names", "old", "new"})
"""Placeholders for keys and for values of settings, which are the same in every language."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_CODED = frozenset({"command"})
"""Placeholders for what is typed, between marks of code."""
_ONE_WORD = frozenset({"framework", "other"})
"""Placeholders for names of frameworks, or of releases and trainers of one."""
_CUT = " …"
"""What stands at the end of a text of which an answer tells only the beginning."""
_BRACKETS = re.compile(r" ?\([^()]*\)")
"""What an answer leaves out of a long text; it tells the beginning of what is left."""
_SENTENCES = re.compile(r"(?<=[.!?。]) (?=[A-Z0-9`{\u4e00-\u9fff])")
_WORD = re.compile(r"(?<![\w/.@-])[A-Za-z]?[a-z]+(?![\w/.@(\[-])")
_CODE = re.compile(r"`[^`]*`|\{[^{}\s]*\}")
_COMPARISON = re.compile(r"[\w.%]+ (?:(?:[=!<>]=|[<>]) [\w.'\"-]+|in \[[^\]]*\])")
_OPERATORS = frozenset({"and", "or", "not", "null", "true", "false", "in"})
_HAN = "\u4e00-\u9fff，。；：！？（）、“”"
_SPACE = re.compile(rf"(?<=[{_HAN}]) (?=[{_HAN}])|(?<=[，。；：！？（、“]) | (?=[，。；：！？）、”])")
_STOP = re.compile(rf"(?<=[{_HAN}）)`])\. ?(?=[{_HAN}])|(?<=[{_HAN}）])\.$")


class _Template(NamedTuple):
    """A sentence with placeholders.

    Attributes:
        word: A whole word that stands between them; empty if there is none.
        pattern: What matches the sentence with anything in their places.
        text: Its translation.
    """

    word: str
    pattern: re.Pattern[str]
    text: str


class Catalog(Mapping[str, str]):
    """Translations by English sentence.

    Beside the sentences of a language it knows the same with a capital and a full stop or without them; several of
    them in a row, or joined by semicolons; those that are patterns with something known, a name, a number or code in
    the places of their placeholders; and those of which an answer tells the beginning, which it gives as a whole.

    Args:
        sentences: English sentence to its translation.
        patterns: English sentences among them whose placeholders stand for what an answer puts there.
        names: Words that stay as they are.
        facets: Single words that tell metrics apart.
    """

    def __init__(
        self,
        sentences: Mapping[str, str],
        patterns: Iterable[str] = (),
        names: Iterable[str] = (),
        facets: Mapping[str, str] | None = None,
    ) -> None:
        self._facets = facets or {}
        self._exact = {_plain(english): _plain(text) for english, text in sentences.items()}
        shortened = ((_BRACKETS.sub("", english), text) for english, text in self._exact.items())
        self._short = {english: text for english, text in shortened if english} | self._exact
        self._names = frozenset(name.lower() for name in names)
        templates = [_template(_stem(english), self._exact[english]) for english in map(_plain, patterns)]
        self._templates: dict[str, list[tuple[int, _Template]]] = {}
        for index, template in enumerate(sorted(templates, key=lambda one: -len(one.pattern.pattern))):
            self._templates.setdefault(template.word, []).append((index, template))
        self._found: dict[str, str | None] = {}

    def __getitem__(self, english: str) -> str:
        chinese = self.find(english)
        if chinese is None:
            raise KeyError(english)
        return chinese

    def __iter__(self) -> Iterator[str]:
        return iter(self._exact)

    def __len__(self) -> int:
        return len(self._exact)

    def find(self, english: str) -> str | None:
        """Return the translation of a text, or None if some part of it is not known."""
        english = _plain(english)
        if english not in self._found:
            self._found[english] = None  # what stands in itself is not known
            self._found[english] = self._find(english)
        return self._found[english]

    def _find(self, english: str) -> str | None:
        known = self._begun(english.removesuffix(_CUT)) if english.endswith(_CUT) else self._said(english)
        if known is not None:
            return known
        parts = _SENTENCES.split(english)
        text = self._all(parts, "") if len(parts) > 1 else None
        if text is not None:
            return text
        stem, end = _stem(english), "。" if english.endswith(".") else ""
        text = self._filled(stem)
        clauses = stem.split("; ")
        text = self._all(clauses, "；") if text is None and len(clauses) > 1 else text
        return None if text is None else f"{text.removesuffix('。')}{end}"

    def _said(self, english: str) -> str | None:
        """Return a sentence that is known as it stands, or in another case or with another end."""
        stem = _stem(english)
        for start in (stem, stem[:1].lower() + stem[1:], stem[:1].upper() + stem[1:]):
            for end in (".", "") if english.endswith(".") else ("", "."):
                said = self._short.get(f"{start}{end}")
                if said is not None:
                    return f"{said.removesuffix('。')}{'。' if english.endswith('.') else ''}"
        return None

    def _begun(self, start: str) -> str | None:
        """Return a sentence that goes on after a beginning."""
        for begun in (start, start[:1].upper() + start[1:]):
            for english, text in self._short.items():
                if english.startswith(begun) and english[len(begun) :][:1] in ("", ",", ";", ":", " ", "."):
                    return text.removesuffix("。")
        return None

    def _filled(self, stem: str) -> str | None:
        lower = stem[:1].lower() + stem[1:]
        words = {"", *stem.split(), *lower.split()}
        for _, template in sorted(one for word in words for one in self._templates.get(word, ())):
            match = template.pattern.fullmatch(stem) or template.pattern.fullmatch(lower)
            if match is not None:
                values = {name: self._part(name, part) for name, part in match.groupdict().items()}
                known = {name: value for name, value in values.items() if value is not None}
                if len(known) == len(values):
                    return _SPACE.sub("", template.text.format_map(known))
        return None

    def _part(self, name: str, text: str) -> str | None:
        if name in _CODED and "`" not in text:
            return text
        if name in _AS_IT_IS and ("/" in text or " " not in text.replace(", ", "")):
            return text
        if name == "parts" and any(between in text for between in _BETWEEN):
            return None
        said = self._said(text)
        if said is None and name in _FACETS:
            return self._facets.get(text, text if " " not in text else None)
        if said is None and _is_neutral(text, self._names):
            return text
        return self.find(text) if said is None and name in _COMPOSED else said

    def _all(self, parts: Iterable[str], between: str) -> str | None:
        translated = [self.find(part) for part in parts]
        return _SPACE.sub("", between.join(one for one in translated if one)) if None not in translated else None


@lru_cache(maxsize=4)
def stored_catalog(language: str) -> Catalog:
    """Return the catalog of a language that is stored beside the tables."""
    from rlmetrics.tables import __path__ as folders

    with open(f"{folders[0]}/languages/{language}.json", "rb") as stream:
        table = json.loads(stream.read())
    return Catalog(table["SENTENCES"], table["PATTERNS"], table["NAMES"], table.get("FACETS"))


def tidied(text: str) -> str:
    """Return a Chinese text without blanks between its characters, and with its own full stops."""
    return _SPACE.sub("", _STOP.sub("。", text))


def in_parts(english: str, known: Callable[[str], str | None]) -> tuple[str, list[str]]:
    """Return a text as far as it is known: as a whole, else sentence by sentence and clause by clause.

    Args:
        english: The text.
        known: Returns the translation of a sentence, None if there is none.

    Returns:
        The text, and its parts that are not known, which stand there in English.
    """
    text = known(english)
    if text is not None:
        return text, []
    sentences = _SENTENCES.split(english)
    parts, joint = (sentences, " ") if len(sentences) > 1 else (english.split("; "), "；")
    if len(parts) == 1:
        return english, [] if _is_neutral(english) else [english]
    found = [in_parts(part, known) for part in parts]
    if any(unknown for _, unknown in found) and len(sentences) == 1:
        joint = "; "  # a full-width sign would stand amid English
    return joint.join(text for text, _ in found), [one for _, unknown in found for one in unknown]


def _is_neutral(text: str, names: Collection[str] = ()) -> bool:
    """Tell whether a text is the same in every language: a name, a number or code."""
    rest, compared = _COMPARISON.subn(" ", _CODE.sub(" ", text))
    words = {word.lower() for word in _WORD.findall(rest)}.difference(names)
    return not (words - _OPERATORS if compared or "_" in rest else words)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _stem(text: str) -> str:
    return text.removesuffix(".")


def _template(english: str, text: str) -> _Template:
    parts = _PLACEHOLDER.split(english)
    pattern, seen = "", set[str]()
    for index, part in enumerate(parts):
        anything = r"[\w.]+" if part in _ONE_WORD else ".+?"
        again = f"(?P={part})" if part in seen else f"(?P<{part}>{anything})"
        pattern += again if index % 2 else re.escape(part)
        seen |= {part} if index % 2 else set()
    words = [word for word in english.split() if "{" not in word and "}" not in word]
    return _Template(max(words, key=len, default=""), re.compile(pattern), text.removesuffix("。"))
