"""Python source that reads logs by their keys: which it names, and a copy with the target's names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import Any
from rlmetrics.logs.files import text_in
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsontree import Array, Document, Object, Text, TreeError
from rlmetrics.logs.kinds.config import BEST_MODEL, EVAL
from rlmetrics.names.differences.severity import SEVERITIES
from rlmetrics.names.meanings.key_index import KEY, SHOWN, catalogue_of
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.wording.voice import later

from .code_strings import CodeString, code_strings, with_strings_replaced
from .translation_options import Options
from .translation_plan import Translation
from .translator import Translator

__all__ = ["CodeKey", "CodeReport", "holds_code", "holds_only_code", "translate_code"]

_NOTEBOOK = ".ipynb"
_MARKED = frozenset("/_@")
_MAGIC = re.compile(r"^[ \t]*[%!?].*$", re.MULTILINE)
"""Lines of a notebook's cell that are no Python."""
_FEWEST = 3
"""Letters of a put-together string that say what it looks like."""
_WORD = re.compile(r"[A-Za-z][\w./@]*\w")
"""What may be a key within a longer text, such as a regular expression."""


@dataclass(frozen=True, slots=True)
class CodeKey:
    """A key that code names.

    Attributes:
        line: Its line; in a notebook that of its cell.
        column: Its column.
        key: As it stands there.
        to: What it is called in the target; None where that can't be said of one name.
        severity: How much sets the two apart.
        why: What else there is to say.
        cell: The cell of a notebook, counted from 1.
    """

    line: int
    column: int
    key: str
    to: str | None
    severity: str
    why: str = ""
    cell: int | None = None

    @property
    def place(self) -> str:
        """Where it stands."""
        within = "" if self.cell is None else f"cell {self.cell}:"
        return f"{within}{self.line}:{self.column}"

    def as_json(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "cell": self.cell,
            "line": self.line,
            "column": self.column,
            "key": self.key,
            "to": self.to,
            "severity": self.severity,
            "why": self.why,
        }


@dataclass
class CodeReport:
    """What a piece of code names.

    Attributes:
        path: The file.
        target: Where names go.
        keys: The keys that it names.
        joined: Strings that look like keys and are put together when the program runs.
        mentioned: Keys with another name that stand within longer strings, such as regular expressions.
        shown: Whether cells of a notebook hold outputs, which keep their names.
        output: What was written; None where nothing was.
    """

    path: Path
    target: str
    keys: list[CodeKey]
    joined: list[CodeKey]
    mentioned: list[CodeKey]
    shown: bool = False
    output: Path | None = None

    def said(self, key: CodeKey) -> str:
        """Return in a line what becomes of a key in code."""
        change = f"{key.key} {key.why}" if key.to is None else f"{key.key} -> {key.to}" if key.to != key.key else ""
        done = "" if self.output is not None or key.to is None else "; code is not rewritten"
        return f"{self.path}:{key.place.rpartition(':')[0]}: {change or f'{key.key} stays'}{done}"

    def as_json(self) -> dict[str, Any]:
        """Return the report for programs."""
        return {
            "kind": "notebook" if self.path.suffix.lower() == _NOTEBOOK else "python",
            "to": self.target,
            "records": len(self.keys),
            "translated": {
                key.key: {"to": key.to, "severity": key.severity} for key in self.keys if key.to not in (None, key.key)
            },
            "keys": [key.as_json() for key in self.keys],
            "joined": [key.as_json() for key in self.joined],
            "mentioned": [key.as_json() for key in self.mentioned],
            "notes": [self.said(key) for key in (*self.keys, *self.joined, *self.mentioned)],
            "outputs": [] if self.output is None else [str(self.output)],
        }


class _CodeNames:
    """What becomes of the names in code, each by whoever logs it."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._tables = load_tables(options.spec)
        self._translators: dict[str, Translator] = {}
        self._moves: dict[str, tuple[Translation, ...]] = {}

    @cached_property
    def _patterns(self) -> tuple[str, ...]:
        catalogue = self._tables.catalogue
        return (*catalogue["KEYS"], *catalogue["SHOWN"])

    def moves(self, key: str) -> tuple[Translation, ...]:
        """Return what may become of a key, one for each thing that it may mean; nothing where it is none."""
        if key not in self._moves:
            told: dict[str | None, Translation] = {}
            for sources in self._sources(key):
                moves = (self._move(source, key) for source in sources)
                move = next((move for move in moves if move is not None and move.metric is not None), None)
                if move is None:
                    continue
                goal = move.output if move.translated else None
                known = told.get(goal)
                if known is None or SEVERITIES.index(known.severity) < SEVERITIES.index(move.severity):
                    told[goal] = move
            self._moves[key] = tuple(told.values())
        return self._moves[key]

    def unmoved(self, key: str) -> str | None:
        """Return why a key that nothing becomes of is worth a line; None if no described release logs it.

        Beside a source that was named, a plain word is more likely to be something else.
        """
        if self._options.source == "auto":
            return later("the target has none of the trainers that log it") if any(self._sources(key)) else None
        if _MARKED.isdisjoint(key) or not catalogue_of(self._tables).find(key, (KEY, SHOWN)).found:
            return None
        return later("is a key of another release or trainer: {source} does not log it").format(
            source=self._options.source
        )

    def _sources(self, key: str) -> Iterable[list[str]]:
        """Yield who may have logged a key, for each thing that it may mean."""
        if self._options.source != "auto":
            return [[self._options.source]]
        found = catalogue_of(self._tables).find(key, (KEY, SHOWN)).found
        by_meaning: dict[tuple[str, str | None], dict[str, None]] = {}
        for item in found:
            by_meaning.setdefault((item.framework, item.metric), {})[item.source] = None
        return [[*sources] for sources in by_meaning.values()]

    def _move(self, source: str, key: str) -> Translation | None:
        """Return what becomes of a key of a source; None where the target has nothing like that source."""
        try:
            return self._translator(source).key(key)
        except NamesError:
            if self._options.source != "auto":
                raise
            return None

    def _translator(self, source: str) -> Translator:
        if source not in self._translators:
            options = self._options
            self._translators[source] = Translator(
                source, options.target, surface=options.surface, **{**options.of_names(), "both": False}
            )
        return self._translators[source]

    def looks_like(self, string: CodeString) -> str | None:
        """Return the first key that a string which is put together may be; None if there is none."""
        letters = "".join(part or "" for part in string.parts)
        if len(re.sub(r"[^A-Za-z]", "", letters)) < _FEWEST or _MARKED.isdisjoint(letters):
            return None
        wanted = re.compile("".join(r"[^\s]*" if part is None else re.escape(part) for part in string.parts))
        return next((key for key in self._patterns if wanted.fullmatch(key)), None)


def holds_code(path: Path) -> bool:
    """Tell whether a file is Python source or a notebook."""
    return path.suffix.lower() in (".py", _NOTEBOOK)


def holds_only_code(path: Path) -> bool:
    """Tell whether a file is Python source, or a notebook whose cells have shown nothing, so that it is no log."""
    if path.suffix.lower() != _NOTEBOOK:
        return path.suffix.lower() == ".py"
    try:
        tree = Document(text_in(path, "convert the file")).parse()
    except (InputError, TreeError):
        return False
    cells = [cell for _, cell in _code_cells(tree)]
    return bool(cells) and not any(map(_has_output, cells))


def translate_code(path: Path, options: Options, *, output: Path | None = None) -> CodeReport:
    """Find the keys that code names, and write a copy in which they have the target's names.

    Args:
        path: Python source, or a notebook, of which the cells with code are read.
        options: Where names come from and go. By default each name comes from whoever logs it.
        output: Where the copy goes; None writes none.

    Raises:
        InputError: If it is no Python, or names no key.
        NamesError: If the source or the target is unknown.
    """
    names = _CodeNames(options)
    text = text_in(path, "convert the file")
    report = CodeReport(path, options.target, [], [], [])
    if path.suffix.lower() == _NOTEBOOK:
        written = _notebook(path, text, names, report)
    else:
        written = _source(path, text, names, report, None)
    if not report.keys and not report.joined and not report.mentioned:
        msg = "names no key that a described release logs, and none is put together; --from says which release is meant"
        raise InputError(msg, path)
    if output is not None and written != text:
        output.write_bytes(written.encode())
        report.output = output
    return report


def _source(path: Path, text: str, names: _CodeNames, report: CodeReport, cell: int | None) -> str:
    """Take down what a piece of source names, and return it with other names."""
    new: dict[int, str] = {}
    for string in code_strings(path, text):
        if string.parts == (string.text,):
            found = _named(string, names, cell)
            if found is not None:
                report.keys.append(found)
                if string.index is not None and found.to not in (None, found.key):
                    new[string.index] = str(found.to)
            else:
                report.mentioned += _mentioned(string, names, cell)
            continue
        near = names.looks_like(string)
        if near is not None:
            why = later("is put together and looks like {key}").format(key=near)
            report.joined.append(CodeKey(string.line, string.column, string.text, None, "", why, cell))
    # What is filled in by `format` is listed as the key that it is a template of.
    listed = {key.place for key in report.keys}
    report.joined[:] = [key for key in report.joined if key.place not in listed]
    return with_strings_replaced(path, text, new) if new else text


def _named(string: CodeString, names: _CodeNames, cell: int | None) -> CodeKey | None:
    """Return the key that a string names; a plain word names one only where names stand."""
    key = string.text
    if not key or any(sign.isspace() for sign in key) or (_MARKED.isdisjoint(key) and not string.is_looked_up):
        return None
    best = string.keyword == BEST_MODEL and not key.startswith(EVAL)
    moves = names.moves(EVAL + key if best else key)
    if not moves:
        why_not = names.unmoved(key)
        return None if why_not is None else CodeKey(string.line, string.column, key, None, "none", why_not, cell)
    if len(moves) > 1:
        goals = [move.target or "none" if move.translated else "none" for move in moves]
        why = f"means several things: {', '.join(dict.fromkeys(goals))}; --from says which is meant"
        return CodeKey(string.line, string.column, key, None, "", why, cell)
    move = next(iter(moves))
    if not move.translated:
        said = later("left as it is: it has no counterpart in the target")
        if move.related:
            near = later("left as it is: its {key} only looks like it in the target")
            said = near.format(key=move.related[0].to)
        return CodeKey(string.line, string.column, key, None, move.severity, said, cell)
    joined = "" if string.index is not None else later("stands in several pieces and is not rewritten")
    scale = move.transform
    said = joined if scale is None else f"its values become {scale.scale:g} * value + {scale.offset:g}; {joined}"
    to = move.output.removeprefix(EVAL) if best else move.output
    return CodeKey(string.line, string.column, key, to, move.severity, said.removesuffix("; "), cell)


def _mentioned(string: CodeString, names: _CodeNames, cell: int | None) -> Iterator[CodeKey]:
    """Yield the keys within a longer string that have another name in the target."""
    for word in dict.fromkeys(_WORD.findall(string.text)):
        if word == string.text or _MARKED.isdisjoint(word):
            continue
        moves = names.moves(word)
        if len(moves) == 1 and moves[0].translated and moves[0].output != word:
            why = later("is {key} in the target").format(key=moves[0].output)
            yield CodeKey(string.line, string.column, word, None, moves[0].severity, why, cell)


def _notebook(path: Path, text: str, names: _CodeNames, report: CodeReport) -> str:
    document = Document(text)
    try:
        tree = document.parse()
    except TreeError as error:
        msg = f"not a notebook: {error}; mend it here, or save it again"
        raise InputError(msg, path, *document.position(error.offset)) from None
    report.shown = any(_has_output(cell) for _, cell in _code_cells(tree))
    for number, pieces in _cells(tree):
        source = "".join(piece.value for piece in pieces)
        # Magic commands keep their lines, so that places stay.
        plain = _MAGIC.sub(lambda match: "#" + match[0][1:], source)
        try:
            written = _source(path, plain, names, report, number)
        except InputError:
            continue
        if written != plain:
            _put(document, pieces, plain, source, written)
    return document.changed()


def _put(document: Document, pieces: list[Text], plain: str, source: str, written: str) -> None:
    """Replace the lines of a cell that have changed, each in its piece."""
    old, new = plain.splitlines(keepends=True), written.splitlines(keepends=True)
    original = source.splitlines(keepends=True)
    changed = [original[at] if line == old[at] else line for at, line in enumerate(new)]
    if len(pieces) == 1:
        document.put(pieces[0], "".join(changed))
        return
    at = 0
    for piece in pieces:
        count = len(piece.value.splitlines())
        document.put(piece, "".join(changed[at : at + count]))
        at += count


def _cells(notebook: object) -> Iterator[tuple[int, list[Text]]]:
    """Yield the source of each cell with code, in its pieces, and which cell it is."""
    for number, cell in _code_cells(notebook):
        source = cell.get("source")
        pieces = source.items if isinstance(source, Array) else (source,)
        yield number, [piece for piece in pieces if isinstance(piece, Text)]


def _code_cells(notebook: object) -> Iterator[tuple[int, Object]]:
    cells = notebook.get("cells") if isinstance(notebook, Object) else None
    for number, cell in enumerate(cells.items if isinstance(cells, Array) else (), start=1):
        if isinstance(cell, Object) and cell.text("cell_type") == "code":
            yield number, cell


def _has_output(cell: Object) -> bool:
    outputs = cell.get("outputs")
    return isinstance(outputs, Array) and bool(outputs.items)
