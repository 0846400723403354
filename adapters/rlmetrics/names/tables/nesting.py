"""How deep a YAML text is nested, told before whatever loads it meets a limit of its own.

Loaders differ in that. Up to libyaml 0.2.5, composing a hundred thousand brackets ran out of stack; 0.2.6 refuses more
than a thousand levels, and does so before it reports the first of them: it looks for the end of a key up to 1,024
characters ahead. So brackets that crowd are set apart by spaces here, and no thousand of them are in sight.
"""

from __future__ import annotations

import re

from rlmetrics.lazy_typing import Any

__all__ = ["beyond", "crowded"]

_CROWD = re.compile(r"[\[{]{8,}")
"""Where fewer brackets than these stand together, 1,024 characters hold at most seven eighths of them."""


def crowded(text: str) -> bool:
    """Tell whether brackets stand so close that a loader may refuse them before it reports any."""
    return _CROWD.search(text) is not None


def beyond(text: str, most: int, loader: Any) -> int | None:
    """Return the index of the first collection that lies too deep; needs PyYAML.

    Args:
        text: The text, without a byte order mark.
        most: How many collections may lie inside one another, at most 400.
        loader: A loader of PyYAML, whose parser is used.

    Returns:
        The index, or None where nothing lies too deep up to the end, or up to where the text is not YAML.
    """
    import yaml

    depth = 0
    try:
        for event in yaml.parse(_CROWD.sub(lambda crowd: " ".join(crowd[0]), text), Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > most:
                return _index(text, event.start_mark.index if event.start_mark else 0)
    except yaml.YAMLError:
        pass
    return None


def _index(text: str, spaced: int) -> int:
    """Return the index in a text of a bracket whose index with the spaces is given."""
    spaces = 0
    for crowd in _CROWD.finditer(text):
        inside = spaced - spaces - crowd.start()
        if inside < 0:
            break
        spaces += min((inside + 1) // 2, crowd.end() - crowd.start() - 1)
    return spaced - spaces
