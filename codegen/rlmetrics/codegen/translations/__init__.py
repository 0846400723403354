"""What is said in other languages: which English sentences there are, and which pages were made from which."""

from .english import english_sentences
from .interface import answer_phrases, interface_sentences, interface_texts
from .spoken import is_spoken
from .translated_guides import TranslatedGuide, guides, sections

__all__ = [
    "TranslatedGuide",
    "answer_phrases",
    "english_sentences",
    "guides",
    "interface_sentences",
    "interface_texts",
    "is_spoken",
    "sections",
]
