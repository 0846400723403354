"""What is told of one release: in sentences, what sets a number apart, over what it is taken, when it is logged."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.signature_words import averaged_words, snapshot_words

from .lives import LifePiece
from .texts import Texts

__all__ = ["taken", "told", "when"]


def when(piece: LifePiece, texts: Texts) -> Markup:
    """Return when a key is logged, in a sentence."""
    t = texts.t
    asked = [t("only if {setting}", setting=Markup("<code>{}</code>").format(guard)) for guard in piece.guards]
    asked += [t("only {parts}", parts=texts.say(text)) for text in piece.texts if not text.startswith("never")]
    asked += [texts.say(text) for text in piece.texts if text.startswith("never")]
    what = t("; ").join(asked)
    if piece.entry.logged:
        return t("Logged by default; {what}.", what=what) if asked else t("Always logged.")
    if piece.entry.logged is None:
        return t("Logged {what}.", what=what) if asked else t("Whether it is logged depends on the run.")
    return t("Not logged by default; {what}.", what=what) if asked else t("Not logged by default.")


def told(piece: LifePiece, texts: Texts) -> list[Markup]:
    """Return what sets a number apart, in whole sentences: what it is, when it is gone, how it is undone."""
    found = []
    for reason in piece.weighing:
        text = texts.say(reason.text)
        if reason.vanishes:
            text = texts.t("{what} The same if {when}.", what=text, when=texts.say(reason.vanishes))
        if reason.correction:
            text = texts.t("{what} To repair it: {how}.", what=text, how=texts.say(reason.correction))
        found.append(text)
    return found


def taken(piece: LifePiece, tables: Tables, texts: Texts) -> Iterator[Markup]:
    """Yield over what a number is taken, how its parts are put together, and whose parameters computed it."""
    signature = piece.entry.signature
    averaged = averaged_words(signature, piece.entry.metric, tables, piece.entry.mode)
    if averaged is not None:
        yield texts.t("Taken over {what}.", what=texts.say(averaged))
    if "reduction" in signature.unstated:
        yield texts.t("How its parts are put together is not stated.")
    if signature.span is not None:
        yield texts.t("It measures {what}.", what=texts.say(signature.span.rstrip(".")))
    if signature.snapshot is not None:
        words = snapshot_words(signature.snapshot, tables)
        yield texts.t("Computed by {what}.", what=texts.say(str(words)))
