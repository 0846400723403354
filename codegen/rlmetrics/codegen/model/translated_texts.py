"""The texts of the project in another language: ``spec/texts/<language>``."""

from __future__ import annotations

from pydantic import Field

from .base import Allow, Strict, Text


class Sentences(Strict):
    """A file of translated sentences.

    The English sentence is the key. When it is reworded its translation is found to be out of date.
    """

    sentences: dict[Text, Text] = Field(description="English sentence → the same sentence in the language.")
    allow: list[Allow] = []


class Term(Strict):
    """A term of the field that has more than one word in the language."""

    text: Text = Field(description="The word to use.")
    also: list[Text] = Field(default=[], description="Words that say the same where the sentence asks for them.")
    why: Text | None = Field(default=None, description="When which of them is used.")


class Glossary(Strict):
    """``spec/texts/<language>/glossary.yaml``: one word for each term of the field."""

    terms: dict[Text, Text | Term] = Field(
        description="English term → its word. A plural with s is found too; a longer term comes before its parts."
    )
    names: list[Text] = Field(default=[], description="Words that stay as they are: names of methods and programs.")
    besides: dict[Text, Text] = Field(
        default={}, description="English sentences whose translation need not follow the glossary, with the reason."
    )
    allow: list[Allow] = []

    def words(self, term: str) -> tuple[str, ...]:
        """Return the words that can stand for a term, the usual one first."""
        chinese = self.terms[term]
        return (chinese.text, *chinese.also) if isinstance(chinese, Term) else (chinese,)

    def synonyms(self, term: str) -> tuple[str, ...]:
        """Return the words that mean a term wherever they stand: not those that a reason keeps for another sense."""
        chinese = self.terms[term]
        return (chinese.text,) if isinstance(chinese, Term) and chinese.why else self.words(term)
