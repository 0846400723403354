"""Writes Grafana dashboards with the images of other keys.

Exporters mangle names: ``critic/score/mean`` is ``rl_insight_monitor_critic_score_mean`` there. What a name in a
dashboard stands for is looked up among the images of all keys of the source. All other bytes stay.
"""

from __future__ import annotations

import re
from pathlib import Path

from rlmetrics.logs.files import text_in
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsontree import Document, Text
from rlmetrics.logs.kinds.grafana import PREFIX, GrafanaDashboard, dashboard_in
from rlmetrics.logs.kinds.grafana.dashboard_places import PromqlNames, walk
from rlmetrics.logs.kinds.grafana.promql import Selector
from rlmetrics.names.tables.key_records import Transform

from ...report import Report
from ...translator import Translator
from ..log_rewriter import LogRewriter
from .images import Image, Images

__all__ = ["GrafanaRewriter"]

_BETWEEN_SLASHES = re.compile(r"\A/(.*)/[a-z]*\Z", re.S)
"""A regular expression as Grafana's interface writes it."""
_WORDS = re.compile(r"[A-Za-z_][\w/@.-]*[\w](?:\([\w-]+\))?")


class GrafanaRewriter(LogRewriter[GrafanaDashboard]):
    """Writes a dashboard of the classic schema or of version 2."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names of metrics translated.

        Raises:
            InputError: If the file is no JSON, or a name is unknown and that is an error.
        """
        document = Document(text_in(self.log.path, "a dashboard is JSON"))
        tree = dashboard_in(self.log.path, document)
        try:
            renaming = _PromqlRenaming(self.log.path, translator, report)
            walk(document, tree, renaming)
            renaming.check_patterns()
        except InputError as error:
            raise InputError(str(error), self.log.path) from None
        output.write_bytes(document.changed().encode("utf-8"))


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
