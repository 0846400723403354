"""Dataclasses that cost nothing to define.

The standard library compiles four methods for every class when its module is imported, and imports half of itself for
that: a third of what a question about a key costs. Here classes share their methods. Type checkers see the real ones,
and `dataclasses.fields`, `asdict` and `replace` work on them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

__all__ = ["dataclass", "field", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    Record = TypeVar("Record")

    class _Made:
        """A default that is made anew for each record, and whether the field is shown and compared."""

        def __init__(self, make: Callable[[], object], shown: bool) -> None:
            self.make = make
            self.shown = shown

    class _Fields:
        """What the functions of ``dataclasses`` look for in a class: worked out when they do."""

        def __get__(self, record: object, cls: type) -> dict[str, Any]:
            from dataclasses import field, make_dataclass

            rows: list[Any] = []
            for name in cls.__match_args__:
                rows.append([name, cls.__annotations__[name]])
                if name in cls._defaults:
                    value = cls._defaults[name]
                    made = isinstance(value, _Made)
                    rows[-1].append(field(default_factory=value.make) if made else field(default=value))
            return make_dataclass(cls.__name__, rows).__dataclass_fields__

    class _Signature:
        """What documentation shows as the parameters of a class."""

        def __get__(self, record: object, cls: type) -> object:
            from dataclasses import make_dataclass
            from inspect import signature

            rows = [(item.name, item.type, item) for item in cls.__dataclass_fields__.values()]
            return signature(make_dataclass(cls.__name__, rows))

    def _init(self: object, *given: object, **named: object) -> None:
        names = self.__match_args__
        values = self.__dict__
        values.update(self._defaults)
        values.update(zip(names, given, strict=False))
        values.update(named)
        for name in self._made:
            if type(values[name]) is _Made:
                values[name] = values[name].make()
        if values.keys() != self._names or len(given) > len(names) or not named.keys().isdisjoint(names[: len(given)]):
            wrong = ", ".join(sorted(values.keys() ^ self._names)) or "a field twice"
            msg = f"{type(self).__name__}({', '.join(names)}) lacks or does not know {wrong}"
            raise TypeError(msg)

    def _key(self: object) -> tuple[object, ...]:
        return tuple([self.__dict__[name] for name in self._shown])

    def _eq(self: object, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        # Most records have nothing to hide, and dictionaries are compared faster.
        return self.__dict__ == other.__dict__ if self._shown is self.__match_args__ else _key(self) == _key(other)

    def _hash(self: object) -> int:
        return hash(_key(self))

    def _repr(self: object) -> str:
        said = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._shown)
        return f"{type(self).__qualname__}({said})"

    def _fixed(self: object, name: str, *value: object) -> NoReturn:
        from dataclasses import FrozenInstanceError

        msg = f"cannot {'assign to' if value else 'delete'} field {name!r}"
        raise FrozenInstanceError(msg)

    _METHODS = {
        "__init__": _init,
        "__eq__": _eq,
        "__repr__": _repr,
        "__dataclass_fields__": _Fields(),
        "__signature__": _Signature(),
    }
    _FROZEN = {"__hash__": _hash, "__setattr__": _fixed, "__delattr__": _fixed}

    def dataclass(*, frozen: bool, slots: bool = False) -> Callable[[type[Record]], type[Record]]:
        """Make records of the annotated fields of a class; ``slots`` only speaks to type checkers."""

        def made(cls: type[Record]) -> type[Record]:
            own = dict(cls.__dict__)
            cls.__match_args__ = tuple(own.get("__annotations__", ()))
            cls._names = frozenset(cls.__match_args__)
            cls._defaults = {name: own[name] for name in cls.__match_args__ if name in own}
            cls._made = tuple(name for name, value in cls._defaults.items() if isinstance(value, _Made))
            hidden = {name for name in cls._made if not cls._defaults[name].shown}
            cls._shown = (
                tuple(name for name in cls.__match_args__ if name not in hidden) if hidden else cls.__match_args__
            )
            for name, method in {**_METHODS, **(_FROZEN if frozen else {"__hash__": None})}.items():
                if name not in own:
                    setattr(cls, name, method)
            return cls

        return made

    def field(*, default_factory: Callable[[], object], **shown: bool) -> _Made:
        """Return a default that is made anew for each record; what is not shown is not compared either."""
        return _Made(default_factory, shown=all(shown.values()))

    def replace(record: Record, **changes: object) -> Record:
        """Return a record with other values in some fields."""
        return type(record)(**{**record.__dict__, **changes})
