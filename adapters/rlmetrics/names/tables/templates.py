"""Templates of keys: ``rewards/{reward_func}/mean`` to a regular expression and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from .user_errors import NamesError

__all__ = ["CONSTRAINED", "LITERAL", "OPEN", "Template", "placeholders_in"]

LITERAL, CONSTRAINED, OPEN = 0, 1, 2
"""How specific a key is: a literal beats a constrained template, and that beats an open one."""

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def placeholders_in(key: str) -> tuple[str, ...]:
    """Return the names of a key's placeholders, in order, each once."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(key))) if "{" in key else ()


class Template:
    """A key with placeholders.

    Args:
        text: The key, such as ``rewards/{reward_func}/mean``.
        patterns: A regular expression for each placeholder's values.
        is_open: Whether users choose a placeholder's value without any restriction.
    """

    def __init__(self, text: str, patterns: Mapping[str, str], *, is_open: bool = False) -> None:
        self.text = text
        self.patterns = patterns
        self.names = placeholders_in(text)
        self.rank = OPEN if is_open else CONSTRAINED if self.names else LITERAL
        self._around = text.partition("{")[0], text.rpartition("}")[2]

    @cached_property
    def literal_length(self) -> int:
        """How many characters are no placeholder's."""
        return len(_PLACEHOLDER.sub("", self.text))

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """The regular expression that a whole key must match, with a group for each placeholder."""
        parts: list[str] = []
        seen: set[str] = set()
        position = 0
        for match in _PLACEHOLDER.finditer(self.text):
            name = match[1]
            parts.append(re.escape(self.text[position : match.start()]))
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>{self.patterns[name]})")
            seen.add(name)
            position = match.end()
        return re.compile("".join(parts) + re.escape(self.text[position:]))

    def parse(self, key: str) -> dict[str, str] | None:
        """Return the values of the placeholders in a key, or None if the key is not of this form."""
        if not self.names:
            return {} if key == self.text else None
        # Most keys differ from most templates in what surrounds the placeholders: that needs no expression compiled.
        before, after = self._around
        if not (key.startswith(before) and key.endswith(after)):
            return None
        match = self.regex.fullmatch(key)
        return None if match is None else match.groupdict()

    def may_begin(self, start: str) -> bool:
        """Tell whether a key of this form may begin so."""
        before = self._around[0]
        return start.startswith(before[: len(start)]) if len(before) >= len(start) else start.startswith(before)

    def fits(self, name: str, value: str) -> bool:
        """Return whether a placeholder can have a value."""
        return re.fullmatch(self.patterns[name], value) is not None

    def format(self, values: Mapping[str, str]) -> str:
        """Return the key with placeholders filled in; those without a value stay.

        Raises:
            NamesError: A value does not fit its placeholder.
        """
        for name in self.names:
            if name in values and not self.fits(name, values[name]):
                msg = f"{values[name]!r} cannot be {{{name}}} in {self.text}; it must match {self.patterns[name]}"
                raise NamesError(msg)
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), self.text)
