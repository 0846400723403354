"""What changed about a number, in the words of the command line and in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from rlmetrics.names.upgrades.causes import shown
from rlmetrics.wording.metric_facts import quantity

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.names.upgrades.causes import Effect, SharedCause, TakenBack

    from .texts import Texts

__all__ = ["CauseWords"]

_BRIEF = 90
"""What was measured before is told where both fit into so many characters, as on the command line."""
_SENTENCE_END = ".。"
_LOGGED = {True: "logged by default", False: "not logged by default", None: "logged in some cases only"}
_LAGS = {0: "of its own step", 1: "of the next step", -1: "of the step before"}


class CauseWords:
    """Causes in words.

    Args:
        tables: The spec.
        texts: The language.
    """

    def __init__(self, tables: Tables, texts: Texts) -> None:
        self._tables = tables
        self._texts = texts
        self._words: Mapping[str, Any] = tables.signatures["WORDS"]
        self._levels = tables.levels

    def cause(self, cause: Effect | SharedCause | TakenBack) -> Markup:
        """Return what changed, without when that shows; in English exactly what the command line says."""
        t, say = self._texts.t, self._texts.say
        before, after = cause.before, cause.after
        if cause.kind == "setting":
            return t(
                "default of {name} {before} -> {after}",
                name=code(cause.name),
                before=code(shown(before)),
                after=code(shown(after)),
            )
        if cause.kind == "trait":
            trait = self._tables.traits[cause.name]
            if after:
                return say(trait.get("brief", trait["what"]))
            if "otherwise" in trait:
                return say(trait["otherwise"])
            return t("no longer: {what}", what=say(trait["what"]))
        if cause.kind == "reduction":
            return self._reduction(cause.name, before, after)
        if cause.kind == "metric":
            return self._metric(before, after)
        if cause.kind == "logged":
            return t(_LOGGED[after])
        return self._plainly(cause.kind, before, after)

    def quantity(self, metric: str) -> Markup:
        """Return a metric in a few words that may stand within a sentence."""
        english = quantity(metric, self._tables)
        brief = str(self._tables.metrics.get(metric, {}).get("brief", metric))
        if self._texts.language == "en" or brief.rstrip(".").lower() != english.lower():
            return self._texts.say(english)
        return Markup(str(self._texts.say(brief)).rstrip(_SENTENCE_END))

    def listed(self, items: Sequence[Markup]) -> Markup:
        """Return several things as a list in a sentence."""
        if len(items) < 2:
            return items[0] if items else Markup("")
        return self._texts.t("{first} and {last}", first=self._texts.t(", ").join(items[:-1]), last=items[-1])

    def _reduction(self, levels: str, before: Any, after: Any) -> Markup:
        names = levels.split(", ")
        befores, afters = ([value] if isinstance(value, str) else [*value] for value in (before, after))
        groups: dict[tuple[str, str], list[Markup]] = {}
        for name, then, now in zip(names, befores, afters, strict=True):
            groups.setdefault((then, now), []).append(self._texts.say(self._levels[name].parts))
        told = [
            self._texts.t("{now}, was {then}", now=self._over(now, self.listed(parts)), then=self._how(then))
            for (then, now), parts in groups.items()
        ]
        return self._texts.t("; ").join(told)

    def _over(self, operation: str, parts: Markup) -> Markup:
        if operation == "pool":
            return self._texts.t("{parts} pooled", parts=parts)
        if operation == "none":
            return self._texts.t("one value, not several {parts}", parts=parts)
        how = self._texts.say(self._words["operations"][operation])
        if operation in ("first", "last"):
            return self._texts.t("{how} of the {parts}", how=how, parts=parts)
        return self._texts.t("{how} over {parts}", how=how, parts=parts)

    def _how(self, operation: str) -> Markup:
        if operation == "pool":
            return self._texts.t("pooled")
        if operation == "none":
            return self._texts.t("not there")
        how = self._texts.say(self._words["operations"][operation])
        return how if operation in ("first", "last") else self._texts.t("the {how}", how=how)

    def _metric(self, before: str | None, after: str | None) -> Markup:
        t = self._texts.t
        if after is None:
            return t("what it measures depends on the configuration")
        near = self._near(before, after)
        if near is not None:
            return near
        if before is not None:
            length = len(quantity(after, self._tables)) + len(f"; was {quantity(before, self._tables)}")
            if length <= _BRIEF:
                return t("measures {now}; was {then}", now=self.quantity(after), then=self.quantity(before))
        return t("measures {now}", now=self.quantity(after))

    def _near(self, before: str | None, after: str) -> Markup | None:
        first, second = (self._tables.metrics.get(name or "", {}).get("identity", {}) for name in (before, after))
        differ = {name for name in {*first, *second} if first.get(name) != second.get(name)}
        if not {"of"} <= differ <= {"of", "extent"} or None in (first.get("of"), second.get("of")):
            return None
        now, then = (self._texts.say(str(identity["of"])) for identity in (second, first))
        return self._texts.t("over {now}, was over {then}", now=now, then=then)

    def _plainly(self, kind: str, before: Any, after: Any) -> Markup:
        t, say = self._texts.t, self._texts.say
        if kind == "population":
            known = self._words["populations"]
            now, then = (say(known.get(name, str(name).replace("_", " "))) for name in (after, before))
            return t("over {now}, was {then}", now=now, then=then)
        if kind == "snapshot":
            words = self._words["snapshots"]
            now, then = (say(str(words.get(name, name))) for name in (after, before))
            return t("computed by {now}, was {then}", now=now, then=then)
        if kind == "span":
            return t("measures {now}, was {then}", now=self._span(after), then=self._span(before))
        if kind == "lag":
            return t("the value {now}, was {then}", now=self._lag(after), then=self._lag(before))
        if kind in ("scale", "offset"):
            return self._factor(kind, before, after)
        if kind == "kind":
            return t("is a {now}, was a {then}", now=say(str(after)), then=say(str(before)))
        return t("computed by {now}, was {then}", now=self._formula(after), then=self._formula(before))

    def _span(self, span: str | None) -> Markup:
        if span is None:
            return self._texts.t("what its definition says")
        if self._texts.language != "en":
            return Markup(str(self._texts.say(span)).rstrip(_SENTENCE_END))
        plain = span.rstrip(".")
        return escape(plain[:1].lower() + plain[1:] if plain[1:2].islower() or plain[1:2] == " " else plain)

    def _lag(self, lag: int) -> Markup:
        if abs(lag) <= 1:
            return self._texts.t(_LAGS[lag])
        if lag < 0:
            return self._texts.t("of {count} steps before", count=abs(lag))
        return self._texts.t("of {count} steps later", count=lag)

    def _formula(self, variant: str | None) -> Markup:
        if variant is None:
            return self._texts.t("the plain formula")
        return self._texts.t("the variant {name}", name=self._texts.say(variant.replace("_", " ")))

    def _factor(self, kind: str, before: Any, after: Any) -> Markup:
        t = self._texts.t
        if kind == "offset":
            return t("shifted by {now}, was {then}", now=shown(after), then=shown(before))
        if isinstance(before, float) and isinstance(after, float) and before:
            factor = after / before
            return t("has the other sign") if factor == -1 else t("{factor} x the number before", factor=f"{factor:g}")
        if after == 1:
            return t("no longer multiplied by {factor}", factor=shown(before))
        if before == 1:
            return t("multiplied by {factor}", factor=shown(after))
        return t("multiplied by {factor}, was by {then}", factor=shown(after), then=shown(before))


def code(text: str) -> Markup:
    """Return a name or value as code."""
    return Markup("<code>{}</code>").format(text)
