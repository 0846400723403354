"""Texts in other languages: what is missing, what is out of date, and what is not carried over."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...cache import kept
from ...findings import Location
from ...translations import answer_phrases, english_sentences, guides, interface_sentences, interface_texts, is_spoken
from ...translations.translated_guides import english_guides
from ..lint_check import Check, Hit, check
from .chinese import CODE

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ..context import Context

__all__ = ["CHECKS", "untranslated"]

_PARTS = re.compile(r"`[^`]*`|\{[^{}\s]*\}")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:[.,/]\d+)*")
_METRIC = re.compile(r"[a-z][a-z0-9_]*(?:/[a-z0-9_]+)+")
_FOR_EDITORS = "spec-editing"
"""The guide that shows how a metric is added, by one that is made up."""
_INTERFACE, _TERMINAL = "interface", "terminal"
_PUT_TOGETHER = ("answers", _TERMINAL)
"""Files of sentences that answers put together of parts."""
_WHOLLY = (_INTERFACE, _TERMINAL)
"""Files that no language may leave incomplete."""


def _sentences(context: Context) -> Iterator[tuple[str, YamlPath, str, str]]:
    """Yield each translated sentence: its file, its place, the English and the text."""
    for language, texts in context.spec.texts.items():
        for part, file in texts.files.items():
            for english, text in file.sentences.items():
                yield f"texts/{language}/{part}", ("sentences", english), " ".join(english.split()), text


def _english(context: Context) -> dict[str, dict[str, str]]:
    return context.once("english", _all_english)


def _all_english(context: Context) -> dict[str, dict[str, str]]:
    root = context.spec.root.parent
    said = {_INTERFACE: interface_sentences(root), _TERMINAL: answer_phrases(root)}
    return {**english_sentences(context.spec), **said}


@check(
    "stale-text",
    "warning",
    what="A translation of a sentence that stands nowhere any more: it was reworded or removed.",
    fix="remove it",
    whole=True,
    prose=True,
)
def stale_text(context: Context) -> Iterator[Hit]:
    if not context.spec.texts:
        return
    root = context.spec.root.parent
    said, spoken, shown = _english(context), is_spoken(root), interface_texts(root)
    translated = {english for _, _, english, _ in _sentences(context)}
    for ref, path, english, _ in _sentences(context):
        part = ref.split("/", 2)[2]
        known = said.get(part, {})
        if english in known or (part in _PUT_TOGETHER and spoken(english)) or (part == _INTERFACE and english in shown):
            continue
        near = difflib.get_close_matches(english, [one for one in known if one not in translated], n=1)
        fix = f"it reads now: {near[0]} – write that in its place and translate anew" if near else None
        yield Hit(ref, path, f"nothing says `{_short(english)}`", fix)


@check(
    "missing-text",
    "info",
    what="How many sentences of a file have no translation; readers see the English there.",
    fix="write the English and, below it, the translation",
    prose=True,
)
def missing_text(context: Context) -> Iterator[Hit]:
    must = set(_must(context))
    for language in context.spec.texts:
        left: dict[str, list[str]] = {}
        totals: Counter[str] = Counter()
        for part, missing, total in untranslated(context, language):
            kind = part.partition("/")[0]
            totals[kind] += total
            if part not in _WHOLLY:
                left.setdefault(kind, []).extend(one for one in missing if one not in must)
        for kind, texts in left.items():
            if texts:
                message = f"{language}: {len(texts)} of {totals[kind]} sentences of {kind} are not translated"
                yield Hit(f"texts/{language}/glossary", (), f"{message}, such as `{_short(texts[0])}`")


@check(
    "missing-must",
    "error",
    what="A text without a translation that every language must have: the sentences of the interface, those that "
    "answers say by themselves, the briefs of metrics that guides name, and the guides.",
    fix="write the English and, below it, the translation",
    stops=False,
    whole=True,
    prose=True,
)
def missing_must(context: Context) -> Iterator[Hit]:
    must = _must(context)
    for language in context.spec.texts:
        for part, missing, _ in untranslated(context, language):
            for english in missing:
                if english in must or part in _WHOLLY:
                    source = must.get(english) or _english(context)[part][english]
                    yield Hit(*_place(context, language, part), f"`{_short(english)}` ({source}) is not translated")
        for guide in guides(context.spec.root.parent, language):
            if guide.made_from is None:
                message = f"docs/{guide.name}.md is not translated"
                yield Hit(f"texts/{language}/glossary", (), message, f"write {guide.path}")


@check(
    "stale-guide",
    "warning",
    what="A translated guide whose English original has changed since.",
    fix="bring it up to date",
    prose=True,
)
def stale_guide(context: Context) -> Iterator[Hit]:
    for language in context.spec.texts:
        for guide in guides(context.spec.root.parent, language):
            if guide.made_from is not None and not guide.is_current:
                digests = ", ".join(digest for _, digest in guide.english)
                changed = ", ".join(f"`{title}`" for title in guide.changed) or "the order of its sections"
                message = f"{guide.path} was made from another docs/{guide.name}.md: {changed} changed"
                fix = f"bring it up to date, then write `made_from: [{digests}]` in its front matter"
                yield Hit(f"texts/{language}/glossary", (), message, fix, location=Location(guide.path, guide.line))


@check(
    "text-parts",
    "error",
    what="A translation that does not carry over the code, the placeholders or the numbers of its sentence unchanged.",
    fix="carry them over as they are",
    stops=False,
    prose=True,
)
def text_parts(context: Context) -> Iterator[Hit]:
    for ref, path, english, text in _sentences(context):
        for what, pattern in (("code and placeholders", _PARTS), ("numbers", _NUMBER)):
            before, after = (_found(pattern, one) for one in (english, text))
            if before != after:
                wrong = _listed(before - after, "lacks"), _listed(after - before, "adds")
                yield Hit(ref, path, f"{what}: the translation {' and '.join(filter(None, wrong))}", value=True)
                break


@check(
    "glossary-term",
    "warning",
    what="A translation that says a term of the field otherwise than the glossary.",
    fix="use the glossary's word, quote a name that stays as it is, or give a reason under `besides` in the glossary",
    prose=True,
)
def glossary_term(context: Context) -> Iterator[Hit]:
    for language, texts in context.spec.texts.items():
        glossary = texts.glossary
        terms = sorted(glossary.terms, key=len, reverse=True)
        pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, terms))})(?=s?(?![\w-]))", re.IGNORECASE)
        known = {term.lower(): term for term in terms}
        besides = {" ".join(english.split()) for english in glossary.besides}
        for part, file in texts.files.items() if terms else ():
            for written, spoken in _terms_in(pattern, [*file.sentences]):
                text = file.sentences[written]
                for term in spoken if " ".join(written.split()) not in besides else ():
                    words = glossary.words(known[term.lower()])
                    if not any(word.lower() in text.lower() for word in (*words, f"“{term}”")):
                        hit = f"texts/{language}/{part}", ("sentences", written)
                        yield Hit(*hit, f"`{term}` is {' or '.join(words)} in the glossary", value=True)


def _terms_in(pattern: re.Pattern[str], sentences: list[str]) -> list[tuple[str, list[str]]]:
    """Return the sentences of a file that have terms, each with these; kept, since an edit concerns few files."""

    def found() -> list[tuple[str, list[str]]]:
        terms = [pattern.findall(CODE.sub("", " ".join(english.split()))) for english in sentences]
        return [(english, [*dict.fromkeys(each)]) for english, each in zip(sentences, terms, strict=True) if each]

    return kept("terms", (pattern.pattern, *sentences), found)


def untranslated(context: Context, language: str) -> list[tuple[str, list[str], int]]:
    """Return, for each file of a language, the English sentences without a translation and how many there are in all.

    What is put together of translated parts has one.
    """

    def found(context: Context) -> list[tuple[str, list[str], int]]:
        catalog = context.spec.texts[language].catalog()
        parts = _english(context).items()
        return [(part, [one for one in known if one not in catalog], len(known)) for part, known in parts]

    return context.once(f"untranslated {language}", found)


def _must(context: Context) -> dict[str, str]:
    """Return the briefs that every language must have, each with its metric and a guide that names it."""
    sentences: dict[str, str] = {}
    docs = context.spec.root.parent / "docs"
    for path in english_guides(docs) if context.spec.texts else ():
        if path.stem == _FOR_EDITORS:
            continue
        for name in _METRIC.findall(path.read_text(encoding="utf-8")):
            metric = context.spec.metrics.get(name)
            if metric is not None:
                sentences.setdefault(" ".join(metric.brief.split()), f"brief of {name}, which docs/{path.name} names")
    return sentences


def _place(context: Context, language: str, part: str) -> tuple[str, YamlPath]:
    """Return where missing sentences belong: their file, or one that is there."""
    has_file = part in context.spec.texts[language].files
    return (f"texts/{language}/{part}", ("sentences",)) if has_file else (f"texts/{language}/{part}", ())


def _found(pattern: re.Pattern[str], text: str) -> Counter[str]:
    plain = text if pattern is _PARTS else _PARTS.sub(" ", text)
    return Counter(pattern.findall(plain))


def _listed(parts: Iterable[str], verb: str) -> str:
    listed = ", ".join(parts)
    return f"{verb} {listed}" if listed else ""


def _short(text: str) -> str:
    return text if len(text) <= 70 else f"{text[:69].rstrip()}…"


CHECKS: tuple[Check, ...] = (
    stale_text,
    missing_text,
    missing_must,
    stale_guide,
    text_parts,
    glossary_term,
)
