"""Dataclasses that cost nothing until they are used.

`dataclasses` imports `inspect`, and compiles half a dozen functions for each class: together a quarter of what an
answer of the command line takes. Here the methods of a class are compiled when its first instance is made, and
`dataclasses` is imported when somebody asks for the fields of a class: `fields`, `replace` and the rest of it work as
with its own classes. To type checkers these are its own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, field, replace

__all__ = ["asdict", "dataclass", "field", "replace"]

if not TYPE_CHECKING:
    _MISSING = object()

    class _Field:
        """What is said of a field beside its type."""

        __slots__ = ("compare", "default", "factory", "init", "repr")

        def __init__(self, *, default=_MISSING, default_factory=_MISSING, **said):
            self.default, self.factory = default, default_factory
            self.init, self.repr, self.compare = (said.get(name, True) for name in ("init", "repr", "compare"))

    class _Fields:
        """Makes the fields that `dataclasses` knows, for whoever asks a class or an instance for them."""

        def __init__(self, fields):
            self._fields = fields

        def __get__(self, instance, owner):
            import dataclasses

            made = []
            for name, (kind, said) in self._fields.items():
                options = {"init": said.init, "repr": said.repr, "compare": said.compare}
                if said.default is not _MISSING:
                    options["default"] = said.default
                if said.factory is not _MISSING:
                    options["default_factory"] = said.factory
                made.append((name, kind, dataclasses.field(**options)))
            found = dataclasses.make_dataclass(owner.__name__, made).__dataclass_fields__
            type.__setattr__(self._holder(owner), "__dataclass_fields__", found)
            return found

        def _holder(self, owner):
            return next(part for part in owner.__mro__ if part.__dict__.get("__dataclass_fields__") is self)

    def field(**said):
        """Describe a field, as `dataclasses.field` does."""
        return _Field(**said)

    def asdict(record):
        """Return the fields of a record by name, and those of records in them."""
        return {name: _opened(getattr(record, name)) for name in record.__match_args__}

    def _opened(value):
        if hasattr(value, "__lazy_fields__"):
            return asdict(value)
        if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
            return type(value)(map(_opened, value))
        return {name: _opened(item) for name, item in value.items()} if isinstance(value, dict) else value

    def replace(record, /, **changes):
        """Return a copy of a record with other values in some fields."""
        kept = {name: getattr(record, name) for name in record.__match_args__ if name not in changes}
        return record.__class__(**kept, **changes)

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True):
        """Make a dataclass of a class, as `dataclasses.dataclass` does."""
        return _made(cls, frozen, slots, eq) if cls is not None else lambda each: _made(each, frozen, slots, eq)

    def _made(cls, frozen, slots, eq):
        fields = {}
        for base in reversed(cls.__mro__[1:]):
            fields.update(getattr(base, "__lazy_fields__", {}))
        space = dict(cls.__dict__)
        own = [
            (name, kind)
            for name, kind in space.get("__annotations__", {}).items()
            if not str(kind).startswith(("ClassVar", "typing.ClassVar"))
        ]
        for name, kind in own:
            said = space.get(name, _MISSING)
            fields[name] = (kind, said if isinstance(said, _Field) else _Field(default=said))
        defaults = {name: space.pop(name) for name, _ in own if name in space}
        methods = {
            "__lazy_fields__": fields,
            "__dataclass_fields__": _Fields(fields),
            "__match_args__": tuple(name for name, (_, said) in fields.items() if said.init),
            **{name: _stub(name) for name in ("__init__", "__repr__", *(("__eq__",) if eq else ()))},
        }
        if frozen:
            methods.update(__setattr__=_frozen, __delattr__=_frozen)
        if eq:
            methods["__hash__"] = _stub("__hash__") if frozen else None
        if frozen and slots:
            methods.update(__getstate__=_state, __setstate__=_restored)
        methods = {name: value for name, value in methods.items() if name not in space or name == "__hash__"}
        if "__hash__" in space and space["__hash__"] is not None:
            methods.pop("__hash__", None)
        if slots:
            inherited = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
            space.update(methods, __slots__=tuple(name for name, _ in own if name not in inherited))
            space.pop("__dict__", None)
            space.pop("__weakref__", None)
            made = type(cls)(cls.__name__, cls.__bases__, space)
            made.__qualname__ = cls.__qualname__
        else:
            made = cls
            for name, value in {**defaults, **methods}.items():
                if isinstance(value, _Field):
                    if value.default is _MISSING:
                        type.__delattr__(made, name)
                        continue
                    value = value.default
                type.__setattr__(made, name, value)
        type.__setattr__(made, "__lazy_options__", (frozen, slots))
        return made

    def _stub(name):
        """Return a method that has the methods of its class compiled and gives way to one of them."""

        def method(self, *args, **kwargs):
            owner = next(part for part in type(self).__mro__ if part.__dict__.get(name) is method)
            _compile(owner, name)
            return getattr(owner, name)(self, *args, **kwargs)

        method.__name__ = name
        return method

    def _compile(cls, method):
        """Give a class one of its methods."""
        space = {"_set": object.__setattr__, "_absent": _MISSING}
        exec(_WRITTEN[method](cls, cls.__lazy_fields__, space), space)
        space[method].__qualname__ = f"{cls.__qualname__}.{method}"
        type.__setattr__(cls, method, space[method])

    def _written_init(cls, fields, space):
        parameters, body = [], []
        for name, (_, said) in fields.items():
            value = name
            if said.factory is not _MISSING:
                space[f"_make_{name}"] = said.factory
                value = f"_make_{name}() if {name} is _absent else {name}" if said.init else f"_make_{name}()"
                parameters += [f"{name}=_absent"] if said.init else []
            elif said.default is not _MISSING:
                space[f"_default_{name}"] = said.default
                value = name if said.init else f"_default_{name}"
                parameters += [f"{name}=_default_{name}"] if said.init else []
            else:
                parameters.append(name)
            body.append(f"_set(self, {name!r}, {value})" if cls.__lazy_options__[0] else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        lines = "\n ".join(body or ["pass"])
        return f"def __init__({', '.join(['self', *parameters])}):\n {lines}\n"

    def _written_repr(_cls, fields, _space):
        shown = ", ".join(f"{name}={{self.{name}!r}}" for name, (_, said) in fields.items() if said.repr)
        return f"def __repr__(self):\n return f'{{type(self).__qualname__}}({shown})'\n"

    def _written_hash(_cls, fields, _space):
        return f"def __hash__(self):\n return hash(({_compared(fields, 'self')}))\n"

    def _written_eq(_cls, fields, _space):
        return (
            "def __eq__(self, other):\n if other.__class__ is not self.__class__:\n  return NotImplemented\n"
            f" return ({_compared(fields, 'self')}) == ({_compared(fields, 'other')})\n"
        )

    def _compared(fields, side):
        return "".join(f"{side}.{name}, " for name, (_, said) in fields.items() if said.compare)

    _WRITTEN = {
        "__init__": _written_init,
        "__repr__": _written_repr,
        "__hash__": _written_hash,
        "__eq__": _written_eq,
    }
    """What writes each method: as few are used of most classes, each is compiled by itself."""

    def _frozen(self, name, *_):
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def _state(self):
        return [getattr(self, name) for name in self.__match_args__]

    def _restored(self, state):
        for name, value in zip(self.__match_args__, state, strict=True):
            object.__setattr__(self, name, value)
