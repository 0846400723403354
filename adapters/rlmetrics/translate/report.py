"""What a translation did, for people and as JSON."""

from __future__ import annotations

import os

from rlmetrics.lazy_dataclasses import asdict, dataclass, field, replace
from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.logs.printable import printable
from rlmetrics.logs.reading import Loss
from rlmetrics.names.tables.key_records import Fallback
from rlmetrics.wording.voice import begun, later, phrase, spoken

if TYPE_CHECKING:
    from rlmetrics.wording.sides import Sides

__all__ = ["Report"]

_MOST_TORN = 3
"""How many torn files are named where loss is told."""
_WORDS = {
    "exact": later("exact"),
    "affine": later("affine"),
    "approximate": later("approximate"),
    "unreviewed": later("unreviewed"),
    "minor": later("minor"),
    "biased": later("biased"),
}
"""Relations and grades, as they are told."""
_UNNAMED = {"files", "fallbacks", "chosen", "lost", "_seen"}
"""Fields without names."""
_MOST_NOTES = 20
"""How many notes people read before the rest drowns the report."""


@dataclass
class Report:
    """The account of one translated file or folder.

    Attributes:
        kind: Kind of the input, such as ``jsonl``.
        source: Where the names come from, resolved (``trl[PPOTrainer]==0.7.10``).
        target: Where they go.
        records: Rows read.
        translated: Old key to ``{"to", "relation", "differs_by", "transform"}``.
        unchanged: Known keys that have no counterpart and keep their name.
        set_aside: Old key to the name under ``untranslated/`` it was written to.
        duplicates: Old keys whose value was already written under the same new name by another key.
        collisions: New names that several old keys with different values claimed; all of them were set aside.
        undecided: Old keys of which the sources that are possible make different things, each with two that do; all
            of them are set aside.
        unknown: Keys that the source doesn't define.
        lost: Records and bytes of a torn tail that could not be read.
        skipped: Files of a folder that are no part of the copy.
        copied: Files of a folder that hold no names and were copied as they are.
        failed: Files that were refused, because they are damaged or their names conflict, each with the reason.
        left_alone: Files that another program logged than the source says, copied as they are, each with the reason.
        missing: In one sentence, how many of the refused files need which packages that are not installed.
        needing: Those files.
        outputs: Files written.
        path: The file or folder that this is the account of, if it is part of another.
        files: The accounts of the files of a folder.
        notes: What else was done, for people.
        fallbacks: Releases that the spec lacks, and what answered in their place.
        chosen: Which releases were picked for a source that names none.
        kept: Old keys that have no counterpart, each with the severity, what looks most like it and why it is not that.
        equal: Old keys among ``duplicates``, each with the key that was written and in how many rows they were equal.
        differing: Names among ``collisions``, each with the first row in which values differ.
        configuration: What the run says about its own configuration, by which differences were judged.
        dry_run: Whether nothing was written; ``outputs`` says then what would have been.
    """

    kind: str
    source: str
    target: str
    records: int = 0
    translated: dict[str, dict[str, Any]] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    set_aside: dict[str, str] = field(default_factory=dict)
    duplicates: dict[str, str] = field(default_factory=dict)
    collisions: dict[str, list[str]] = field(default_factory=dict)
    undecided: dict[str, str] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    lost: Loss = field(default_factory=Loss)
    skipped: list[str] = field(default_factory=list)
    copied: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    left_alone: dict[str, str] = field(default_factory=dict)
    missing: str = ""
    needing: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    path: str = ""
    files: list[Report] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    equal: dict[str, dict[str, Any]] = field(default_factory=dict)
    differing: dict[str, dict[str, Any]] = field(default_factory=dict)
    configuration: list[dict[str, Any]] = field(default_factory=list)
    dry_run: bool = False
    _seen: set[tuple[str, str]] = field(default_factory=set, repr=False, compare=False)

    @classmethod
    def of(cls, reports: list[Report]) -> Report:
        """Return the account of several files together; the target of all is the same."""
        kinds, sources = (
            "+".join(sorted(set(names))) for names in zip(*((r.kind, r.source) for r in reports), strict=True)
        )
        total = cls(kinds, sources, reports[0].target, files=reports)
        for report in reports:
            total.merge(report)
        return total

    @property
    def exit_code(self) -> int:
        """0, or 1 where keys were set aside, files refused or left alone, or records lost."""
        keys, files = self.collisions or self.undecided, self.failed or self.left_alone
        return int(bool(keys or files or self.lost.bytes or self.lost.records))

    @property
    def keys(self) -> int:
        """How many keys it tells of."""
        return len(self.translated) + len(self.set_aside) + len(self.unchanged) + len(self.unknown)

    def add_unknown(self, key: str) -> None:
        """Take down a key that the source doesn't define, once."""
        self._add("unknown", key)

    def add_unchanged(self, key: str) -> None:
        """Take down a known key without a counterpart, once."""
        self._add("unchanged", key)

    def _add(self, field: str, entry: str) -> None:
        """Append to a list what was not appended before; to search the list would take the square of the time."""
        if (field, entry) not in self._seen:
            self._seen.add((field, entry))
            getattr(self, field).append(entry)

    def merge(self, other: Report) -> None:
        """Add the account of another file to this one."""
        self.records += other.records
        _merge(self.translated, other.translated)
        _merge(self.kept, other.kept)
        self.equal.update(other.equal)
        for new, where in other.differing.items():
            self.differing.setdefault(new, {**where, "path": where.get("path") or other.path})
        self.configuration += other.configuration
        self.set_aside.update(other.set_aside)
        self.undecided.update(other.undecided)
        self.duplicates.update(other.duplicates)
        for new, olds in other.collisions.items():
            self.collisions[new] = sorted({*self.collisions.get(new, ()), *olds})
        for name in ("unchanged", "unknown", "notes"):
            for entry in getattr(other, name):
                self._add(name, entry)
        self.skipped.extend(other.skipped)
        self.outputs.extend(other.outputs)
        self.fallbacks.extend(item for item in other.fallbacks if item not in self.fallbacks)
        self.chosen.extend(item for item in other.chosen if item not in self.chosen)
        self.lost.records += other.lost.records
        self.lost.bytes += other.lost.bytes

    @property
    def severities(self) -> dict[str, int]:
        """How many keys of the source there are of each severity; those of equal values count as what they equal."""
        from rlmetrics.names.differences.severity import SEVERITIES

        counts: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
        for how in (*self.translated.values(), *self.kept.values()):
            counts[how["severity"]] += 1
        return counts

    def provenance(self) -> dict[str, Any]:
        """Return what a translated run says about itself: source, target and every name that changed."""
        names = {old: how["to"] for old, how in self.translated.items() if how["to"] != old}
        return {"from": self.source, "to": self.target, "names": names | self.set_aside}

    def escaped(self) -> Report:
        """Return the report with every name and text as it may be shown: nothing in it steers a terminal."""
        own = {name: _escaped(getattr(self, name)) for name in self.__match_args__ if name not in _UNNAMED}
        return replace(self, **own)

    def as_json(self) -> dict[str, Any]:
        """Return the report in the shape that ``rlmetrics translate --json`` prints."""
        return {
            "kind": self.kind,
            "from": self.source,
            "to": self.target,
            "records": self.records,
            "translated": self.translated,
            "unchanged": self.unchanged,
            "set_aside": self.set_aside,
            "duplicates": self.duplicates,
            "collisions": self.collisions,
            "undecided": self.undecided,
            "unknown": self.unknown,
            "lost": {"records": self.lost.records, "bytes": self.lost.bytes},
            "skipped": self.skipped,
            "copied": self.copied,
            "failed": self.failed,
            "left_alone": self.left_alone,
            "missing": self.missing,
            "outputs": self.outputs,
            "notes": self.notes,
            "kept": self.kept,
            "equal": self.equal,
            "differing": self.differing,
            "severities": self.severities,
            "configuration": self.configuration,
            "fallbacks": [asdict(item) for item in self.fallbacks],
            "chosen": list(self.chosen),
            "dry_run": self.dry_run,
            "files": [report.as_row() for report in self.files],
        }

    def as_row(self) -> dict[str, Any]:
        """Return what one file of a folder comes to."""
        return {
            "path": self.path,
            "kind": self.kind,
            "from": self.source,
            "records": self.records,
            "translated": {old: how["to"] for old, how in self.translated.items()},
            "unknown": self.unknown,
            "lost": {"records": self.lost.records, "bytes": self.lost.bytes},
        }

    def as_text(self) -> str:
        """Return the report as a person reads it, without a final newline.

        What differs is told once, in notes at the end, since many keys differ alike.
        """
        from rlmetrics.names.tables.loading import load_tables
        from rlmetrics.wording.sides import sides_of

        sides = sides_of(self.source, self.target, load_tables())
        notes: dict[str, int] = {}
        head = later("{source} -> {target} ({kind}, {count} records)")
        lines = [phrase(head, source=self.source, target=self.target, kind=self.kind, count=self.records)]
        if lost := self.loss():
            lines.insert(0, f"{begun('LOST:')}{lost}")
        if len(self.files) > 1:
            lines += _section(phrase("files"), _aligned([_file(report) for report in self.files]))
        renamed = {old: how for old, how in self.translated.items() if old != how["to"]}
        same = {old: how for old, how in self.translated.items() if old == how["to"]}
        lines += _section(
            phrase("renamed"), [f"{old} -> {how['to']}{_how(how, notes, sides)}" for old, how in renamed.items()]
        )
        lines += _section(phrase("same name"), [f"{old}{_how(how, notes, sides)}" for old, how in same.items()])
        lines += _section(phrase("kept as they are (no counterpart)"), self.unchanged)
        lines += _section(phrase("set aside"), [f"{old} -> {new}" for old, new in self.set_aside.items()])
        lines += _section(phrase("not written twice"), [f"{old} = {new}" for old, new in self.duplicates.items()])
        lines += _section(
            phrase("COLLISIONS (different values for one name)"),
            [f"{new} <- {', '.join(olds)}" for new, olds in self.collisions.items()],
        )
        lines += _section(phrase("UNDECIDED (set aside)"), [*map(spoken, self.undecided.values())])
        lines += _section(phrase("unknown"), self.unknown)
        lines += _section(phrase("files left out"), self.skipped)
        lines += _section(phrase("files without names, copied"), self.copied)
        lines += _section(phrase("REFUSED, left out"), [*map(spoken, self.failed.values())])
        alone = [f"{path}: {spoken(why)}" for path, why in self.left_alone.items()]
        lines += _section(phrase("Of another source, left alone"), alone)
        lines += _section(phrase("what differs"), [f"({number}) {note}" for note, number in notes.items()])
        lines += map(spoken, self.notes[:_MOST_NOTES])
        if len(self.notes) > _MOST_NOTES:
            said = later("… and {count} more notes; --json and --html give all of them")
            lines.append(phrase(said, count=len(self.notes) - _MOST_NOTES))
        written = begun("would be written:") if self.dry_run else begun("written:")
        if len(self.outputs) > 1:
            place = os.path.commonpath(self.outputs)
            lines.append(f"{written}{phrase('{count} files below {place}', count=len(self.outputs), place=place)}")
        else:
            lines += [f"{written}{path}" for path in self.outputs]
        return "\n".join(map(printable, lines))

    def loss(self) -> str:
        """Return in words what a torn input cost, and in which files; nothing if it cost nothing."""
        if not (self.lost.records or self.lost.bytes):
            return ""
        torn = [report.path for report in self.files if report.lost.bytes or report.lost.records]
        places = ", ".join(torn[:_MOST_TORN]) if len(self.files) > 1 else phrase("the input")
        if len(torn) > _MOST_TORN:
            places = phrase("{names} and {count} more", names=places, count=len(torn) - _MOST_TORN)
        said = later("{count} torn record(s), {size} bytes, at the end of {place}")
        return phrase(said, count=self.lost.records, size=self.lost.bytes, place=places)


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {_escaped(key): _escaped(item) for key, item in value.items()}
    return [_escaped(item) for item in value] if isinstance(value, list) else value


def _merge(into: dict[str, dict[str, Any]], rows: dict[str, dict[str, Any]]) -> None:
    """Add what another file says about keys; of two severities the worse is told."""
    from rlmetrics.names.differences.severity import SEVERITIES

    for key, row in rows.items():
        known = into.get(key)
        if known is None or SEVERITIES.index(known["severity"]) < SEVERITIES.index(row["severity"]):
            into[key] = row


def _section(title: str, entries: list[str]) -> list[str]:
    return [f"{title} ({len(entries)}):", *(f"  {entry}" for entry in entries)] if entries else []


def _file(report: Report) -> tuple[str, ...]:
    renamed = sum(old != how["to"] for old, how in report.translated.items())
    lost = phrase("{count} bytes lost", count=report.lost.bytes) if report.lost.bytes else ""
    counts = phrase("{count} records", count=report.records), phrase("{count} names", count=renamed)
    return report.path, report.kind, report.source, *counts, lost


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _how(how: dict[str, Any], notes: dict[str, int], sides: Sides) -> str:
    """Return the relation of a translated key with the numbers of the notes that belong to it."""
    from rlmetrics.wording.sides import sided

    texts = []
    if how["transform"]:
        said = later("values are converted: {scale} * value + {offset}")
        texts.append(phrase(said, scale=f"{how['transform']['scale']:g}", offset=f"{how['transform']['offset']:g}"))
    for difference in how["differs_by"]:
        what = sided(difference["what"], sides)
        what += f": same if {difference['vanishes_when']}" if difference["vanishes_when"] else ""
        texts.append(f"{spoken(what)} ({_word(difference['grade'])})")
    numbers = [notes.setdefault(text, len(notes) + 1) for text in texts]
    return f"  [{_word(how['relation'])}{''.join(f' ({number})' for number in numbers)}]"


def _word(name: str) -> str:
    return phrase(_WORDS[name]) if name in _WORDS else name
