"""Translates one logged dict after another: a drop-in before any logger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.lazy_typing import TYPE_CHECKING, Any, Literal
from rlmetrics.logs.input_errors import InputError

from .report import Report
from .row_routes import RowRoutes
from .translation_plan import Plan, Translation, told

if TYPE_CHECKING:
    from rlmetrics.names.meanings.recorded_settings import Understood
    from rlmetrics.names.tables.tables import Overlays, Tables

__all__ = ["RivalsError", "TranslatedEntry", "Translator", "nothing_translated"]

UNTRANSLATED = "untranslated"
"""The folder of names that are set aside."""

_MAX_COMBINATIONS = 1000
"""How many combinations of keys are remembered."""

_MAX_KEYS = 10_000
"""How many keys are remembered, and told of rows: a run that never stops inventing names must not fill the memory."""

_ROWS = "rows"
_SPELLED = "names have no slashes, as a store replaced them; the new ones are spelled as the target logs them"
"""What is translated where no file is."""

_CROSSES = {False: {"exact", "affine", "approximate", "unreviewed"}, True: {"exact", "affine"}}


class RivalsError(Exception):
    """A second key of a run claims a name: who gets it is decided by all that the run says about both."""


@dataclass(frozen=True, slots=True)
class TranslatedEntry:
    """One entry of a translated row: its name, the old key it comes from, and its value, converted or not."""

    name: str
    old: str
    value: Any
    converted: bool = False


class Translator:
    """Carries names, and values where a conversion is known, from one source to another.

    Nothing ends up under a name that means something else in the target: such keys are set aside under
    ``untranslated/<framework>-<release>/``. Other keys without a counterpart keep their name.

    Args:
        source: Where the names come from, such as ``trl[PPOTrainer]==0.7.10``.
        target: Where they go, such as ``verl==0.9.1`` or ``canonical``.
        config: Configuration keys that decide between variants; the release's defaults answer for the rest.
        bind: Values for placeholders of target templates.
        spec: Folders with overlays of the spec.
        strict: Carry over only ``exact`` and ``affine`` relations.
        both: Keep the old name beside the new one, where it means nothing else in the target.
        unknown: What to do with keys that the source doesn't define: ``keep``, ``drop`` or ``error``.
        surface: How new names are shown, such as ``wandb``; by default as the old ones were.
        program: Which program of the source or the target is meant, such as ``GRPOTrainer``; by default that of the
            target that is the source's.
        prefix: What stands before every key and is no part of its name, such as ``qwen7b/``; it stays before new ones.
        spelling: Returns the key that a name stands for, where a store replaced slashes; new names have slashes.

    Attributes:
        report: The account of everything translated since it was started; of rows, of the first 10,000 keys.
        both: As given.

    Raises:
        NamesError: If source, target or configuration can't be resolved.
    """

    def __init__(
        self,
        source: str,
        target: str,
        *,
        config: Mapping[str, Any] | None = None,
        bind: Mapping[str, str] | None = None,
        spec: Overlays | Tables = None,
        strict: bool = False,
        both: bool = False,
        unknown: Literal["keep", "drop", "error"] = "keep",
        surface: str | None = None,
        program: str | None = None,
        prefix: str = "",
        spelling: Callable[[str], str] | None = None,
    ) -> None:
        named: dict[str, Any] = {"config": config, "bind": bind, "spec": spec, "surface": surface, "program": program}
        named["prefix"] = self._prefix = prefix
        self._spelling = spelling
        self._given = (
            (source, target),
            {**named, "spelling": spelling, "strict": strict, "both": both, "unknown": unknown},
        )
        self._plan = Plan(source, target, **{**named, "config": config or {}, "bind": bind or {}})
        self._crosses = _CROSSES[strict]
        self.both = both
        self._unknown = unknown
        self._moves: dict[str, Translation] = {}
        self._decided: dict[str, Translation] = {}
        self._plain: dict[tuple[str, ...], list[TranslatedEntry] | None] = {}
        self._routes = RowRoutes(self)
        self._claimed: dict[str, str] | None = None
        self._agreeing = False
        self.report = self.new_report(_ROWS)

    def __reduce__(self) -> tuple[Any, ...]:
        """Have copies, here and in other processes, go on with this account by themselves."""
        words, named = self._given
        held = ("report", "_decided", "_claimed", "_agreeing")
        state = {**{name: getattr(self, name) for name in held}, "_moves": dict(self._decided)}
        return partial(Translator, **named), words, state

    def new_report(self, kind: str, *, watched: bool = False, agreeing: bool = False) -> Report:
        """Start a new account, for the next file, and return it.

        Args:
            kind: What is translated.
            watched: Whether ``entries`` is to raise a ``RivalsError`` when a second key of the run claims a name.
            agreeing: Whether it is to do so where two keys of a row claim a name with different values.
        """
        self.report = Report(
            kind,
            self._plan.source,
            self._plan.target,
            fallbacks=list(self._plan.fallbacks),
            chosen=list(self._plan.chosen),
        )
        self.report.notes += [self._plan.note] if self._plan.note else []
        self.report.notes += [f"all keys stand below '{self._prefix}', and the new ones do"] if self._prefix else []
        self.report.notes += [_SPELLED] if self._spelling is not None else []
        self._plain.clear()
        self._routes.clear()
        for key in self._decided:
            self._moves.pop(key, None)
        self._decided.clear()
        self._claimed = {} if watched else None
        self._agreeing = agreeing
        return self.report

    def claimed(self, key: str) -> str | None:
        """Return the name that a key claims in a row; None if it is left out."""
        move = self.key(key)
        return None if move.metric is None and self._unknown == "drop" else move.output

    def set_aside(self, keys: Iterable[str]) -> None:
        """Write some keys under ``untranslated/`` wherever they stand in this run, because others claim their names."""
        for key in sorted(keys):
            move = self.key(key)
            self._decide(replace(move, output=self.aside(key), translated=False))
            self.report.collisions.setdefault(move.output, []).append(key)

    def converted(self, key: str, value: Any) -> Any:
        """Return a value as it is written under the new name of a key.

        Raises:
            InputError: If it can't be converted.
        """
        return self._claim(self.key(key), value).value

    def key(self, key: str) -> Translation:
        """Return what becomes of one key; ``output`` is the name it is written under."""
        move = self._moves.get(key)
        if move is None:
            if len(self._moves) >= _MAX_KEYS:
                self._moves = dict(self._decided)
            move = self._moves[key] = self._moved(key)
        return move

    def _moved(self, key: str) -> Translation:
        """Return what becomes of a key that is not remembered."""
        move = self._plan.lookup(key if self._spelling is None else self._spelling(key))
        move = move if move.key == key else replace(move, key=key)
        if move.target is not None and move.relation in self._crosses:
            return move
        output = self.aside(key) if self._plan.means_something_else(key) else key
        return replace(move, output=output, translated=False)

    def _decide(self, move: Translation) -> Translation:
        """Have a key go elsewhere in the rest of this account, whatever the plan says."""
        self._moves[move.key] = self._decided[move.key] = move
        self._routes.clear()
        return move

    def advise(self, config: Mapping[str, Any]) -> list[str]:
        """Return what to tell a person if a run's own configuration is not what was assumed in translating it."""
        keys = [*self.report.translated, *self.report.unchanged, *self.report.set_aside]
        return [
            f"the run's configuration says {pair}, under which {', '.join(changed)} would be translated otherwise; "
            f"if that is right, add --config {pair}"
            for pair, changed in self._plan.changed_by(config, keys).items()
        ]

    def understood(self, settings: Mapping[str, Any]) -> Understood:
        """Return what the source takes of a configuration that a run recorded."""
        return self._plan.understood(settings)

    def judge(self, report: Report, settings: Mapping[str, Any]) -> bool:
        """Judge what a report says about keys by the configuration that the run recorded.

        Returns:
            Whether anything of that configuration is known here.
        """
        judge = self._plan.under(settings)
        for key in (*report.translated, *report.kept) if judge else ():
            severity, differs_by = judge(self.key(key)) if judge else ("", ())
            if key in report.translated:
                report.translated[key] |= {"severity": severity, "differs_by": told(differs_by)}
            else:
                report.kept[key] |= {"severity": severity}
        return judge is not None

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a translated copy of one logged dict.

        Raises:
            InputError: As ``entries``.
        """
        renamed = self._routes.renamed(row)
        if renamed is not None:
            return renamed
        report = self.report
        if report.kind == _ROWS and report.keys >= _MAX_KEYS:
            self.report = Report(_ROWS, report.source, report.target)
        try:
            return self._thoroughly(row)
        finally:
            self.report = report

    def _thoroughly(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a translated copy of a row that holds a key, or keys of one name, that have not been met."""
        renamed = self._routes.renamed(row) if self._add_new(row) else None
        if renamed is None:
            renamed = {entry.name: entry.value for entry in self.entries(row)}
            for move in self._routes.new_in(row):
                self._route(move)
            self._routes.meet(row)
        return renamed

    def _add_new(self, row: Mapping[str, Any]) -> bool:
        """Account for keys that no row had before; False if one of them claims a name that another has."""
        new = self._routes.new_in(row)
        if not new or self._claimed is not None or not self._routes.apart(new):
            return False
        for move in new:
            if move.metric is not None or not self._leave_out(move):
                self._account(move)
            self._route(move)
        return True

    def _route(self, move: Translation) -> None:
        if move.metric is None and self._unknown == "drop":
            self._routes.drop(move.key)
        else:
            self._routes.add(move)

    def entries(self, row: Mapping[str, Any]) -> list[TranslatedEntry]:
        """Return the entries of the translated row, in the order of the old ones.

        Raises:
            InputError: If a key is unknown and ``unknown`` is ``error``, or a value can't be converted.
            RivalsError: If the account is watched and a second key claims a name, or is to agree and values differ.
        """
        claims: dict[str, list[TranslatedEntry]] = {}
        for key, value in row.items():
            move = self.key(key)
            if move.metric is None and self._leave_out(move):
                continue
            if self._claimed is not None and self._claimed.setdefault(move.output, key) != key:
                raise RivalsError
            claims.setdefault(move.output, []).append(self._claim(move, value))
        written: dict[str, TranslatedEntry] = {}
        for output, entries in claims.items():
            for entry in self._settle(output, entries, row):
                written[entry.old] = entry
        result: list[TranslatedEntry] = []
        for key in row:
            if key in written:
                result.append(written[key])
            if self._keeps_old_name(key, claims):
                result.append(TranslatedEntry(key, key, row[key]))
        return result

    def moves(self, keys: tuple[str, ...]) -> list[TranslatedEntry] | None:
        """Return what ``entries`` returns for a row with these keys, without values, if values don't matter.

        They matter where several keys claim one name or a value is converted; None is returned then. Logs repeat few
        combinations of keys, so the answer is kept.

        Raises:
            InputError: If a key is unknown and ``unknown`` is ``error``.
        """
        if keys not in self._plain:
            if len(self._plain) == _MAX_COMBINATIONS:
                self._plain.clear()
            moves = [self.key(key) for key in keys]
            outputs = [move.output for move in moves]
            plain = len(set(outputs)) == len(outputs) and not any(move.transform and move.translated for move in moves)
            self._plain[keys] = self.entries(dict.fromkeys(keys)) if plain else None
        return self._plain[keys]

    def fixed(self, keys: tuple[str, ...]) -> list[TranslatedEntry] | None:
        """Return what becomes of a row with these keys, if those that claim one name have one value.

        There is one entry for each key that is written, in their order, and none under an old name that is kept.
        Values may have to be converted, as ``converted`` says. None is returned if that is not all.

        Raises:
            InputError: If a key is unknown and ``unknown`` is ``error``.
        """
        entries = self.entries(dict.fromkeys(keys))
        names, olds = {entry.name for entry in entries}, {entry.old for entry in entries}
        missing = [key for key in keys if key not in olds]
        if [entry.old for entry in entries] != [key for key in keys if key in olds]:
            return None
        return entries if all(self.key(key).output in names and self.claimed(key) for key in missing) else None

    def examples(self, surface: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield every key of the source as a surface shows it, with stand-ins for placeholders and their patterns."""
        return self._plan.examples(surface)

    def counterparts(self, key: str, surface: str) -> Iterator[str]:
        """Yield all names, as a surface shows them, that the target has for the metric of a key that it doesn't log."""
        return self._plan.counterparts(key, surface)

    def _claim(self, move: Translation, value: Any) -> TranslatedEntry:
        if move.transform is None or not move.translated:
            return TranslatedEntry(move.output, move.key, value)
        # Most translations convert nothing, and the modules of exact numbers are a tenth of what importing costs.
        from .conversion import convert

        try:
            converted = convert(value, move.transform.scale, move.transform.offset)
        except TypeError as error:
            msg = f"{move.key}: {error}; leave it out of the input, or translate with --strict"
            raise InputError(msg) from None
        return TranslatedEntry(move.output, move.key, converted, converted=True)

    def _settle(self, output: str, entries: list[TranslatedEntry], row: Mapping[str, Any]) -> list[TranslatedEntry]:
        """Decide who is written under ``output``: one key, or none if several bring different values."""
        from .conversion import same

        first, *others = sorted(entries, key=lambda entry: self.key(entry.old).order)
        if all(same(first.value, other.value) for other in others):
            self._account(self.key(first.old))
            self.report.duplicates.update({other.old: output for other in others})
            return [first]
        if self._agreeing:
            raise RivalsError
        claimants = self.report.collisions.setdefault(output, [])
        for entry in entries:
            if entry.old not in claimants:
                claimants.append(entry.old)
            self.report.set_aside[entry.old] = self.aside(entry.old)
        return [TranslatedEntry(self.aside(entry.old), entry.old, row[entry.old]) for entry in entries]

    def _keeps_old_name(self, key: str, claims: Mapping[str, list[TranslatedEntry]]) -> bool:
        """Tell whether a key that has moved, be it under ``untranslated/``, stands under its old name, too."""
        return self.keeps(key) and key not in claims

    def keeps(self, key: str) -> bool:
        """Tell whether a key that has moved stands under its old name, too, wherever no other key has that name."""
        return self.both and self.key(key).metric is not None and not self._plan.means_something_else(key)

    def _account(self, move: Translation) -> None:
        if move.translated:
            if move.key not in self.report.translated:
                self.report.translated[move.key] = move.account()
        elif move.output != move.key:
            self.report.set_aside[move.key] = move.output
            self.report.kept.setdefault(move.key, move.kept())
        elif move.metric is not None:
            self.report.add_unchanged(move.key)
            self.report.kept.setdefault(move.key, move.kept())

    def _leave_out(self, move: Translation) -> bool:
        """Account for an unknown key, and tell whether it is dropped."""
        if self._unknown == "error":
            msg = (
                f"{move.key}: not a key of {self._plan.source}{self._plan.hint(move.key)}; allow it with --unknown keep"
            )
            raise InputError(msg)
        self.report.add_unknown(move.key)
        return self._unknown == "drop"

    def aside(self, key: str) -> str:
        """Return the name under which a key is set aside."""
        return f"{UNTRANSLATED}/{self._plan.slug}/{key}"


def nothing_translated(report: Report, translators: Iterable[Translator]) -> str:
    """Return what to say if no key was translated: what keeps the known ones back, or that the source may be wrong."""
    known = {*report.unchanged, *report.set_aside}
    found = {key: item.relation for one in translators for key in known if (item := one.key(key)).target is not None}
    if found:
        kinds = [kind for kind in ("approximate", "unreviewed") if kind in found.values()] or ["approximate"]
        why = f"{_keys(found)} only {' or '.join(kinds)} counterparts, which --strict leaves out: {_first(found)}"
    elif known:
        why = f"{_keys(known)} no counterpart: {_first(known)}"
    elif report.unknown:
        why = f"is the source right? First names: {_first(report.unknown)}"
    else:
        why = f"there are no names in it; is it of the kind {report.kind}, and whole?"
    return f"0 keys translated from {report.source} to {report.target}; {why}"


def _keys(known: Collection[str]) -> str:
    return "1 key of the source has" if len(known) == 1 else f"{len(known)} keys of the source have"


def _first(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)[:5])
