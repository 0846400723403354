"""What becomes of the layouts of TensorBoard's custom scalars page: they choose tags, mostly by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rlmetrics.logs.dashboard_names import escaped
from rlmetrics.logs.kinds.tensorboard.layouts import MARGIN, layout_in

from ...key_patterns import literal, names_before, widening
from ...report import Report
from ...translator import Translator

__all__ = ["Layouts"]


class Layouts:
    """Translates the layouts of one run.

    Lines are chosen by regular expressions: these stay, and the new names of all tags that they match are added, so
    that a chart shows runs from before and after. A layout may lie in a folder without numbers: its expressions are
    then held against all that the source logs. The tags of a margin chart are plain names and are replaced.

    Args:
        names: Tags of the run and what they become.
        translator: What knows other tags.
        report: The account.
    """

    def __init__(self, names: Mapping[str, str], translator: Translator, report: Report) -> None:
        self._names = names
        self._translator = translator
        self._report = report

    def widen(self, path: Path, value: Any) -> None:
        """Translate the layout that a value of the file ``path`` holds, in place."""
        strings = value.tensor.string_val
        for index, text in enumerate(strings):
            layout = layout_in(text)
            if layout is None:
                self._report.notes.append(f"{path}: a layout of custom scalars can't be read: it stays")
                continue
            for chart in (chart for category in layout.category for chart in category.chart):
                if chart.WhichOneof("content") == "multiline":
                    tags = chart.multiline.tag
                    given, narrowed = self._narrowed(list(tags))
                    added = [tag for pattern in given if pattern not in narrowed for tag in self._added(path, pattern)]
                    tags[:] = [*given, *(tag for tag in dict.fromkeys(added) if tag not in given)]
                elif chart.WhichOneof("content") == "margin":
                    for series in chart.margin.series:
                        for field in MARGIN:
                            setattr(series, field, self._renamed(getattr(series, field)))
            strings[index] = layout.SerializeToString(deterministic=True)

    def _narrowed(self, patterns: list[str]) -> tuple[list[str], set[str]]:
        """Take out what a translation in the other direction has added, and tell to which expressions.

        A chart may show two names of one quantity that the source logs; what may be either of them stays.
        """
        kept, widened = list(patterns), set[str]()
        if self._translator.both:
            return kept, widened
        for index in range(len(patterns) - 1, 0, -1):
            before = self._names_before(patterns[index])
            names = [name for name in before if not self._is_logged(name)]
            if owners := [one for one in patterns[:index] if any(_chooses(one, name) for name in names)]:
                del kept[index]
                widened.update(owners)
        return kept, widened

    def _is_logged(self, name: str) -> bool:
        return self._translator.key(name).metric is not None

    def _names_before(self, added: str) -> list[str]:
        """Return the names for which an expression may have been added."""
        if not (added.startswith("^") and added.endswith("$")):
            return []
        tag = literal(added[1:-1])
        if tag is not None and tag not in self._names:
            self._translator.entries({tag: ""})
        return list(names_before(added[1:-1], self._translator, "tensorboard"))

    def _renamed(self, tag: str) -> str:
        if not tag or tag in self._names:
            return self._names.get(tag, tag)
        entries = self._translator.entries({tag: ""})
        return entries[0].name if entries else tag

    def _added(self, path: Path, pattern: str) -> list[str]:
        try:
            chooses = re.compile(pattern).match
        except re.error as error:
            self._report.notes.append(f"{path}: the regular expression {pattern} can't be followed ({error}): it stays")
            return []
        matched = {tag: new for tag, new in self._names.items() if chooses(tag)}
        if matched:
            return [f"^{escaped(new)}$" for tag, new in matched.items() if new != tag and not chooses(new)]
        wider = widening(chooses, self._translator, "tensorboard")
        self._translator.entries(dict.fromkeys(wider.names, ""))
        for name in wider.homonyms:
            text = f"{path}: {pattern} still matches {name}, which means something else in {self._report.target}"
            self._report.notes.append(text)
        for name in wider.partly:
            text = f"{path}: {pattern} matches some of the names that become {name}: add those that you need"
            self._report.notes.append(text)
        return [f"^{new}$" for new in wider.added]


def _chooses(pattern: str, name: str) -> bool:
    try:
        return re.match(pattern, name) is not None
    except re.error:
        return False
