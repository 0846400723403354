"""How an answer stands in a terminal: labels, columns, symbols, width, colour and links.

Answers are lists of plain lines. Only `printed` knows where they go: it adds colour and links on a terminal, and
replaces symbols where the output can't show them.
"""

from __future__ import annotations

import os
import sys

from .voice import language, phrase, spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TextIO, TypeVar

    _T = TypeVar("_T")

__all__ = [
    "HARD_BLANK",
    "LABEL",
    "UnlaidBlock",
    "beside",
    "columns",
    "extent",
    "first_fitting",
    "footnote",
    "has_colour",
    "has_links",
    "if_fitting",
    "labelled",
    "one_line",
    "padded",
    "printed",
    "ranked",
    "shows",
    "symbol",
    "table",
    "unlaid",
    "visible",
    "width",
    "wrapped",
]

HARD_BLANK = "\x00"
"""A blank of a text that no line ends at, as within the name of a key."""
_ESCAPES = {code: ascii(chr(code))[1:-1] for code in (*range(1, 0x20), 0x7F, 0x85, 0x2028, 0x2029)}
"""How signs are shown that break lines or move the cursor."""

LABEL = 10
"""Width of the column of labels."""

_SYMBOLS = {"same": "=", "close": "≈", "unreviewed": "≈", "biased": "!", "look-alike": "≠", "none": "·"}
_PLAIN = str.maketrans({"≈": "~", "≠": "#", "·": "-", "…": "..."})
_DEFAULT, _LEAST, _MOST = 80, 40, 160
_NARROW = 22
"""How wide at least texts are, where long names stand beside them."""
_LINKING = frozenset({"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby", "contour", "mintty"})
_MARKS_OF_LINKING = ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "TERMINUS_PLUGINS")
_LINKING_TERMS = ("xterm-kitty", "foot", "alacritty", "wezterm", "contour", "xterm-ghostty")
_LINKING_VTE = 5000
"""Terminals that show links: by the program, by what they alone set, by the name of the terminal, by the version."""
_CLOSING, _OPENING = "，。；：！？、）”》", "（“《"
"""Signs before which, and behind which, no line begins."""
_FIRST_WIDE = "\u2e80"
"""Below it are the signs of English answers, for which no table of widths is read."""
_unlaid = False


def symbol(severity: str) -> str:
    """Return the sign of a severity, one of `rlmetrics.names.differences.severity.SEVERITIES`."""
    return _SYMBOLS[severity]


def width() -> int:
    """Return how wide lines may be: as wide as the terminal up to 160 columns, and 80 where there is none."""
    given = os.environ.get("COLUMNS", "")
    if given.isdigit():
        columns_ = int(given)
    else:
        try:
            columns_ = os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
        except (OSError, ValueError):
            columns_ = 0
    return max(_LEAST, min(columns_ or _DEFAULT, _MOST))


class UnlaidBlock(str):
    """A part of an answer that is not laid out yet, in the place of its lines.

    Attributes:
        kind: The name of the function that lays it out.
        given: What that takes, in the order of its parameters.
    """

    __slots__ = ("given", "kind")

    def __new__(cls, kind: str, given: tuple[object, ...]) -> UnlaidBlock:
        """Keep what was given; as a text a block is empty."""
        made = super().__new__(cls)
        made.kind, made.given = kind, given
        return made

    kind: str
    given: tuple[object, ...]


def unlaid(answer: Callable[[], _T]) -> _T:
    """Return what a function answers, with blocks in place of what the width of the terminal decides about."""
    global _unlaid
    before, _unlaid = _unlaid, True
    try:
        return answer()
    finally:
        _unlaid = before


def extent(text: str) -> int:
    """Return how many columns a text takes; Chinese characters take two."""
    if text.isascii() or max(text) < _FIRST_WIDE:
        return len(text)
    from unicodedata import east_asian_width

    widths = [*map(east_asian_width, text)]
    return len(text) + widths.count("W") + widths.count("F")


def visible(text: str) -> str:
    """Return a text with what breaks lines of a table, such as a newline in a name, written as its escape."""
    return text if text.isprintable() else text.translate(_ESCAPES)


def padded(text: str, columns_: int) -> str:
    """Return a text with blanks behind it, up to a number of columns."""
    return text + " " * (columns_ - extent(text))


def wrapped(
    text: str, hint: str = "", *, indent: int = 0, hanging: int | None = None, columns: int | None = None
) -> list[str]:
    """Return a text in lines, in the language that is spoken; words, which may be names of keys, are never cut.

    Args:
        text: One paragraph.
        hint: What follows it where all fits into one line.
        indent: Blanks before the first line.
        hanging: Blanks before the other lines; by default as before the first.
        columns: How wide the lines may be; by default as the terminal.
    """
    if _unlaid and columns is None:
        return [UnlaidBlock("wrapped", (text, hint, indent, hanging))]
    limit = columns or width()
    text = spoken(text)
    text += hint if extent(text) + extent(hint) <= limit else ""
    rest = indent if hanging is None else hanging
    lines: list[str] = []
    line, used = " " * indent, indent
    empty = True
    # Most texts are English, and their words are asked for nothing.
    for gap, piece in [(" ", word) for word in text.split()] if text.isascii() else _pieces(text):
        room = len(piece) if piece.isascii() else extent(piece)
        if not empty and used + len(gap) + room > limit:
            lines.append(line)
            line, used, empty = " " * rest, rest, True
        line += piece if empty else f"{gap}{piece}"
        used += room if empty else len(gap) + room
        empty = False
    lines.append(line.rstrip())
    return [each.replace(HARD_BLANK, " ") for each in lines] if HARD_BLANK in text else lines


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield what is never cut, with the blank before it: words, and of Chinese each character with its punctuation."""
    last = " "
    for word in text.split():
        # Between two Chinese sentences there is no blank.
        gap, start, last = "" if last in _CLOSING and extent(word[0]) == 2 else " ", 0, word[-1]
        if not word.isascii() and language() != "en":
            for at in range(1, len(word)):
                before, after = word[at - 1], word[at]
                if extent(before) + extent(after) == 2 or after in _CLOSING or before in _OPENING:
                    continue
                yield gap, word[start:at]
                gap, start = "", at
        yield gap, word[start:]


def labelled(label: str, text: str | Sequence[str], room: int = LABEL) -> list[str]:
    """Return a label and, so many columns in, the text beside it; each text of a sequence begins a new line."""
    texts = [text] if isinstance(text, str) else text
    if _unlaid and texts:
        return [UnlaidBlock("labelled", (label, tuple(texts), room))]
    lines = [line for item in texts for line in wrapped(item, indent=room)]
    if lines:
        name = spoken(label)
        gap = "" if extent(name) < room else " "
        lines[0] = f"{padded(name, room)}{gap}{lines[0][room:]}"
    return lines


def footnote(number: int, text: str) -> list[str]:
    """Return a numbered note, its text beside the number."""
    mark = f"[{number}] "
    return wrapped(f"{mark}{spoken(text)}", hanging=len(mark))


def one_line(text: str, hint: str) -> list[str]:
    """Return a line that stays as it is, with a hint where there is room for it."""
    if _unlaid:
        return [UnlaidBlock("one_line", (text, hint))]
    return [text + hint if extent(text) + extent(hint) <= width() else text]


def first_fitting(answers: Sequence[list[str]], most: int) -> list[str]:
    """Return the first of several answers, ever shorter ones, that has at most so many lines; else the last."""
    if _unlaid and len(answers) > 1:
        return [UnlaidBlock("first_fitting", (answers, most))]
    return next((lines for lines in answers if len(lines) <= most), answers[-1])


def if_fitting(lines: list[str], most: int, answer: list[str], other: list[str]) -> list[str]:
    """Return an answer if some lines are at most so many, else the other one."""
    if _unlaid:
        return [UnlaidBlock("if_fitting", (lines, most, answer, other))]
    return answer if len(lines) <= most else other


def beside(head: str, names: str, texts: Sequence[str]) -> list[str]:
    """Return texts behind a head, and names beside them, which leave them little more than half of the line.

    Args:
        head: What the first line begins with.
        names: Names, separated by blanks; may be empty.
        texts: Each begins a new line.
    """
    if _unlaid:
        return [UnlaidBlock("beside", (head, names, tuple(texts)))]
    whole = width() - len(head)
    left = whole
    if names:
        left = max(_NARROW, min(whole * 11 // 20, whole - max(map(len, names.split())) - 2))
    lines = [line for text in texts for line in wrapped(text, columns=left)]
    if names:
        others = wrapped(names, columns=whole - left - 2)
        count = max(len(lines), len(others))
        pairs = zip(lines + [""] * (count - len(lines)), others + [""] * (count - len(others)), strict=True)
        lines = [f"{padded(one, left)}  {other}".rstrip() for one, other in pairs]
    return [f"{' ' * len(head) if number else head}{line}" for number, line in enumerate(lines)]


def ranked(
    rows: Sequence[tuple[str, list[str]]], others: list[str], limits: tuple[int, int], rest: tuple[str, str]
) -> list[str]:
    """Return as many rows as there is room for, each below what it belongs to, and how many more there are.

    Args:
        rows: What a row belongs to, and its lines; what weighs most stands first.
        others: Lines that the room is shared with.
        limits: How many lines there may be in all, and how many of rows at least.
        rest: What is said of one row that is left out, and of ``{count}`` of them.
    """
    if not rows:
        return []
    if _unlaid:
        return [UnlaidBlock("ranked", (rows, others, limits, rest))]
    room = max(limits[0] - len(others), limits[1])
    lines: list[str] = []
    section, left = "", 0
    for header, row in rows:
        more = row if header == section else [header or phrase("by default"), *row]
        if len(lines) + len(more) < room:
            lines += more
            section = header
        else:
            left += 1
    return [*lines, *([f"  {phrase(rest[left > 1], count=left)}"] if left else [])]


def columns(rows: Iterable[Sequence[str]], *, indent: int = 2, gap: int = 2, label: str = "") -> list[str]:
    """Return aligned rows, separated by blanks.

    The text of the last column is wrapped beside the others. A row whose other cells are too wide for that has the
    text of its last column below, and those of other columns that no longer fit beside a long one, too.

    Args:
        rows: Cells; rows may end early.
        indent: Blanks before each row.
        gap: Blanks between columns.
        label: What stands at the beginning of the first line, where there is one.
    """
    table = [list(row) for row in rows]
    if _unlaid and table:
        return [UnlaidBlock("columns", (table, indent, gap, label))]
    table = [[visible(spoken(cell)) for cell in row] for row in table]
    count = max((len(row) for row in table), default=0)
    widths = [max((extent(row[at]) for row in table if len(row) > at + 1), default=0) for at in range(count - 1)]
    limit = width()
    # A few long names must not push the text of all rows to the edge.
    while widths and indent + sum(widths) + gap * len(widths) > limit * 3 // 4 and max(widths) > limit // 4:
        at = widths.index(max(widths))
        shorter = [extent(row[at]) for row in table if len(row) > at + 1 and extent(row[at]) < widths[at]]
        if not shorter:
            break
        widths[at] = max(shorter)
    lines: list[str] = []
    for row in table:
        line = " " * indent
        start, own = indent, widths
        for at, cell in enumerate(row[:-1]):
            line = padded(line, start)
            if at and cell and extent(line) + extent(cell) > limit:
                lines.append(line.rstrip())
                if start + sum(map(extent, row[at:])) + gap * (len(row) - at - 1) > limit:
                    start, own = indent + 2 * gap, [0] * len(widths)
                line = " " * start
            line += cell + " " * gap
            start += own[at] + gap
        last = row[-1] if row else ""
        begin = max(extent(line), start)
        if not last:
            lines.append(line.rstrip())
        elif (extent(line) > start or start > limit * 3 // 4) and begin + extent(last) > limit:
            lines.append(line.rstrip())
            lines += wrapped(last, indent=min(start, limit // 2))
        else:
            hanging = start if len(row) > 1 else indent + 2
            first, *others = wrapped(last, indent=begin, hanging=hanging)
            lines += [padded(line, begin) + first[begin:], *others]
    return [f"{padded(spoken(label), LABEL)}{lines[0][LABEL:]}", *lines[1:]] if label and lines else lines


def table(rows: Sequence[tuple[str, str, str, str]], *, widest: int, indent: int = 2, gap: int = 2) -> list[str]:
    """Return three columns, each of which is wrapped.

    Args:
        rows: A text, a shorter one where that would take more than two lines, and the other cells.
        widest: How wide the second column may be.
        indent: Blanks before each row, and before what is wrapped of the first column.
        gap: Blanks between columns.
    """
    if _unlaid and rows:
        return [UnlaidBlock("table", (rows, widest, indent, gap))]
    second = min(max(extent(row[2]) for row in rows), widest)
    third = min(max(extent(row[3]) for row in rows), width() // 5)
    first = width() - indent - 2 * gap - second - third
    texts = [spoken(row[0] if extent(spoken(row[0])) <= 2 * first else row[1]) for row in rows]
    first = min(first, max(map(extent, texts)))
    lines: list[str] = []
    for text, row in zip(texts, rows, strict=True):
        cells = (
            wrapped(text, hanging=indent, columns=first),
            wrapped(row[2], columns=second),
            wrapped(row[3], columns=third),
        )
        for at in range(max(map(len, cells))):
            one, two, three = (cell[at] if at < len(cell) else "" for cell in cells)
            lines.append(f"{'':{indent}}{padded(one, first)}{'':{gap}}{padded(two, second)}{'':{gap}}{three}".rstrip())
    return lines


def printed(
    lines: Iterable[str],
    *,
    keys: Sequence[str] = (),
    links: Mapping[str, str] | None = None,
    stream: TextIO | None = None,
) -> str:
    """Return an answer as its stream shows it.

    Args:
        lines: The answer.
        keys: Names that stand out in the first line.
        links: Addresses of texts that occur in the answer, such as ``trl/trainer/ppo_trainer.py:517``.
        stream: Where the answer goes; by default the standard output.
    """
    out = sys.stdout if stream is None else stream
    text = [*lines]
    if not shows(out, "≈≠·…"):
        text = [line.translate(_PLAIN) for line in text]
    if not has_colour(out):
        return "\n".join(text)
    # Only a terminal needs what paints, and only it pays for importing that.
    from .painting import painted

    return "\n".join(painted(text, keys, (links or {}) if has_links() else {}, LABEL))


def shows(stream: TextIO, text: str) -> bool:
    """Tell whether a stream can show a text."""
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def has_links() -> bool:
    """Tell whether the terminal makes addresses behind texts into links; one that does not may print them."""
    said = os.environ.get("FORCE_HYPERLINK")
    if said is not None:
        return said not in ("", "0")
    if os.environ.get("TERM_PROGRAM") in _LINKING or any(map(os.environ.get, _MARKS_OF_LINKING)):
        return True
    version = os.environ.get("VTE_VERSION", "")
    if version.isdigit() and int(version) >= _LINKING_VTE:
        return True
    return os.environ.get("TERM", "").startswith(_LINKING_TERMS)


def has_colour(stream: TextIO) -> bool:
    """Tell whether a stream goes to a terminal whose user has not asked for plain text."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
