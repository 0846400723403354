"""Grafana dashboards over metrics in Prometheus, of the classic schema and of version 2.

Exporters mangle names: ``critic/score/mean`` is ``rl_insight_monitor_critic_score_mean`` there. What a name in a
dashboard stands for is looked up among the images of all keys of the source. All other bytes stay.
"""

from __future__ import annotations

import re
from pathlib import Path

from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsontree import Document, Object, Text, TreeError
from rlmetrics.names import coverage, load_tables
from rlmetrics.names.sources.surfaces import rules_of, show_name
from rlmetrics.names.tables.key_records import Transform

from ...logs import Kind, Log
from ...report import Report
from ...translator import Translator
from .dashboard_places import PromqlNames, walk
from .images import PREFIX, Image, Images, classic
from .promql import Selector

__all__ = ["KIND"]

_MAX_BYTES = 1 << 26
_MARK = re.compile(rb'"(?:panels|rows|elements)"\s*:\s*[\[{]')
"""What stands in every dashboard; other JSON, such as vocabularies, need not be read."""
_BETWEEN_SLASHES = re.compile(r"\A/(.*)/[a-z]*\Z", re.S)
"""A regular expression as Grafana's interface writes it."""
_WORDS = re.compile(r"[A-Za-z_][\w/@.-]*[\w](?:\([\w-]+\))?")


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is JSON with the panels or elements of a dashboard."""
    if path.suffix != ".json" or path.stat().st_size > _MAX_BYTES:
        return False
    try:
        content = path.read_bytes()
        if not _MARK.search(content):
            return False
        tree = Document(content.decode("utf-8")).parse()
    except (TreeError, UnicodeDecodeError):
        return False
    return isinstance(tree, Object) and _is_dashboard(tree)


class GrafanaDashboard(Log):
    """A dashboard of the classic schema or of version 2."""

    def names(self) -> set[str]:
        """Return the keys that the metrics of a dashboard may be the images of, whatever the framework."""
        document = _read(self.path)
        collector = _PromqlCollector()
        walk(document, _parse(self.path, document), collector)
        logged = {key for row in coverage() for key in row.keys if "{" not in key}
        rules = rules_of(load_tables(), "wandb", "hf_trainer")
        known = logged | {show_name(key, rules) for key in logged}
        images = {classic(name) for name in collector.names}
        return {name for name in images if name.startswith(PREFIX)} | {key for key in known if classic(key) in images}

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names of metrics translated.

        Raises:
            InputError: If the file is no JSON, or a name is unknown and that is an error.
        """
        document = _read(self.path)
        tree = _parse(self.path, document)
        try:
            renaming = _PromqlRenaming(self.path, translator, report)
            walk(document, tree, renaming)
            renaming.check_patterns()
        except InputError as error:
            raise InputError(str(error), self.path) from None
        output.write_bytes(document.changed().encode("utf-8"))


def _is_dashboard(tree: Object) -> bool:
    inner = tree.get("dashboard")
    if isinstance(inner, Object):
        return _is_dashboard(inner)
    spec = tree.get("spec")
    if isinstance(spec, Object) and (spec.get("elements") is not None or spec.get("panels") is not None):
        return True
    marks = ("schemaVersion", "templating", "__inputs", "timepicker", "elements", "variables")
    return any(tree.get(mark) is not None for mark in marks) and any(
        tree.get(mark) is not None for mark in ("panels", "rows", "elements")
    )


def _read(path: Path) -> Document:
    try:
        return Document(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        msg = "is not UTF-8 text; a dashboard is JSON"
        raise InputError(msg, path, 1, error.start + 1) from None


def _parse(path: Path, document: Document) -> Object:
    try:
        tree = document.parse()
    except TreeError as error:
        msg = f"not JSON: {error}; export the dashboard again, or mend it here"
        raise InputError(msg, path, *document.position(error.offset)) from None
    if not isinstance(tree, Object):
        msg = "is no dashboard: an object with panels or elements is expected"
        raise InputError(msg, path, 1, 1)
    return tree


class _PromqlCollector(PromqlNames):
    """Leaves every name as it is and remembers those of expressions."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def metric(self, document: Document, selector: Selector) -> list[str]:
        self.names[selector.name] = None
        return super().metric(document, selector)


class _PromqlRenaming(PromqlNames):
    """Translates the names of one dashboard."""

    def __init__(self, path: Path, translator: Translator, report: Report) -> None:
        self._path = path
        self._translator = translator
        self._report = report
        self._images = Images(translator)
        self._renamed: dict[str, str] = {}
        self._patterns: list[tuple[Document, Text]] = []

    def metric(self, document: Document, selector: Selector) -> list[str]:
        """Return what a metric becomes; one that only an exporter of verl can have made is told if it is unknown."""
        image = self._images.find(selector.name, quoted=selector.quoted)
        if image is None:
            if selector.name.startswith(PREFIX):
                self._translator.entries({selector.name: ""})
            return [selector.name]
        self._report.records += 1
        if len({image.of(self._translator.key(key).output) for key in image.keys}) > 1:
            self.note(document, selector.at[0], f"{selector.name} may be {' or '.join(image.keys)}: it stays")
            return [selector.name]
        key = image.keys[0]
        outputs = [image.of(entry.name) for entry in self._translator.entries({key: ""})] or [selector.name]
        self._as_spelled(image, key, selector.name)
        if outputs[0] != selector.name:
            self._renamed[selector.name] = outputs[0]
            self.note(document, selector.at[0], f"{selector.name} -> {outputs[0]}")
        return outputs

    def transform(self, selector: Selector) -> Transform | None:
        """Return how the values of a metric change."""
        image = self._images.find(selector.name, quoted=selector.quoted)
        move = self._translator.key(image.keys[0]) if image else None
        return move.transform if move is not None and move.translated else None

    def word(self, text: str) -> str:
        """Return what a word of a label becomes: a metric's image, or its name with slashes."""
        image = self._image(text)
        if image is None:
            return text
        moves = {image.of(self._translator.key(key).output) for key in image.keys}
        return moves.pop() if len(moves) == 1 else text

    def mentions(self, document: Document, node: Text) -> None:
        """Tell of names in a text that is left as it is, if they change."""
        for word in dict.fromkeys(_WORDS.findall(node.value)):
            new = self.word(word)
            if new != word:
                self.note(document, node.start, f"a text mentions {word} (now {new}): left as it is")

    def pattern(self, document: Document, node: Text) -> None:
        """Take down a regular expression until all names of the dashboard are known."""
        self._patterns.append((document, node))

    def check_patterns(self) -> None:
        """Tell of regular expressions that choose old names and not the new ones."""
        for document, node in self._patterns:
            chosen = self._chosen(_BETWEEN_SLASHES.sub(r"\1", node.value))
            for old in chosen:
                text = f"the regular expression {node.value} matches {old} (now {self._renamed[old]}): left as it is"
                self.note(document, node.start, text)
            if not chosen:
                self.mentions(document, node)

    def _chosen(self, pattern: str) -> list[str]:
        """Return the old names that a regular expression chooses, and not their new ones."""
        try:
            chooses = re.compile(pattern).search
        except re.error:
            return []
        return [old for old, new in self._renamed.items() if chooses(old) and not chooses(new)]

    def note(self, document: Document, offset: int, text: str) -> None:
        """Add a line with its place to the report."""
        line, column = document.position(offset)
        self._report.notes.append(f"{self._path}:{line}:{column}: {text}")

    def _image(self, word: str) -> Image | None:
        """Return what a word is; a single plain word is never taken for a metric."""
        return self._images.find(word, quoted=True) if "/" in word or "_" in word else None

    def _as_spelled(self, image: Image, key: str, spelled: str) -> None:
        """Let the account name a key as the dashboard does."""
        report = self._report
        if key in report.translated:
            how = report.translated.pop(key)
            report.translated[spelled] = {**how, "to": image.of(how["to"])}
        if key in report.set_aside:
            report.set_aside[spelled] = image.of(report.set_aside.pop(key))
        if key in report.unchanged:
            report.unchanged[report.unchanged.index(key)] = spelled
            report.unchanged[:] = dict.fromkeys(report.unchanged)


KIND = Kind("grafana", recognises, GrafanaDashboard, is_layout=True)
