"""Where names stand in a Grafana dashboard, of the classic schema or of version 2.

Both are walked by the names of their fields, so that it does not matter how deep panels are nested.
"""

from __future__ import annotations

import re

from rlmetrics.names.tables.key_records import Transform

from ...dashboard_names import escaped
from ...inversion import inverted, unwrapped
from ...jsontree import Array, Document, Node, Object, Text
from .promql import PromqlError, Selector, begins_operand, follows_grouping, quote, selectors

__all__ = ["PromqlNames", "walk"]

_OTHER_LANGUAGES = {"loki", "elasticsearch", "influxdb", "mysql", "postgres", "graphite", "tempo"}
_VARIABLE = re.compile(r"\s*(?:label_values|query_result)\s*\(")
_METRICS = re.compile(r"\s*(?:metrics|label_names)\s*\(")
_WORD = re.compile(r"(?<![\w:/@.$-])[A-Za-z_][\w:/@.-]*(?:\([\w-]+\))?|\{\{.*?\}\}")
_COMPOSED = re.compile(r"[A-Za-z_:][\w:]*(?:\$|\[\[)")
_TITLES = "renameByName"
_PATTERNS = {"pattern", "regex"}


class PromqlNames:
    """What a walk does with the names that it meets; this leaves each as it is."""

    def metric(self, document: Document, selector: Selector) -> list[str]:
        """Return what a metric in an expression becomes: itself, a new name, or the new and the old one."""
        return [selector.name]

    def transform(self, selector: Selector) -> Transform | None:
        """Return how the values of a metric change."""
        return None

    def word(self, text: str) -> str:
        """Return what a word of a label becomes."""
        return text

    def mentions(self, document: Document, node: Text) -> None:
        """Tell of names in a text that is left as it is."""

    def pattern(self, document: Document, node: Text) -> None:
        """Tell of names that a regular expression chooses, which is left as it is."""

    def note(self, document: Document, offset: int, text: str) -> None:
        """Say something about a place."""


def walk(document: Document, node: Node, names: PromqlNames) -> None:
    """Rewrite every name below ``node``."""
    _DashboardWalk(document, names).node(node)


class _DashboardWalk:
    """Goes through one dashboard."""

    def __init__(self, document: Document, names: PromqlNames) -> None:
        self._document = document
        self._names = names

    def node(self, node: Node) -> None:
        """Rewrite the names below a node."""
        if isinstance(node, Array):
            for item in node.items:
                self.node(item)
        elif isinstance(node, Text):
            self._names.mentions(self._document, node)
        elif isinstance(node, Object) and _language(node) not in _OTHER_LANGUAGES:
            for name, value in node.members:
                self._member(name.value, value)

    def _member(self, name: str, value: Node) -> None:
        if isinstance(value, Text) and (
            name == "expr" or (name in ("query", "definition") and _is_promql(value.value))
        ):
            self._expression(value)
        elif isinstance(value, Text) and name == "legendFormat":
            self._label(value)
        elif isinstance(value, Text) and name in _PATTERNS:
            self._names.pattern(self._document, value)
        elif isinstance(value, Object) and name == "matcher" and value.text("id") == "byRegexp":
            self._member("pattern", value.get("options") or value)
        elif name == "transformations" or (name == "matcher" and _chooses_by_name(value)):
            self._fields(value)
        else:
            self.node(value)

    def _expression(self, node: Text) -> None:
        inner = self._document.inner(node)
        try:
            chosen = selectors(inner.text)
        except PromqlError as error:
            self._names.note(self._document, node.start, f"the expression can't be followed ({error}): it stays")
            return
        if _METRICS.match(inner.text):
            self._names.note(self._document, node.start, f"{inner.text} chooses by a regular expression: it stays")
            return
        if composed := _COMPOSED.search(inner.text):
            self._names.note(inner, composed.start(), "a name is put together with a variable: it stays")
        for selector in chosen:
            self._selector(inner, selector)

    def _selector(self, inner: Document, selector: Selector) -> None:
        start = selector.at[0]
        if selector.is_regex:
            self._names.note(
                inner, start, f"__name__ is matched with {selector.name}: it stays, add the names you need"
            )
            return
        outputs = self._names.metric(inner, selector)
        if outputs == [selector.name]:
            return
        transform = self._names.transform(selector)
        texts = [_named(inner.text, selector, name) for name in outputs]
        span = selector.start, selector.end
        if transform is not None and selector.is_instant:
            undone = unwrapped(inner.text, *span, transform)
            if undone and begins_operand(inner.text, undone[0]):
                span = undone
                texts[1:] = [inner.text[slice(*span)] for _ in texts[1:]]
            else:
                texts[0] = inverted(texts[0], transform)
        elif transform is not None and not selector.is_series:
            change = f"{transform.scale:g} * value + {transform.offset:g}"
            self._names.note(inner, start, f"the values of {selector.name} become {change} here: adapt the expression")
        if len(texts) > 1 and selector.is_instant:
            texts = [f"({' or '.join(texts)})"]
        elif len(texts) > 1 and selector.is_series:
            texts = [_either(inner.text, selector, outputs)]
        elif len(texts) > 1:
            self._names.note(inner, start, f"only one name can stand here: {selector.name} is replaced")
        # Without labels of its own, a grouping would take the bracket for them.
        labels = "() " if texts[0].startswith("(") and follows_grouping(inner.text, span[0]) else ""
        inner.replace(*span, labels + texts[0])

    def _label(self, node: Text) -> None:
        """Rewrite the names in a legend, or in the name of a field, which legends make; labels in braces are none."""
        inner = self._document.inner(node)
        for match in _WORD.finditer(inner.text):
            new = match[0] if match[0].startswith("{{") else self._names.word(match[0])
            if new != match[0]:
                inner.replace(match.start(), match.end(), new)

    def _fields(self, node: Node) -> None:
        """Rewrite the names of fields in transformations and overrides."""
        if isinstance(node, Text):
            self._label(node)
        elif isinstance(node, Array):
            for item in node.items:
                self._fields(item)
        elif isinstance(node, Object):
            self._keys(node)
            for name, value in node.members:
                if name.value in _PATTERNS:
                    self._member(name.value, value)
                elif name.value == _TITLES and not isinstance(value, Object):
                    self.node(value)
                elif name.value == _TITLES and isinstance(value, Object):
                    self._keys(value)
                    for _, title in value.members:
                        self.node(title)
                else:
                    self._fields(value)

    def _keys(self, node: Object) -> None:
        """Rewrite the keys of a map of fields, unless two would become one."""
        new = [self._names.word(name.value) for name, _ in node.members]
        for (name, _), key in zip(node.members, new, strict=True):
            if new.count(key) == 1:
                self._document.put(name, key)
            else:
                self._names.note(self._document, name.start, f"{name.value} and another field would be {key}: it stays")


def _is_promql(text: str) -> bool:
    return _VARIABLE.match(text) is not None or _METRICS.match(text) is not None


def _chooses_by_name(node: Node) -> bool:
    return isinstance(node, Object) and node.text("id") in ("byName", "byNames")


def _language(node: Object) -> str | None:
    """Return the type of the data source of a query, where it stands beside it."""
    source = node.get("datasource")
    return source.text("type") if isinstance(source, Object) else node.text("group")


def _named(text: str, selector: Selector, name: str) -> str:
    """Return the selector with another name."""
    start, end = selector.at
    spelled = quote(name, text[start:end]) if selector.quoted else name
    return text[selector.start : start] + spelled + text[end : selector.end]


def _either(text: str, selector: Selector, names: list[str]) -> str:
    """Return a selector of the series of several metrics."""
    pattern = "|".join(map(escaped, names))
    matcher = f"__name__=~{quote(pattern, chr(34))}"
    if selector.quoted:
        start, end = selector.at
        start = text.rindex("__name__", selector.start, start) if "__name__" in text[selector.start : start] else start
        return text[selector.start : start] + matcher + text[end : selector.end]
    rest = text[selector.at[1] : selector.end].strip().removeprefix("{").removesuffix("}").strip().rstrip(",")
    return f"{{{matcher}{', ' if rest else ''}{rest}}}"
