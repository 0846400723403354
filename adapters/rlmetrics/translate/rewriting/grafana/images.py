"""What exporters make of keys, computed forwards: underscores can't be turned back into slashes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.kinds.grafana import PREFIX, classic

from ...translator import Translator

__all__ = ["Image", "Images"]

_SURFACES = ("logged", "wandb")


def _slashes(name: str) -> str:
    return name.replace("/", "_")


def _plain(name: str) -> str:
    return name


_STYLES: tuple[Callable[[str], str], ...] = (_plain, _slashes, classic)
"""How a name may be written where all characters may stand, as names in UTF-8 do."""


@dataclass(frozen=True, slots=True)
class Image:
    """A name as an exporter shows it.

    Attributes:
        keys: The logged keys that it may be; several only if a placeholder's value can be cut in several ways.
        prefix: What the exporter put before it.
        style: How it changes a key.
    """

    keys: tuple[str, ...]
    prefix: str
    style: Callable[[str], str]

    def of(self, key: str) -> str:
        """Return another key as the same exporter shows it."""
        return self.style(self.prefix + key)


class Images:
    """The images of all keys of a source.

    Args:
        translator: What knows the keys.
    """

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._literals: dict[Callable[[str], str], dict[str, dict[str, None]]] = {style: {} for style in _STYLES}
        self._templates: list[tuple[str, dict[str, str]]] = []
        seen: set[str] = set()
        for name, stand_ins in chain.from_iterable(map(translator.examples, _SURFACES)):
            if name in seen:
                continue
            seen.add(name)
            if stand_ins:
                self._templates.append((name, stand_ins))
            for style in _STYLES if not stand_ins else ():
                self._literals[style].setdefault(style(name), {})[name] = None

    def find(self, text: str, *, quoted: bool) -> Image | None:
        """Return what a name in an expression is; None if it is no key's image.

        Args:
            text: The name.
            quoted: Whether it is a string, in which all characters may stand.
        """
        for prefix in (PREFIX, ""):
            if not text.startswith(prefix):
                continue
            for style in _STYLES if quoted else (classic,):
                keys = self._keys(text[len(prefix) :], style)
                if keys:
                    return Image(tuple(keys), prefix, style)
        return None

    def _keys(self, stem: str, style: Callable[[str], str]) -> Iterable[str]:
        if stem in self._literals[style]:
            return self._literals[style][stem]
        keys: dict[str, None] = {}
        for name, stand_ins in self._templates:
            for wide in ("(.+)", "(.+?)"):
                key = _parsed(stem, name, stand_ins, style, wide)
                if key is not None and self._translator.key(key).metric is not None:
                    keys[key] = None
        return keys


def _parsed(stem: str, name: str, stand_ins: dict[str, str], style: Callable[[str], str], wide: str) -> str | None:
    """Return the key whose image is ``stem``, if a template can have it; values keep their underscores."""
    if not stand_ins:
        return None
    cut = re.split("|".join(map(re.escape, sorted(stand_ins, key=len, reverse=True))), name)
    order = re.findall("|".join(map(re.escape, sorted(stand_ins, key=len, reverse=True))), name)
    literal = [
        re.escape(re.sub("^_(?=[0-9])", "", style(part)) if index else style(part)) for index, part in enumerate(cut)
    ]
    match = re.fullmatch(
        "".join(chain.from_iterable(zip(literal, [wide] * len(order), strict=False))) + literal[-1], stem
    )
    if match is None:
        return None
    values = match.groups()
    if any(re.fullmatch(stand_ins[old], value) is None for old, value in zip(order, values, strict=True)):
        return None
    return "".join(chain.from_iterable(zip(cut, values, strict=False))) + cut[-1]
