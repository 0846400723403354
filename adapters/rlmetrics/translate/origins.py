"""Where the names of a run come from: one source, several that explain them equally well, or none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.names.inference import SourceAnswer
from rlmetrics.names.inference.flat_names import FlatNames
from rlmetrics.names.tables.user_errors import UserError

from .agreement import AgreeingTranslator
from .translation_options import Options
from .translator import Translator

__all__ = ["Decision", "Known", "Origin", "Several", "Unknown", "origin_by"]


class Origin(ABC):
    """Where names come from, as far as that is known.

    Attributes:
        is_certain: Whether it is one source.
    """

    is_certain: ClassVar[bool] = False

    @abstractmethod
    def translator(self, options: Options, surface: str | None) -> Translator:
        """Return what carries the names.

        Raises:
            UserError: If there is no source, several agree on nothing, or target or configuration can't be resolved.
        """


@dataclass(frozen=True, slots=True)
class Known(Origin):
    """One source.

    Attributes:
        source: The source.
        prefix: What stands before all of its names, and is no part of them.
        spelling: Returns the key that a name stands for, where a store replaced slashes.
    """

    source: str
    prefix: str = ""
    spelling: FlatNames | None = None
    is_certain: ClassVar[bool] = True

    def translator(self, options: Options, surface: str | None) -> Translator:
        """Return the translator from the source."""
        named = {"surface": surface, "prefix": self.prefix, "spelling": self.spelling, **options.of_names()}
        return Translator(self.source, options.target, **named)


@dataclass(frozen=True, slots=True, eq=False)
class Several(Origin):
    """Sources that explain the names equally well; two of these are never the same.

    Attributes:
        answer: The sources.
        names: The names.
    """

    answer: SourceAnswer
    names: frozenset[str]

    def translator(self, options: Options, surface: str | None) -> Translator:
        """Return a translator that carries what the sources agree on."""
        named = {
            "surface": surface,
            "prefix": self.answer.prefix,
            "spelling": self.answer.spelling,
            **options.of_names(),
        }
        return AgreeingTranslator(self.answer, options.target, names=self.names, **named)


@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Origin):
    """No source, for a reason."""

    reason: UserError

    def translator(self, options: Options, surface: str | None) -> Translator:
        """Raise the reason."""
        raise self.reason


Decision = Callable[[Callable[[], Origin]], Origin]
"""Says where names come from, given what infers it."""


def origin_by(options: Options, infer: Callable[[], Origin], decide: Decision | None = None) -> Origin:
    """Return where names come from: as somebody decides, else as the options say, who may leave it to the names."""
    if decide is not None:
        return decide(infer)
    return infer() if options.source == "auto" else Known(options.source)
