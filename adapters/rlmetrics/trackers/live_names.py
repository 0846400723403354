"""New names for rows that are logged one after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rlmetrics.names.meanings.exact_names import is_exact
from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.translate.translation_plan import Translation
from rlmetrics.translate.translator import Translator

__all__ = ["LiveNames", "RenamedRow"]

_MOST = 10_000
"""How many keys are remembered."""

_STEP = "train/global_step"
"""What reporters of transformers call the step."""


class RenamedRow(NamedTuple):
    """A row under new names.

    Attributes:
        row: The row.
        shown: What a tracker that puts ``train/`` or ``eval/`` in front of names is to show instead, for those names
            where that would be wrong, and for others that rows may have.
    """

    row: dict[str, Any]
    shown: Mapping[str, str]


class _Names(Translator):
    """What a suite has measured has its canonical name already."""

    def _moved(self, key: str) -> Translation:
        if not is_exact(key):
            return super()._moved(key)
        return Translation(key, None, "none", (), None, key, None, None, translated=False, order=(0, 0))


class LiveNames:
    """Renames rows, and remembers what becomes of each key.

    Args:
        at: The source that logs the rows.
        to: The source whose names are wanted.
        both: Keep the old names beside the new ones.
        config: Settings of the run that the source knows.
        spec: Folders with further YAML.
        prefixed: What a tracker makes of a name; None if it keeps all.

    Attributes:
        translator: What translates.
        axis: What the target calls the step that reporters of transformers log; None if it has no other name for it.

    Raises:
        NamesError: A source is unknown.
    """

    def __init__(
        self,
        at: str,
        to: str,
        *,
        both: bool = False,
        config: Config = None,
        spec: Overlays | Tables = None,
        prefixed: Callable[[str], str] | None = None,
    ) -> None:
        self.translator: Translator = _Names(at, to, both=both, config=config, spec=spec)
        self._prefixed = prefixed
        step = self.translator.key(_STEP)
        self.axis = step.output if step.translated and step.output != _STEP else None
        self._seen: set[str] = set()
        self._shown: dict[str, str] = {}

    def __call__(self, row: Mapping[str, Any]) -> RenamedRow:
        """Return a row under new names.

        Raises:
            InputError: A value can't be converted.
        """
        if not row.keys() <= self._seen:
            self._meet(row)
        return RenamedRow(self.translator.row(row), self._shown)

    def _meet(self, row: Mapping[str, Any]) -> None:
        """Find out how the new names of keys are shown that no row had before."""
        if len(self._seen) > _MOST:
            # A run that never stops inventing names fills neither this nor the account.
            self._seen.clear()
            self._shown.clear()
            self.translator.new_report("rows")
        new = row.keys() - self._seen
        self._seen |= new
        prefixed = self._prefixed
        for key in new if prefixed is not None else ():
            move = self.translator.key(key)
            if move.metric is None and move.output == key:
                continue
            for name in {move.output, self.translator.aside(key)} - {key}:
                shown = self._spelled(key, name)
                if prefixed is not None and shown != prefixed(name):
                    self._shown[name] = shown

    def _spelled(self, key: str, name: str) -> str:
        """Return how trackers show a new name: as if a log with their spelling of the old one were translated."""
        spelled = key if self._prefixed is None else self._prefixed(key)
        if name == self.translator.aside(key):
            return self.translator.aside(spelled)
        move = self.translator.key(spelled)
        return move.output if move.translated else name
