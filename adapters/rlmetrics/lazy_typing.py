"""What modules take from `typing`, without importing it.

`typing` takes as long to import as all tables that an answer reads, for names that only type checkers read. To these
the names here are its own. When a program runs, `NamedTuple` makes a class whose constructor is compiled when its first
instance is made, and the others stand for nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import (
        IO,
        Any,
        BinaryIO,
        ClassVar,
        Final,
        Literal,
        NamedTuple,
        NoReturn,
        Protocol,
        TextIO,
        TypeVar,
        cast,
    )

__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "BinaryIO",
    "ClassVar",
    "Final",
    "Literal",
    "NamedTuple",
    "NoReturn",
    "Protocol",
    "TextIO",
    "TypeVar",
    "cast",
]

if not TYPE_CHECKING:
    from _collections import _tuplegetter

    Any = BinaryIO = NoReturn = TextIO = object

    class _Form:
        """Takes what stands in brackets, and forgets it."""

        def __class_getitem__(cls, _):
            return object

    class Literal(_Form):
        """Stands for some values."""

    class ClassVar(_Form):
        """Stands for the type of what a class has."""

    class Final(_Form):
        """Stands for the type of what never changes."""

    class IO(_Form):
        """Stands for a file."""

    class Protocol:
        """The base of what is only described."""

        def __class_getitem__(cls, _):
            return cls

    def TypeVar(_name, *_, **__):  # noqa: N802
        """Stand for a type that is to be found out."""
        return object

    def cast(_kind, value):
        """Return a value as it is."""
        return value

    class _Naming(type):
        """Makes a class of tuples of a class whose base is `NamedTuple`."""

        def __new__(cls, name, _bases, body):
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            space = {
                "__repr__": _shown,
                "__getnewargs__": _values,
                "__replace__": _replace,
                "_replace": _replace,
                "_asdict": _asdict,
                "_make": classmethod(_make),
                **body,
                **{field: _tuplegetter(place, None) for place, field in enumerate(fields)},
                "__slots__": (),
                "__match_args__": fields,
                "_fields": fields,
                "_field_defaults": defaults,
                "__new__": _first,
            }
            return type(name, (tuple,), space)

    def _first(cls, *given, **named):
        """Compile the constructor of a class, and make its first instance."""
        owner = next(part for part in cls.__mro__ if "_fields" in part.__dict__)
        space = {f"_default_{field}": value for field, value in owner._field_defaults.items()}
        parameters = [f"{name}=_default_{name}" if name in owner._field_defaults else name for name in owner._fields]
        values = "".join(f"{name}, " for name in owner._fields)
        source = f"lambda {', '.join(['_cls', *parameters])}: _new(_cls, ({values}))"
        new = eval(source, {"__builtins__": {}, "_new": tuple.__new__, **space})
        new.__name__, new.__qualname__ = "__new__", f"{owner.__qualname__}.__new__"
        owner.__new__ = staticmethod(new)
        return new(cls, *given, **named)

    def _make(cls, values):
        """Return an instance with these values, in the order of the fields."""
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"expected {len(cls._fields)} values, got {len(made)}")
        return made

    def _replace(self, /, **changes):
        """Return a copy with other values in some fields."""
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"no fields {[*changes]}")
        return made

    def _asdict(self):
        """Return the values by field."""
        return dict(zip(self._fields, self, strict=True))

    def _shown(self):
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({values})"

    def _values(self):
        return tuple(self)

    NamedTuple = type.__new__(_Naming, "NamedTuple", (), {})
