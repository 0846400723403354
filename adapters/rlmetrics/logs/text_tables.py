"""Tables of logged rows in texts: as HTML, as Markdown, parted by tabs, or aligned with blanks.

Each cell knows where it stands, so that a name can be replaced and all else stays.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rlmetrics.lazy_dataclasses import dataclass, field, replace

from .shown_names import EPOCH, NOTHING, STEP, are_shown, is_summary, logged_key

__all__ = ["TableCell", "TextTable", "is_axis", "key_of", "tables_in", "values_of"]

_OPENING = re.compile(r"<table\b[^<>]*>", re.IGNORECASE)
_CLOSING = re.compile(r"</table\b", re.IGNORECASE)
_ROW = re.compile(r"<tr\b[^<>]*>", re.IGNORECASE)
_CELL = re.compile(r"<t([hd])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|\s+")
_END_OF_CELL = re.compile(r"</t[hdr]\b[^<>]*>|<t[hdr]\b", re.IGNORECASE)
_LINE = re.compile(r"[^\r\n]*")
_RULE = re.compile(r"[ \t]*:?-[-+]*:?[ \t]*")
"""What parts the header from rows: Org writes a plus between columns."""
_BAR = re.compile(r"(?:\\.|[^|\\\r\n])*")
_TAB = re.compile(r"[^\t\r\n]*")
_WORD = re.compile(r"(?:Training|Validation) Loss|No [Ll]og|\S+(?: / \S+)*")
_GROUP = re.compile(r"\S+(?: \S+)*")
_NUMBER = re.compile(
    r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?(?:nan|inf(?:inity)?)", re.IGNORECASE
)
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_AXES = {STEP: "step", "step": "step", "_step": "_step"}
"""Columns that say where a row stands and are no metric, with the name that a row has for it."""
_STEPS = frozenset({*_AXES, EPOCH, "epoch", "global_step", "train/global_step"})
"""What a column is called that tells where a row stands; a table of logged rows has one, or a title below."""
_HINT = re.compile(r"\b(?:[Ss]tep|[Ee]poch|global_step|_step)\b|(?:Training|Validation) Loss")
_NO_VALUE = frozenset({"NaN", "nan", "None", "<NA>"})
"""What pandas, and what makes Markdown of its frames, prints for no value."""
_FEWEST = 2
_LONGEST = 1 << 16
"""Signs of a line that may belong to a table."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """A cell: what it says, where that stands, and from where to where it reaches with what parts it from others."""

    text: str
    start: int
    end: int
    begin: int
    until: int


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table.

    Attributes:
        header: The titles.
        rows: The cells of each row, as many as there are titles.
        rules: Rows that hold no values, as the second of Markdown's.
        odd: Where rows stand that have another number of cells, and how many they have.
        gap: What parts a cell from the first, where the first has nothing before it.
        is_shown: Whether titles are spelled as notebooks show names.
        torn: Whether the last row was cut off.
        nothing: What a cell says where nothing was logged.
        has_points: Whether decimals stand behind points, so that a comma can only part thousands.
    """

    header: tuple[TableCell, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    rules: tuple[tuple[TableCell, ...], ...] = ()
    odd: tuple[tuple[int, int], ...] = ()
    gap: str = ""
    torn: tuple[int, int] | None = None
    is_shown: bool = field(default=False)
    nothing: frozenset[str] = NOTHING
    has_points: bool = False

    @property
    def titles(self) -> list[str]:
        """What the header says."""
        return [cell.text for cell in self.header]


def key_of(table: TextTable, title: str) -> str:
    """Return the key that a title of a table stands for; that of an axis is what a row calls its step."""
    if title in _AXES or title == EPOCH:
        return _AXES.get(title, "epoch")
    return logged_key(title) if table.is_shown else title


def is_axis(title: str) -> bool:
    """Tell whether a column says where a row stands and is no metric."""
    return not title or title in _AXES


def values_of(table: TextTable, row: Sequence[TableCell]) -> dict[str, str]:
    """Return what a row says by key, steps too; nothing where a table says that nothing was logged."""
    cells = zip(table.titles, row, strict=True)
    return {
        key_of(table, title): _without_thousands(cell.text) if table.has_points else cell.text
        for title, cell in cells
        if title and cell.text not in table.nothing
    }


def _without_thousands(text: str) -> str:
    """Return a number without the commas between its thousands; any other text as it is."""
    return text.replace(",", "") if "," in text and _THOUSANDS.fullmatch(text) else text


def tables_in(text: str) -> Iterator[TextTable]:
    """Yield the tables of logged rows in a text, in their order."""
    done = 0
    for start, end in _html_spans(text):
        yield from _in_lines(text, done, start)
        table = _checked(_html_table(text, start, end))
        if table is not None:
            yield table
        done = end
    yield from _in_lines(text, done, len(text))


def _checked(table: TextTable | None) -> TextTable | None:
    """Return a table if it is one of logged rows: it says where they stand, and holds numbers."""
    if table is None or not _is_header(table.titles):
        return None
    if not table.rows:
        return replace(table, is_shown=True) if table.odd and are_shown(table.titles) else None
    numbers = sum(1 for row in table.rows for cell in row if _NUMBER.fullmatch(cell.text))
    if 2 * numbers <= sum(1 for row in table.rows for cell in row if cell.text not in NOTHING):
        return None
    if is_summary(row[0].text for row in table.rows):
        return None  # what df.describe() says of a run is no run
    points = any("." in cell.text and _NUMBER.fullmatch(cell.text) for row in table.rows for cell in row)
    return replace(table, is_shown=are_shown(table.titles), nothing=_nothing_in(table), has_points=points)


def _nothing_in(table: TextTable) -> frozenset[str]:
    """Return what cells of a table say where nothing was logged.

    Frames are printed with NaN in every cell that has no value. A number that is logged may become NaN; one that has
    none at first and has some later was not logged at first, where cells are not left empty for that.
    """
    columns = [[cell.text for cell in column] for column in zip(*table.rows, strict=True)]
    if are_shown(table.titles) or any(text in NOTHING for column in columns for text in column):
        return NOTHING
    begins_later = any(column[0] in _NO_VALUE and any(map(_is_finite, column)) for column in columns)
    return NOTHING | _NO_VALUE if begins_later else NOTHING


def _is_finite(text: str) -> bool:
    return _is_number(text) and "n" not in text.lower()


def _is_header(titles: Sequence[str]) -> bool:
    named = [title for title in titles if title]
    return len(named) >= _FEWEST and any(_HINT.fullmatch(title) or title in _STEPS for title in named)


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _html_spans(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    while opening := _OPENING.search(text, at):
        closing = _CLOSING.search(text, opening.end())
        at = closing.start() if closing else len(text)
        yield opening.end(), at


def _html_table(text: str, start: int, end: int) -> TextTable | None:
    begins = [match.end() for match in _ROW.finditer(text, start, end)]
    lines = [_html_cells(text, begin, until) for begin, until in pairwise([*begins, end])]
    lines = [line for line in lines if line]
    if len(lines) > 1 and _is_index(lines[1]) and len(lines[0]) == len(lines[1]) and not lines[0][0].text:
        # A frame's index has its name in a line of its own.
        return _table((lines[1][0], *lines[0][1:]), lines[2:])
    return _table(lines[0], lines[1:]) if lines else None


def _is_index(line: Sequence[TableCell]) -> bool:
    """Tell whether a line holds nothing but the name of a step."""
    return line[0].text in _STEPS and not any(cell.text for cell in line[1:])


def _html_cells(text: str, start: int, end: int) -> tuple[TableCell, ...]:
    cells: list[TableCell] = []
    at = start
    while opening := _CELL.search(text, at, end):
        closing = _END_OF_CELL.search(text, opening.end(), end)
        body, at = closing.start() if closing else end, closing.start() if closing else end
        if closing and closing[0].startswith("</"):
            at = closing.end()
        first, last = _bare(text, opening.end(), body)
        begin = cells[-1].until if cells else opening.start()
        cells.append(TableCell(html.unescape(_TAG.sub(_blank, text[first:last])).strip(), first, last, begin, at))
    return tuple(cells)


def _blank(match: re.Match[str]) -> str:
    return "" if match[0].startswith("<") else " "


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without tags and blanks at its ends."""
    while start < end and (match := _TAG.match(text, start, end)):
        start = match.end()
    while start < end:
        if text[end - 1].isspace():
            end -= 1
            continue
        opening = text.rfind("<", start, end) if text[end - 1] == ">" else -1
        if opening < 0 or _TAG.fullmatch(text, opening, end) is None:
            break
        end = opening
    return start, end


def _table(
    header: tuple[TableCell, ...], lines: Iterable[tuple[TableCell, ...]], gap: str = "", end: int | None = None
) -> TextTable:
    """Return a table; a last row with too few cells that nothing ends was cut off at ``end``."""
    rows: list[tuple[TableCell, ...]] = []
    odd: list[tuple[int, int]] = []
    for line in lines:
        if len(line) == len(header):
            rows.append(line)
        else:
            odd.append((line[0].start, len(line)))
    torn = None
    if odd and end is not None and odd[-1][1] < len(header) and (not rows or odd[-1][0] > rows[-1][-1].end):
        torn = (odd.pop()[0], end)
    return TextTable(header, tuple(rows), odd=tuple(odd), gap=gap, torn=torn)


def _in_lines(text: str, start: int, end: int) -> Iterator[TextTable]:
    """Yield the tables in a part of a text that holds no HTML."""
    lines = _lines(text, start, end)
    at = 0
    while at < len(lines):
        table, used = _begun(text, lines, at)
        if table is not None:
            yield table
        at += used


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    while start < end:
        line = _LINE.match(text, start, end)
        stop = line.end() if line else end
        spans.append((start, stop))
        start = stop + (2 if text.startswith("\r\n", stop) else 1)
    return spans


def _begun(text: str, lines: Sequence[tuple[int, int]], at: int) -> tuple[TextTable | None, int]:
    """Return the table that begins with a line, and how many lines it takes."""
    start, stop = lines[at]
    if stop - start > _LONGEST or at + 1 == len(lines):
        return None, 1
    if _HINT.search(text, start, stop) is None:
        table = _checked(_indexed(text, lines, at))
        return table, 2 + len(table.rows) if table else 1
    for mark, cells in (("|", _bar_cells), ("\t", _tab_cells)):
        if text.find(mark, start, stop) >= 0:
            header = cells(text, start, stop)
            if not _is_header([cell.text for cell in header]):
                continue
            following = _following(text, lines, at + 1, mark)
            found = _parted(text, header, [cells(text, *span) for span in following], mark)
            checked = _checked(found)
            return checked, 1 + len(following) if checked else 1
    aligned, used = _aligned(text, lines, at)
    checked = _checked(aligned)
    return checked, used if checked else 1


def _following(text: str, lines: Sequence[tuple[int, int]], at: int, mark: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, stop in lines[at:]:
        if stop == start or (text.find(mark, start, stop) < 0 and stop != len(text)) or stop - start > _LONGEST:
            break
        spans.append((start, stop))
    return spans


def _parted(text: str, header: tuple[TableCell, ...], lines: list[tuple[TableCell, ...]], mark: str) -> TextTable:
    rules = [line for line in lines if mark == "|" and all(_RULE.fullmatch(cell.text) for cell in line)]
    end = lines[-1][-1].until if lines and lines[-1][-1].until == len(text) else None
    table = _table(header, [line for line in lines if line not in rules], "\t" if mark == "\t" else "", end)
    return replace(table, rules=tuple(rule for rule in rules if len(rule) == len(header)))


def _bar_cells(text: str, start: int, stop: int) -> tuple[TableCell, ...]:
    """Return the cells of a line of Markdown; each reaches from its bar to before the next."""
    cells: list[TableCell] = []
    while start < stop and text[start] in " \t":
        start += 1
    at = start + (text[start : start + 1] == "|")
    begin = start
    while at <= stop:
        match = _BAR.match(text, at, stop)
        until = match.end() if match else stop
        if until >= stop and not text[at:until].strip() and cells:
            break
        cells.append(_stripped(text, at, until, begin))
        begin, at = until, until + 1
    return tuple(cells)


def _tab_cells(text: str, start: int, stop: int) -> tuple[TableCell, ...]:
    cells: list[TableCell] = []
    at = begin = start
    while at <= stop:
        match = _TAB.match(text, at, stop)
        until = match.end() if match else stop
        cells.append(_stripped(text, at, until, begin))
        begin, at = until, until + 1
    return tuple(cells)


def _stripped(text: str, start: int, stop: int, begin: int) -> TableCell:
    first, last, until = start, stop, stop
    while first < last and text[first] in " \t":
        first += 1
    while first < last and text[last - 1] in " \t":
        last -= 1
    return TableCell(text[first:last], first, last, begin, until)


def _aligned(text: str, lines: Sequence[tuple[int, int]], at: int) -> tuple[TextTable | None, int]:
    """Return the table whose columns are parted by blanks that begins with a line, and how many lines it takes."""
    titles = [_spaced(text, *lines[at], pattern) for pattern in (_GROUP, _WORD)]
    if not any(_is_header([cell.text for cell in header]) for header in titles):
        return None, 1
    rows: list[tuple[TableCell, ...]] = []
    for span in lines[at + 1 :]:
        row = _spaced(text, *span, _WORD) if span[1] - span[0] <= _LONGEST else ()
        if not row or not _is_number(row[0].text):
            break
        rows.append(row)
    used = 1 + len(rows)
    titles = [header for header in titles if _is_header([cell.text for cell in header])]
    header = next((header for header in titles if rows and len(header) == len(rows[0])), None)
    if header is None and _are_numbered(rows):
        # Frames are printed with the number of each row before it.
        after = rows[0][0].end - lines[at + 1][0] + lines[at][0]
        header = next((one for one in titles if len(one) == len(rows[0]) - 1 and one[0].start > after), None)
        rows = rows if header is None else [row[1:] for row in rows]
    if not rows or (header is None and not are_shown([cell.text for cell in titles[-1]])):
        return None, used
    end = rows[-1][-1].until if rows[-1][-1].until == len(text) else None
    return _table(header or titles[-1], rows, "  ", end), used


def _indexed(text: str, lines: Sequence[tuple[int, int]], at: int) -> TextTable | None:
    """Return the frame whose titles stand in a line, and the name of whose index, a step, in the next."""
    index = _spaced(text, *lines[at + 1], _GROUP)
    if len(index) != 1 or index[0].text not in _STEPS or index[0].start != lines[at + 1][0]:
        return None
    header = (*index, *_spaced(text, *lines[at], _WORD))
    rows: list[tuple[TableCell, ...]] = []
    for span in lines[at + 2 :]:
        if span[1] - span[0] > _LONGEST:
            break
        row = _spaced(text, *span, _WORD)
        if len(row) != len(header) or not _is_number(row[0].text):
            break
        rows.append(row)
    return _table(header, rows, "  ")


def _are_numbered(rows: Sequence[Sequence[TableCell]]) -> bool:
    return bool(rows) and all(row[0].text == str(number) and len(row) > 1 for number, row in enumerate(rows))


def _spaced(text: str, start: int, stop: int, pattern: re.Pattern[str]) -> tuple[TableCell, ...]:
    cells: list[TableCell] = []
    for match in pattern.finditer(text, start, stop):
        begin = cells[-1].until if cells else match.start()
        cells.append(TableCell(match[0], match.start(), match.end(), begin, match.end()))
    return tuple(cells)
