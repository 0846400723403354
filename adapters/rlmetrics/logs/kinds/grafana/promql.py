"""Where metrics are named in a PromQL expression, or in the query of a Grafana variable.

No parser: tokens and brackets are enough to tell a metric from a function, a label, a keyword or text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rlmetrics.lazy_dataclasses import dataclass

__all__ = ["PromqlError", "Selector", "Token", "begins_operand", "follows_grouping", "quote", "selectors", "tokens"]

_TOKEN = re.compile(
    r"""(?P<space>\s+)|(?P<comment>\#[^\n]*)
    |(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)
    |(?P<variable>\$\{[^}]*\}|\$[A-Za-z0-9_]+|\[\[[A-Za-z0-9_:]+\]\])
    |(?P<number>0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?:(?:ms|[smhdwy])[0-9]*)*)
    |(?P<name>[A-Za-z_:][A-Za-z0-9_:]*)
    |(?P<operator>==|!=|=~|!~|<=|>=|[-+*/%^<>=,@!.:;|?&~])
    |(?P<bracket>[()\[\]{}])""",
    re.X | re.S,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_GROUPINGS = {"group_left", "group_right"}
_MATCHINGS = {"on", "ignoring", *_GROUPINGS}
_LABEL_LISTS = {"by", "without", *_MATCHINGS}
_KEYWORDS = {
    *_LABEL_LISTS,
    "bool",
    "offset",
    "and",
    "or",
    "unless",
    "atan2",
    "inf",
    "nan",
    "fill",
    "anchored",
    "smoothed",
}
_OPERATORS = {"and", "or", "unless", "atan2", "bool"}
_MATCHES = {"=", "!=", "=~", "!~"}
_VALUES_OF = "label_values"
_NAME = "__name__"


class PromqlError(ValueError):
    """An expression whose texts or brackets do not end."""


class Token(NamedTuple):
    """A piece of an expression: ``kind`` is a group of the grammar, such as ``name`` or ``string``."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Selector:
    """A metric with its matchers: ``name{label="x"}``, ``{"name"}`` or ``{__name__="name"}``.

    Attributes:
        name: The metric; for a regular expression its text.
        quoted: Whether the name is a string, in which all characters may stand.
        is_regex: Whether it is a regular expression (``__name__=~``) or excluded (``!=``), so that it names no metric.
        is_instant: Whether an operator may follow, as none may before a range, an offset or an ``@``.
        is_series: Whether nothing but a selector may stand here, as in ``label_values(…)``.
        start: Where the selector starts.
        end: Where it ends.
        at: Where the name starts and ends, quotes included.
    """

    name: str
    quoted: bool
    is_regex: bool
    is_instant: bool
    is_series: bool
    start: int
    end: int
    at: tuple[int, int]


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of an expression; together they are the text.

    Raises:
        PromqlError: If a string does not end or a character is no part of the language.
    """
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            msg = f"{text[at]!r} at character {at + 1} begins nothing that is known"
            raise PromqlError(msg)
        yield Token(match.lastgroup, match[0], at, match.end())
        at = match.end()


def selectors(text: str) -> list[Selector]:
    """Return every metric that an expression names, in order.

    Raises:
        PromqlError: As ``tokens``, or if brackets do not match.
    """
    return _PromqlReader(_significant(text)).read()


def quote(name: str, like: str) -> str:
    """Return a name as a string, in the quotes of another one where they can hold it."""
    mark = like[0]
    if mark == "`" and "`" not in name:
        return f"`{name}`"
    mark = '"' if mark == "`" else mark
    escaped = name.replace("\\", "\\\\").replace(mark, "\\" + mark).replace("\n", "\\n")
    return f"{mark}{escaped}{mark}"


def begins_operand(text: str, at: int) -> bool:
    """Tell whether a bracket at ``at`` begins an operand, rather than the arguments of a function or labels."""
    before = _significant(text[:at])
    last = before[-1] if before else None
    if last is None or last.kind == "operator" or last.text in _CLOSING:
        return True
    if last.text != ")":
        return last.kind == "name" and last.text.lower() in _OPERATORS
    while before and before[-1].text != "(":
        before.pop()
    return len(before) > 1 and before[-2].text.lower() in _MATCHINGS


def follows_grouping(text: str, at: int) -> bool:
    """Tell whether ``group_left`` or ``group_right`` without labels stands before ``at``."""
    before = _significant(text[:at])
    return bool(before) and before[-1].text.lower() in _GROUPINGS


def _significant(text: str) -> list[Token]:
    return [token for token in tokens(text) if token.kind not in ("space", "comment")]


class _PromqlReader:
    """Steps through the tokens and keeps the open brackets."""

    def __init__(self, found: list[Token]) -> None:
        self.tokens = found
        self.selectors: list[Selector] = []

    def read(self) -> list[Selector]:
        # Each open bracket: what closes it, what it belongs to, how many selectors there were, whether a comma came.
        stack: list[tuple[str, str, int, list[bool]]] = []
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            owner = self._text(at - 1) if self._kind(at - 1) == "name" else ""
            frame = stack[-1] if stack else None
            if token.text == "{" and token.kind == "bracket":
                at = self._braces(at, at, frame)
                continue
            if token.text in _CLOSING and token.kind == "bracket":
                stack.append((_CLOSING[token.text], owner.lower(), len(self.selectors), [False]))
            elif token.kind == "bracket":
                if frame is None or frame[0] != token.text:
                    msg = f"{token.text!r} at character {token.start + 1} closes nothing"
                    raise PromqlError(msg)
                stack.pop()
                if frame[1] == _VALUES_OF and not frame[3][0]:
                    del self.selectors[frame[2] :]  # Its only argument is a label.
            elif token.text == "," and frame is not None:
                frame[3][0] = True
            elif token.kind == "name" and self._is_metric(at, frame):
                at = self._named(at, frame)
                continue
            at += 1
        if stack:
            msg = f"{stack[-1][0]!r} is missing"
            raise PromqlError(msg)
        return self.selectors

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def _kind(self, at: int) -> str:
        return self.tokens[at].kind if 0 <= at < len(self.tokens) else ""

    def _is_metric(self, at: int, frame: tuple[str, str, int, list[bool]] | None) -> bool:
        token, following = self.tokens[at], self._text(at + 1)
        if token.text.lower() in _KEYWORDS or following == "(" or following.lower() in ("by", "without"):
            return False
        if frame is not None and (frame[1] in _LABEL_LISTS or (frame[1] == _VALUES_OF and frame[3][0])):
            return False
        if frame is not None and frame[0] == "]":
            return False
        return not (self._touches(at - 1, at) or self._touches(at, at + 1))

    def _touches(self, first: int, second: int) -> bool:
        """Tell whether a variable of Grafana completes a name: ``rl_$metric``."""
        if "variable" not in (self._kind(first), self._kind(second)):
            return False
        return self.tokens[first].end == self.tokens[second].start

    def _named(self, at: int, frame: tuple[str, str, int, list[bool]] | None) -> int:
        """Read a selector that begins with a name; return the index after it."""
        token = self.tokens[at]
        after = self._closed(at + 1) if self._text(at + 1) == "{" else at + 1
        self._add(token, token.text, at, after, frame, quoted=False, is_regex=False)
        return after

    def _braces(self, at: int, opened: int, frame: tuple[str, str, int, list[bool]] | None) -> int:
        """Read a selector without a name before its braces; return the index after it."""
        after = self._closed(opened)
        for index in range(opened + 1, after - 1):
            token = self.tokens[index]
            before, following = self._text(index - 1), self._text(index + 1)
            if token.kind != "string":
                continue
            if before in ("{", ",") and following not in _MATCHES:
                self._add(token, _unquoted(token.text), at, after, frame, quoted=True, is_regex=False)
            elif before in _MATCHES and _unquoted(self._text(index - 2)) == _NAME:
                self._add(token, _unquoted(token.text), at, after, frame, quoted=True, is_regex=before != "=")
        return after

    def _closed(self, at: int) -> int:
        """Return the index after the brace that closes the one at ``at``."""
        for index in range(at + 1, len(self.tokens)):
            if self.tokens[index].kind == "bracket":
                if self.tokens[index].text == "}":
                    return index + 1
                break
        msg = f"'{{' at character {self.tokens[at].start + 1} is not closed"
        raise PromqlError(msg)

    def _add(
        self,
        token: Token,
        name: str,
        first: int,
        after: int,
        frame: tuple[str, str, int, list[bool]] | None,
        *,
        quoted: bool,
        is_regex: bool,
    ) -> None:
        is_series = frame is not None and frame[1] == _VALUES_OF
        is_instant = self._text(after).lower() not in ("[", "offset", "@") and not is_series
        span = self.tokens[first].start, self.tokens[after - 1].end
        at = token.start, token.end
        self.selectors.append(Selector(name, quoted, is_regex, is_instant, is_series, *span, at))


def _unquoted(text: str) -> str:
    if text[:1] not in ('"', "'", "`"):
        return text
    body = text[1:-1]
    return (
        body if text[0] == "`" else re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), body)
    )
