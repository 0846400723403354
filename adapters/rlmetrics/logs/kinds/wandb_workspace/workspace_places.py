"""Where the names of metrics stand in the spec of a W&B workspace or report.

The spec is walked as plain JSON, by the names of its fields: panels stand in sections, in the grids of reports, and
wherever a later version of the app puts them. A field that is not known here is looked through and stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from rlmetrics.names.tables.key_records import Transform

from ...dashboard_names import Names
from ...decimals import convert_decimal, spelled
from ...inversion import inverted, unwrapped
from ...jsontree import Array, Document, JsonLiteral, Node, Object, Text

__all__ = ["walk"]

_PREFIX = re.compile(r"summary:|history:|summary_metrics\.|summary\.")
_NO_METRIC = re.compile(r"_|system[./]|(?:config|run|tags|keys_info)[:.]|(?:Step|Relative Time.*|Wall Time)$|$")
_STATISTIC = re.compile(r"(.+)\.(?:min|max|mean|last|first|best)")
_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_CALL = re.compile(r"[\w)\]}]\s*\Z")
"""What stands before the arguments of a function."""
_HISTORY = {"history", "sampledHistory", "summary", "keys"}
_TABLE = "tableKey"
_OPAQUE = {"panelConfigOverrides", "panelPlacementOverrides"}
_TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def walk(document: Document, node: Node, names: Names) -> None:
    """Rewrite every name below ``node``."""
    _SpecWalk(document, names).node(node)


class _SpecWalk:
    """Goes through one spec."""

    def __init__(self, document: Document, names: Names) -> None:
        self._document = document
        self._names = names
        bare, referred = self._bare, self._referred
        self._fields: dict[str, Callable[[Node], None]] = {
            "mediaKeys": lambda node: self._list(node, bare),
            "legendFields": lambda node: self._list(node, referred),
            "columnOrder": lambda node: self._list(node, referred),
            "xAxis": lambda node: self._single(node, bare),
            "yAxis": lambda node: self._single(node, bare),
            "zAxis": lambda node: self._single(node, bare),
            "targetKey": lambda node: self._single(node, bare),
            "accessor": lambda node: self._single(node, referred),
            "groupBy": lambda node: self._single(node, referred),
            "xExpression": self._expression,
            "legendTemplate": self._legend,
            "expressions": self._expressions,
            "metricRegex": self._regex,
            "columnVisible": lambda node: self._map(node, referred),
            "columnPinned": lambda node: self._map(node, referred),
            "columnsPinned": lambda node: self._map(node, referred),
            "columnWidths": lambda node: self._map(node, referred),
            "gridSettings": lambda node: None,
            "gallerySettings": lambda node: None,
            **dict.fromkeys(_OPAQUE, self._opaque),
        }

    def node(self, node: Node) -> None:
        """Rewrite the names below a node."""
        if isinstance(node, Array):
            for item in node.items:
                self.node(item)
        elif isinstance(node, Text):
            self._names.mentions(self._document, node)
        elif isinstance(node, Object):
            self._object(node)

    def _object(self, node: Object) -> None:
        done: set[str] = set()
        if node.text("section") in ("summary", "keys_info"):
            self._single(node.get("name"), self._plain)
            done.add("name")
        if isinstance(key := node.get("key"), Object) and key.text("section") == "summary":
            self._follow_values(node, key.text("name"))
        if isinstance(metrics := node.get("metrics"), Array):
            self._metrics(node, metrics)
            done.add("metrics")
        if isinstance(query := node.get("userQuery"), Object):
            queried = self._query(query)
            self._settings(node.get("fieldSettings"), queried)
            done |= {"userQuery", "fieldSettings"}
        for name, value in node.members:
            if name.value in done:
                continue
            if name.value.startswith("override"):
                self._map(value, self._of_run)
            elif name.value in self._fields:
                self._fields[name.value](value)
            else:
                self.node(value)

    # What a text at a place names: the part before the name and the name, or None.

    def _plain(self, text: str) -> tuple[str, str] | None:
        stem = _STATISTIC.fullmatch(text)
        if _NO_METRIC.match(text):
            return None
        return ("", stem[1]) if stem and not self._names.known(text) and self._names.known(stem[1]) else ("", text)

    def _bare(self, text: str) -> tuple[str, str] | None:
        return self._referred(text) or self._plain(text)

    def _referred(self, text: str) -> tuple[str, str] | None:
        prefix = _PREFIX.match(text)
        key = self._plain(text[prefix.end() :]) if prefix else None
        return (prefix[0], key[1]) if prefix and key else None

    def _of_run(self, text: str) -> tuple[str, str] | None:
        """Read ``{runId}:{name}``; a group of runs may have a colon in its name."""
        parts = [(text[: match.end()], text[match.end() :]) for match in re.finditer(":", text)]
        known = [(prefix, name) for prefix, name in parts if self._plain(name) and self._names.known(name)]
        return next(iter(known or parts), None)

    # The places.

    def _single(self, node: Node | None, read: Callable[[str], tuple[str, str] | None]) -> None:
        if not isinstance(node, Text) or (key := read(node.value)) is None:
            return
        prefix, name = key
        self._document.put(node, prefix + self._names.one(name) + node.value[len(prefix) + len(name) :])
        self._warn(node, name)
        if self._names.keeps(name):
            self._names.note(self._document, node.start, f"only one name can stand here: {name} is replaced")

    def _list(self, node: Node, read: Callable[[str], tuple[str, str] | None]) -> None:
        if isinstance(node, Array):
            texts = [item for item in node.items if isinstance(item, Text)]
            self._rewrite_list(node, self._new_texts([text.value for text in texts], read))

    def _rewrite_list(self, node: Array, new: dict[str, list[str]]) -> None:
        document = self._document
        spelled = [
            _kept(document, item, new[item.value]) if isinstance(item, Text) else [document.text[item.start : item.end]]
            for item in node.items
        ]
        document.put_all(node.items, spelled)

    def _new_texts(
        self, texts: Sequence[str], read: Callable[[str], tuple[str, str] | None], values: Sequence[str] = ()
    ) -> dict[str, list[str]]:
        """Return what each of some texts becomes; those with the same prefix stand side by side."""
        groups: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
        new = {text: [text] for text in texts}
        for index, text in enumerate(texts):
            if (key := read(text)) is not None:
                prefix, name = key
                suffix = text[len(prefix) + len(name) :]
                groups.setdefault((prefix, suffix), {})[name] = (text, values[index] if values else "")
        for (prefix, suffix), members in groups.items():
            renamed = self._names.many(list(members), [value for _, value in members.values()])
            for (text, _), outputs in zip(members.values(), renamed, strict=True):
                new[text] = [prefix + output + suffix for output in outputs]
        return new

    def _metrics(self, panel: Object, node: Array) -> None:
        texts = [item.value for item in node.items if isinstance(item, Text)]
        new = self._new_texts(texts, self._bare)
        converted: list[str] = []
        for item in node.items:
            if not isinstance(item, Text) or (key := self._bare(item.value)) is None:
                continue
            self._warn(item, key[1])
            transform = self._names.transform(key[1])
            if transform is not None and item.value in new[item.value] and len(new[item.value]) > 1:
                # Old and new values in one chart: the old ones are brought to the new scale.
                new[item.value].remove(item.value)
                converted.append(f"${{{item.value}}}{_arithmetic(transform)}")
        self._rewrite_list(node, new)
        if converted:
            self._add_expressions(panel, node, converted)

    def _add_expressions(self, panel: Object, metrics: Array, expressions: Sequence[str]) -> None:
        spelled = ", ".join(self._document.spell(text) for text in expressions)
        there = panel.get("expressions")
        if isinstance(there, Array):
            at = there.items[-1].end if there.items else there.end - 1
            self._document.replace(at, at, f", {spelled}" if there.items else spelled)
        elif there is None:
            self._document.replace(metrics.end, metrics.end, f', "expressions": [{spelled}]')

    def _map(self, node: Node, read: Callable[[str], tuple[str, str] | None]) -> None:
        if not isinstance(node, Object):
            return
        document = self._document
        values = [document.text[value.start : value.end] for _, value in node.members]
        new = self._new_texts([name.value for name, _ in node.members], read, values)
        spelled = []
        for name, value in node.members:
            rest = document.text[name.end : value.end]
            spelled.append([key + rest for key in _kept(document, name, new[name.value])])
        document.put_all(node.members, spelled)

    def _expressions(self, node: Node) -> None:
        if isinstance(node, Array):
            texts = [item.value for item in node.items if isinstance(item, Text)]
            self._rewrite_list(node, {text: self._both(text, self._substituted(text, inverse=True)) for text in texts})

    def _both(self, old: str, new: str) -> list[str]:
        """Return the new expression and, if all its old names are kept, the old one."""
        if new == old:
            return [old]
        names = [key[1] for text in _REFERENCE.findall(old) if (key := self._bare(text))]
        names = [name for name in names if self._names.one(name) != name]
        return [new, old] if all(map(self._names.keeps, names)) else [new]

    def _expression(self, node: Node) -> None:
        if isinstance(node, Text):
            self._document.put(node, self._substituted(node.value, inverse=True))

    def _legend(self, node: Node) -> None:
        if isinstance(node, Text):
            self._document.put(node, self._substituted(node.value, inverse=False))

    def _substituted(self, text: str, *, inverse: bool) -> str:
        parts: list[str] = []
        done = 0
        for match in _REFERENCE.finditer(text):
            if (key := self._bare(match[1])) is None:
                continue
            prefix, name = key
            new = f"${{{prefix}{self._names.one(name)}{match[1][len(prefix) + len(name) :]}}}"
            transform = self._names.transform(name) if inverse else None
            start, end = match.span()
            if transform is not None:
                undone = unwrapped(text, start, end, transform)
                if undone and not _CALL.search(text, 0, undone[0]):
                    start, end = undone
                else:
                    new = inverted(new, transform)
            parts += (text[done:start], new)
            done = end
        return "".join([*parts, text[done:]])

    def _regex(self, node: Node) -> None:
        if isinstance(node, Text) and node.value:
            self._document.put(node, self._names.widened(self._document, node))

    def _query(self, query: Object) -> set[str]:
        """Rewrite the query of a custom chart and return the old names that it asks for."""
        asked: set[str] = set()

        def visit(node: Node) -> None:
            if isinstance(node, Array):
                for item in node.items:
                    visit(item)
            elif isinstance(node, Object):
                value = node.get("value")
                if node.text("name") in _HISTORY and isinstance(value, Array):
                    asked.update(item.value for item in value.items if isinstance(item, Text))
                    self._list(value, self._bare)
                elif node.text("name") == _TABLE:
                    self._single(value, self._bare)
                for _, value in node.members:
                    visit(value)

        visit(query)
        return asked

    def _settings(self, node: Node | None, asked: set[str]) -> None:
        """Rewrite which field is drawn where; columns of tables are called alike at times and are no metrics."""
        for _, value in node.members if isinstance(node, Object) else ():
            if isinstance(value, Text) and value.value in asked:
                self._single(value, self._bare)

    def _opaque(self, node: Node) -> None:
        """Tell of names in what the app writes for itself."""
        stack = [node]
        while stack:
            current = stack.pop()
            if isinstance(current, Text):
                self._names.mentions(self._document, current)
            elif isinstance(current, Array):
                stack += current.items
            elif isinstance(current, Object):
                stack += [part for member in current.members for part in member]

    def _follow_values(self, node: Object, name: str | None) -> None:
        """Convert the threshold of a filter, or turn an order around, where the values of its metric are converted."""
        key = self._plain(name) if name else None
        transform = self._names.transform(key[1]) if key else None
        if transform is None:
            return
        value, op, ascending = node.get("value"), node.get("op"), node.get("ascending")
        if isinstance(value, JsonLiteral) and value.text not in ("true", "false", "null"):
            with suppress(InvalidOperation, TypeError):  # one beyond every number stays
                new = convert_decimal(Decimal(value.text), transform.scale, transform.offset)
                self._document.replace(value.start, value.end, spelled(new))
        if transform.scale < 0 and isinstance(op, Text):
            self._document.put(op, _TURNED.get(op.value, op.value))
        if transform.scale < 0 and isinstance(ascending, JsonLiteral):
            self._document.replace(ascending.start, ascending.end, "false" if ascending.text == "true" else "true")

    def _warn(self, node: Text, name: str) -> None:
        transform = self._names.transform(name)
        if transform is not None:
            text = f"the values of {name} become {transform.scale:g} * value + {transform.offset:g}: adapt limits"
            self._names.note(self._document, node.start, text)


def _kept(document: Document, node: Text, texts: Sequence[str]) -> list[str]:
    """Return how some texts are spelled; the one that stands there already keeps its spelling."""
    return [document.text[node.start : node.end] if text == node.value else document.spell(text) for text in texts]


def _arithmetic(transform: Transform) -> str:
    offset = "" if transform.offset == 0 else f" {'-' if transform.offset < 0 else '+'} {abs(transform.offset)!r}"
    return f" * {transform.scale!r}{offset}" if transform.scale >= 0 else f" * ({transform.scale!r}){offset}"
