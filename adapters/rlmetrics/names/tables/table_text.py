"""A table as the text of its file, of which only what is asked for is decoded.

A question about one key needs a hundredth of what the tables say. Their files have an entry a line, below the
lines of the fields that the entries belong to, so that one entry is found by the line that it begins. See
`rlmetrics.codegen.tables.json_tables`, which lays them out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, ItemsView, KeysView, ValuesView
    from typing import Any

    Scan = Callable[[str, int], tuple[Any, int]]

__all__ = ["Rows", "TableText", "TextRows"]

_MANY = 50
"""After so many single entries all are decoded: that takes less than to look for each of them."""


def _decoder() -> tuple[Scan, Callable[[str], str]]:
    """Return what decodes the value at a place of a text, and what spells a name as JSON."""
    try:
        # What `json` is made of in C; the package would bring expressions and classes for errors along.
        from _json import encode_basestring, make_scanner

        plain: Any = _Plain()
        return make_scanner(plain), encode_basestring
    except ImportError:
        from json import JSONDecoder
        from json.encoder import py_encode_basestring

        decoder: Any = JSONDecoder()
        return decoder.scan_once, py_encode_basestring


class _Plain:
    """How values are decoded: as `json` does it by default."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


_scan, _quoted = _decoder()


class _Decoded(dict[str, "Any"]):
    """A mapping that decodes a value when it is first asked for; whoever asks for all of it has all decoded."""

    @abstractmethod
    def _all(self) -> dict[str, Any]:
        """Decode all of it."""

    def __contains__(self, name: object) -> bool:
        return self.get(name, _scan) is not _scan

    def get(self, name: Any, default: Any = None) -> Any:
        """Return a value, or the default."""
        try:
            return self[name]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == other

    def __ne__(self, other: object) -> bool:
        return self._all() != other

    __hash__ = None

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        """Return the names."""
        return self._all().keys()

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        """Return names and values."""
        return self._all().items()

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        """Return the values."""
        return self._all().values()


class TableText(_Decoded):
    """The fields of a table by name.

    Args:
        text: The file.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._absent: set[str] = set()

    def __missing__(self, name: str) -> Any:
        if name in self._absent:
            raise KeyError(name)
        mark = f"\n {_quoted(name)}: "
        at = self._text.find(mark)
        if at < 0:
            self._absent.add(name)
            raise KeyError(name)
        value = self[name] = self._value(at + len(mark))
        return value

    def _value(self, start: int) -> Any:
        opening = self._text[start : start + 2]
        if opening == "{\n":
            return _TextEntries(self._text, start, self._text.index("\n }", start))
        if opening == "[\n":
            return TextRows(self._text, start, self._text.index("\n ]", start))
        return _scan(self._text, start)[0]

    def _all(self) -> dict[str, Any]:
        names: list[str] = []
        at = self._text.find('\n "')
        while at >= 0:
            names.append(_scan(self._text, at + 2)[0])
            at = self._text.find('\n "', at + 1)
        return {name: self[name] for name in names}


class _TextEntries(_Decoded):
    """Values by name, each on a line of its own."""

    def __init__(self, text: str, start: int, end: int) -> None:
        super().__init__()
        self._text, self._start, self._end = text, start, end
        self._left = _MANY
        self._whole: dict[str, Any] | None = None

    def __missing__(self, name: object) -> Any:
        if self._whole is not None or not self._left:
            return self._all()[name]  # type: ignore[index]
        if not isinstance(name, str):
            raise KeyError(name)  # what is asked for where nothing is said, None
        self._left -= 1
        mark = f"\n  {_quoted(name)}: "
        at = self._text.find(mark, self._start, self._end)
        if at < 0:
            raise KeyError(name)
        value = self[name] = _scan(self._text, at + len(mark))[0]
        return value

    def _all(self) -> dict[str, Any]:
        if self._whole is None:
            # What has been given away stays the same object.
            whole: dict[str, Any] = _scan(self._text, self._start)[0]
            whole.update(dict.items(self))
            self.update(whole)
            self._whole = whole
        return self._whole


class Rows(Sequence["Any"]):
    """Rows that need not all be read to find some."""

    @abstractmethod
    def beginning(self, name: str) -> list[Any]:
        """Return the rows whose first cell is a name."""


class TextRows(Rows):
    """Values in order, each on a line of its own."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._start, self._end = text, start, end
        self._lines: list[str] | None = None
        self._known: dict[int, Any] = {}
        self._whole: list[Any] | None = None

    def __getitem__(self, place: Any) -> Any:
        if self._whole is not None:
            return self._whole[place]
        if isinstance(place, slice) or place < 0 or len(self._known) == _MANY:
            return self._all()[place]
        if place not in self._known:
            self._known[place] = _scan(self._split()[place], 2)[0]
        return self._known[place]

    def _split(self) -> list[str]:
        if self._lines is None:
            self._lines = self._text[self._start + 2 : self._end].split("\n")
        return self._lines

    def _all(self) -> list[Any]:
        if self._whole is None:
            whole: list[Any] = _scan(self._text, self._start)[0]
            for place, value in self._known.items():
                whole[place] = value
            self._whole = whole
        return self._whole

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._split() if self._whole is None else self._whole)

    def beginning(self, name: str) -> list[Any]:
        """Return the rows whose first cell is a name."""
        if self._whole is not None:
            return [row for row in self._whole if row[0] == name]
        mark = f"\n  [{_quoted(name)}, "
        rows: list[Any] = []
        at = self._text.find(mark, self._start, self._end)
        while at >= 0:
            rows.append(_scan(self._text, at + 3)[0])
            at = self._text.find(mark, at + 1, self._end)
        return rows
