"""Settings that were given and that make no difference to what a key means."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.differences.severity import UPDATE
from rlmetrics.names.settings.configuration import DeducedName, RecordedName, find_key
from rlmetrics.wording.metric_facts import own_formula
from rlmetrics.wording.signature_words import listed

if TYPE_CHECKING:
    from rlmetrics.names.lookup.lookup_records import Resolution
    from rlmetrics.names.meanings.component import ComponentView

__all__ = ["indifferent_words"]

_MOST = 3
"""So many settings are named."""
_NO_DIFFERENCE = "no difference to what it means"
_WHICH = "which responses are sampled, not how the number is computed from them"
_SAMPLING = {
    *("temperature", "top_k", "top_p", "min_p", "do_sample", "generation_kwargs"),
    *("repetition_penalty", "presence_penalty", "frequency_penalty"),
}
"""Settings that decide which responses there are, by the last part of their names."""


def indifferent_words(view: ComponentView, item: Resolution) -> str | None:
    """Return that settings given one by one make no difference to a key; None if none of them is like that.

    What a setting does that the trainer has in other releases alone is left open: another trainer may have its name.
    So is what one does of which nothing is said where a framework has code of its own on top of another's.
    """
    given = [name for name in view.given or {} if not isinstance(name, RecordedName | DeducedName)]
    names = {name: find_key(name, view.config.keys) or name.lstrip("+") for name in given}
    if not names or item.template is None:
        return None
    texts = list(_said(view, item))
    idle = [name for name in names.values() if not _named(name, texts)]
    sampling = [name for name in idle if name.rpartition(".")[2] in _SAMPLING]
    rest = [name for name in idle if name not in sampling]
    stated = view.config.keys
    unknown = [name for name in rest if not view.config.knows(name) or (view.table.base and name not in stated)]
    known = [name for name in rest if name not in unknown]
    said = [
        *([f"The {_shown(sampling)} {_does(sampling, 'decide')} {_WHICH}"] if sampling else []),
        *([f"Nothing is known of the {_shown(unknown)} in this release"] if unknown else []),
        *([f"The {_shown(known)} {_does(known, 'make')} {_NO_DIFFERENCE}"] if known else []),
    ]
    return ". ".join(said) or None


def _shown(names: list[str]) -> str:
    """Return some settings by name, with what they are."""
    shown = [*names[:_MOST], *([f"{len(names) - _MOST} more"] if len(names) > _MOST else [])]
    return f"{'setting' if len(names) == 1 else 'settings'} {listed(shown)}"


def _does(names: list[str], verb: str) -> str:
    """Return a verb as it stands after one setting, or several."""
    return f"{verb}s" if len(names) == 1 else verb


def _named(name: str, texts: list[str]) -> bool:
    """Tell whether something that is said of a key names a setting, at least by its last part."""
    words = re.compile(rf"(?<!\w){re.escape(name.rpartition('.')[2])}(?!\w)")
    return any(words.search(text) for text in texts)


def _said(view: ComponentView, item: Resolution) -> Iterator[str]:
    """Yield all that is said of a key and that may name a setting."""
    key, mode = str(item.template), item.mode or "train"
    yield from view.expressions(key, mode)
    yield from (item.condition or "", *item.constant_when, *item.notes, str(item.brief))
    circumstances = view.circumstances
    yield circumstances.part(UPDATE, mode)
    signature = item.signature
    if item.metric is not None:
        yield from own_formula(item.metric, signature, view.tables)
    if signature is not None:
        yield from (str(signature.scale), str(signature.offset), signature.span or "")
        yield from (circumstances.part(level, mode) for level in signature.reduction)
        yield from (circumstances.trait(view.tables.traits[name], mode) or "" for name in signature.traits)
    # What moves its curve without changing what it means.
    for name, shaping in view.table.defaults(view.stem).get("shaping", {}).items():
        level = shaping.get("level")
        if key in shaping.get("keys", ()) or (signature is not None and level in signature.reduction):
            yield name
