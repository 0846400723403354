"""Why numbers moved, as pages tell it: each cause once, numbered, what weighs most first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names import DiffResult
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.upgrades.causes import Effect, SharedCause, shown
from rlmetrics.wording.cause_words import plain_words, ticked

from .lists import Lists
from .release_steps import Proof, proof
from .texts import Texts, code

__all__ = ["CauseOnPage", "PageCauses"]

_EFFECTS = {
    "higher": "It usually reads higher.",
    "lower": "It usually reads lower.",
    "noisier": "It is noisier.",
    "smoother": "It is smoother.",
    "unit": "It is in another unit.",
}
_LONG_GUARD = 80
_FEW = 12


class CauseOnPage(NamedTuple):
    """A cause on a page.

    Attributes:
        number: What keys cite.
        severity: How much it weighs.
        release: The release that brought it, where the page is about several.
        what: What changed.
        more: What follows from it, and when it is gone.
        keys: Which keys it changed, in short.
        trainers: In which trainers, where there are several.
        proof: The line that shows it.
        capital: Whether it begins like a sentence; a name does not.
    """

    number: int
    severity: str
    release: str | None
    what: Markup
    more: tuple[Markup, ...]
    keys: Markup
    trainers: Markup | None
    proof: Proof | None
    capital: bool = True


class PageCauses:
    """The causes of one page.

    Args:
        tables: The spec.
        texts: The language.
        lists: The lists of the page.
        framework: The framework.
        found: What changed.
        before: For each release that brought a cause, the one before it.
    """

    def __init__(
        self,
        tables: Tables,
        texts: Texts,
        lists: Lists,
        framework: str,
        found: DiffResult,
        before: Mapping[str, str],
    ) -> None:
        self._tables = tables
        self._texts = texts
        self._lists = lists
        self._framework = framework
        self._before = before
        self._several = len({component for cause in found.causes for component in cause.components}) > 1
        self._releases = len({cause.release for cause in found.causes}) > 1
        timers = {item.key for item in found.changed if item.bookkeeping}
        timers |= {item.to for item in found.renamed if item.bookkeeping}
        groups: dict[str, list[SharedCause]] = {"heavy": [], "small": [], "hidden": [], "timers": []}
        for cause in found.causes:
            groups[_group(cause, timers)].append(cause)
        order = [cause for group in groups.values() for cause in group]
        self.numbers = {id(cause): number for number, cause in enumerate(order, 1)}
        self._groups = groups
        self._cited: dict[tuple[str, str], list[int]] = {}
        for cause in order:
            for component, keys in cause.where:
                for key in keys:
                    self._cited.setdefault((component, key), []).append(self.numbers[id(cause)])

    def heavy(self) -> Sequence[SharedCause]:
        """Return the causes that move a curve under default settings, as far as is known."""
        return self._groups["heavy"]

    def told(self, group: str) -> list[CauseOnPage]:
        """Return the causes of a group: ``heavy``, ``small``, ``hidden`` by default, or ``timers``."""
        return [self._told(cause) for cause in self._groups[group]]

    def of(self, component: str, key: str) -> tuple[int, ...]:
        """Return the numbers of the causes that changed a key of a component."""
        return tuple(self._cited.get((component, key), ()))

    def _told(self, cause: SharedCause) -> CauseOnPage:
        keys = cause.keys or cause.folded
        before = None if cause.release is None else self._before.get(cause.release)
        return CauseOnPage(
            self.numbers[id(cause)],
            cause.severity,
            cause.release if self._releases else None,
            self._said(cause),
            tuple(self._more(cause)),
            self._lists.few(keys, _FEW),
            self._lists.components(cause.components) if self._several else None,
            proof(self._tables, self._framework, cause, before),
        )

    def _said(self, cause: Effect | SharedCause) -> Markup:
        return self._texts.say(plain_words(cause, cause.what, self._tables, code=ticked))

    def _more(self, cause: SharedCause) -> Iterator[Markup]:
        t = self._texts.t
        yield from dict.fromkeys(self._effect(effect) for effect in cause.effects)
        if cause.effect is not None and cause.kind not in ("scale", "offset"):
            yield t(_EFFECTS[cause.effect])
        if cause.earlier:
            yield t("It was also so in {releases}.", releases=cause.earlier)
        if cause.kind == "setting":
            value = code(f"{cause.name}={shown(cause.before)}")
            yield t("As before with {setting}.", setting=value)
        elif cause.applies is False:
            yield self._only(cause)
        elif cause.vanishes_when:
            yield t("Same if {condition}.", condition=self._texts.say(cause.vanishes_when))

    def _only(self, cause: SharedCause) -> Markup:
        if cause.only_if is not None and len(cause.only_if) <= _LONG_GUARD:
            return self._texts.t("Shows only with {settings}.", settings=code(cause.only_if))
        if cause.vanishes_when:
            condition = self._texts.say(cause.vanishes_when)
            return self._texts.t("Same if {condition}, as it is by default.", condition=condition)
        return self._texts.t("Does not show with default settings.")

    def _effect(self, effect: Effect) -> Markup:
        if effect.kind == "logged":
            t = self._texts.t
            return t("Logged by default now.") if effect.after else t("No longer logged by default.")
        return self._texts.t("So: {what}.", what=self._said(effect))


def _group(cause: SharedCause, timers: Iterable[str]) -> str:
    if cause.keys and set(cause.keys) <= set(timers):
        return "timers"
    if cause.applies is False:
        return "hidden"
    return "small" if cause.severity == "close" else "heavy"
