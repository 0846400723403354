"""What is said in other languages: which English sentences there are, and which pages were made from which."""

from .catalog import Catalog
from .english import english_sentences
from .interface import interface_sentences
from .pages import Guide, guides, sections
from .spoken import is_spoken

__all__ = ["Catalog", "Guide", "english_sentences", "guides", "interface_sentences", "is_spoken", "sections"]
