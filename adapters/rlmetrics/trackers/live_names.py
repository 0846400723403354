"""New names for rows that are logged one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from rlmetrics.names.meanings.exact_names import is_exact
from rlmetrics.names.settings.configuration import Config
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.translate.translator import TranslatedEntry, Translator

__all__ = ["LiveNames", "RenamedRow"]

_MOST = 1000
"""How many combinations of keys are remembered."""

_STEP = "train/global_step"
"""What reporters of transformers call the step."""

_SAME: Mapping[str, str] = {}


class RenamedRow(NamedTuple):
    """A row under new names.

    Attributes:
        row: The row.
        shown: What a tracker that puts ``train/`` or ``eval/`` in front of names is to show instead, for those names
            where that would be wrong.
    """

    row: dict[str, Any]
    shown: Mapping[str, str]


class _Plan(NamedTuple):
    """What becomes of all rows with the same keys.

    Attributes:
        names: The new names in the order of the keys, if nothing but names changes; else None.
        entries: New name, old key, and whether the value is converted.
        rivals: Keys of which several claim one name: their values decide who gets it.
        shown: As in `RenamedRow`.
    """

    names: tuple[str, ...] | None
    entries: tuple[tuple[str, str, bool], ...]
    rivals: tuple[str, ...]
    shown: Mapping[str, str]


class LiveNames:
    """Renames rows, and remembers what becomes of each combination of keys.

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
        self.translator = Translator(at, to, both=both, config=config, spec=spec)
        self._prefixed = prefixed
        step = self.translator.key(_STEP)
        self.axis = step.output if step.translated and step.output != _STEP else None
        self._plans: dict[tuple[str, ...], _Plan] = {}

    def __call__(self, row: Mapping[str, Any]) -> RenamedRow:
        """Return a row under new names.

        Raises:
            InputError: A value can't be converted.
        """
        keys = tuple(row)
        plan = self._plans.get(keys)
        if plan is None:
            if len(self._plans) == _MOST:
                self._plans.clear()
            plan = self._plans[keys] = self._plan(keys)
        if plan.names is not None:
            return RenamedRow(dict(zip(plan.names, row.values(), strict=True)), plan.shown)
        converted = self.translator.converted
        values = {
            name: converted(old, _plain(row[old])) if convert else row[old] for name, old, convert in plan.entries
        }
        if not plan.rivals:
            return RenamedRow(values, plan.shown)
        entries = self.translator.entries({key: _plain(row[key]) for key in plan.rivals})
        values.update((entry.name, entry.value) for entry in entries)
        return RenamedRow(values, {**plan.shown, **self._shown(entries)})

    def _plan(self, keys: tuple[str, ...]) -> _Plan:
        """Return what becomes of rows with some keys."""
        # What a suite has measured has its canonical name already.
        outputs = {key: key if is_exact(key) else self.translator.key(key).output for key in keys}
        claims = Counter(outputs.values())
        rivals = tuple(key for key in keys if claims[outputs[key]] > 1)
        others = [key for key in keys if key not in rivals and not is_exact(key)]
        entries = self.translator.entries(dict.fromkeys(others))
        # An old name that is kept gives way to a new one.
        taken = {outputs[key] for key in rivals}
        entries = [entry for entry in entries if entry.name not in taken]
        entries += [TranslatedEntry(key, key, None) for key in keys if is_exact(key)]
        entries.sort(key=lambda entry: keys.index(entry.old))
        shown = self._shown(entries)
        if [entry.old for entry in entries] == list(keys) and not any(entry.converted for entry in entries):
            return _Plan(tuple(entry.name for entry in entries), (), (), shown)
        return _Plan(None, tuple((entry.name, entry.old, entry.converted) for entry in entries), rivals, shown)

    def _shown(self, entries: list[TranslatedEntry]) -> Mapping[str, str]:
        """Return how trackers show the new names: as if a log with their spelling of the old ones were translated."""
        if self._prefixed is None:
            return _SAME
        shown: dict[str, str] = {}
        for entry in entries:
            if entry.name == entry.old:
                continue
            spelled = self._prefixed(entry.old)
            if entry.name == self.translator.aside(entry.old):
                name = self.translator.aside(spelled)
            else:
                move = self.translator.key(spelled)
                name = move.output if move.translated else entry.name
            if name != self._prefixed(entry.name):
                shown[entry.name] = name
        return shown


def _plain(value: Any) -> Any:
    """Return a number or a list in place of a tensor or an array."""
    if type(value) in (float, int) or not hasattr(value, "tolist"):
        return value
    return value.tolist()
