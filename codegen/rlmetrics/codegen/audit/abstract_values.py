"""Abstract values: what the interpreter knows of strings, dicts, sequences, objects and functions."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .places import CodePlace, KeyOrigin, SourceLine

if TYPE_CHECKING:
    from .definitions import ClassInfo, FunctionInfo, ModuleInfo

MAX_CHOICES = 24
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


def text_of(node: ast.AST) -> str:
    """Return the source text of a node on one line; kept on the node, because it is asked for often."""
    text: str | None = getattr(node, "_audit_text", None)
    if text is None:
        text = " ".join(ast.unparse(node).split())
        node._audit_text = text  # type: ignore[attr-defined]
    return text


class Value:
    """Anything an expression may be; without a subclass nothing is known."""


@dataclass(frozen=True)
class Missing:
    """Keys of unknown name that were merged into a dict: ``text`` is the expression that brought them."""

    site: SourceLine
    text: str


@dataclass(frozen=True)
class UnknownValue(Value):
    """A value of which nothing is known; ``text`` is the expression it came from."""

    text: str = ""
    leaf: bool = False
    """Whether it was taken out of a dict as a value, so that it is no dict itself as far as is known."""
    keys: tuple[Missing, ...] = ()
    """Set where it stands for the keys of a dict that are not known, so that a copy remembers what was copied."""


@dataclass(frozen=True)
class Constant(Value):
    """A number, boolean or None."""

    value: object


@dataclass(frozen=True)
class TextValue(Value):
    """A string with ``{placeholders}`` where parts are unknown.

    ``origins`` is set while the string is a key taken out of a dict, so that a copy keeps its provenance.
    """

    template: str
    site: SourceLine | None = None
    origins: tuple[KeyOrigin, ...] = ()

    @property
    def known(self) -> bool:
        """Whether no part is unknown."""
        return _PLACEHOLDER.search(self.template) is None


@dataclass
class DictSlot:
    """One key of a dict."""

    value: Value
    origins: dict[tuple[SourceLine, str], KeyOrigin] = field(default_factory=dict)

    def add(self, origin: KeyOrigin) -> None:
        """Add an origin; of the same one, the way through more places is kept."""
        key = (origin.site, origin.expression)
        old = self.origins.get(key)
        if old is None or len(old.via) < len(origin.via):
            self.origins[key] = origin


class Mapping(Value):
    """A dict, shared by reference like the real one. Keys are templates."""

    def __init__(self, *, autovivify: int = 0) -> None:
        """Make an empty dict; ``autovivify`` says how many levels of dicts appear below it as they are read."""
        self.slots: dict[str, DictSlot] = {}
        self.missing: dict[tuple[SourceLine, str], Missing] = {}
        self.autovivify = autovivify

    def write(self, key: TextValue, value: Value, place: CodePlace, expression: str) -> None:
        """Record ``self[key] = value``; earlier values of the key stay possible."""
        slot = self.slots.get(key.template)
        if slot is None:
            slot = self.slots[key.template] = DictSlot(value)
        elif slot.value is not value:
            slot.value = join(slot.value, value)
        if key.origins:
            for origin in key.origins:
                slot.add(origin.passed_through(place))
        else:
            slot.add(KeyOrigin(key.site or place.site, expression))

    def merge(self, other: Mapping, place: CodePlace) -> None:
        """Record ``self.update(other)``."""
        if other is self:
            return
        for template, slot in list(other.slots.items()):
            target = self.slots.get(template)
            if target is None:
                target = self.slots[template] = DictSlot(slot.value)
            elif target.value is not slot.value:
                target.value = join(target.value, slot.value)
            for origin in list(slot.origins.values()):
                target.add(origin.passed_through(place))
        self.missing.update(other.missing)

    def merge_unknown(self, text: str, site: SourceLine) -> None:
        """Record that keys of unknown name were merged."""
        self.missing[site, text] = Missing(site, text)

    def snapshot(self) -> Mapping:
        """Return a copy that later writes of keys do not change."""
        copy = Mapping()
        copy.slots.update(self.slots)
        copy.missing.update(self.missing)
        return copy

    def keys(self) -> list[TextValue]:
        """Return the keys, each with its provenance."""
        return [TextValue(template, None, tuple(slot.origins.values())) for template, slot in self.slots.items()]

    def unknown_keys(self) -> list[UnknownValue]:
        """Return what stands for the keys that are not known."""
        return [UnknownValue("key", keys=tuple(self.missing.values()))] if self.missing else []

    def child(self, template: str) -> Value | None:
        """Return the value under a key, matching placeholders on either side."""
        slot = self.slots.get(template)
        if slot is not None:
            return slot.value
        values = [
            slot.value
            for own, slot in self.slots.items()
            if ("{" in own and matches(own, template)) or ("{" in template and matches(template, own))
        ]
        return join(*values) if values else None


def matches(template: str, text: str) -> bool:
    """Tell whether ``text`` is an instance of ``template``."""
    return (
        re.fullmatch(".+".join(re.escape(part) for part in _PLACEHOLDER.split(template)), text, re.DOTALL) is not None
    )


@dataclass(eq=False)
class Sequence(Value):
    """A list or tuple. ``exact`` says that ``items`` are all its elements in order."""

    items: list[Value]
    exact: bool = True


@dataclass(eq=False)
class FunctionValue(Value):
    """A function with what is bound to it."""

    info: FunctionInfo
    owner: ObjectValue | None = None
    closure: dict[str, Value] | None = None
    bound: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False)
class Class(Value):
    """A class of the package."""

    info: ClassInfo


@dataclass(eq=False)
class ModuleValue(Value):
    """A module of the package."""

    info: ModuleInfo


@dataclass(eq=False)
class ObjectValue(Value):
    """An instance: attributes are joined over all assignments, because methods run in any order."""

    info: ClassInfo | None
    attributes: dict[str, Value] = field(default_factory=dict)
    empty: set[str] = field(default_factory=set)
    """Attributes that were given nothing but an empty list or a constant like False."""


@dataclass(eq=False)
class Super(Value):
    """What ``super()`` gives inside a method of ``after``."""

    owner: ObjectValue
    after: ClassInfo


@dataclass(frozen=True, eq=False)
class ChoiceValue(Value):
    """One of several values."""

    options: tuple[Value, ...]


def options(value: Value) -> tuple[Value, ...]:
    """Return what a value may be."""
    return value.options if isinstance(value, ChoiceValue) else (value,)


def is_empty(value: Value) -> bool:
    """Tell whether a value is an empty list or a constant that is not true, whatever the run."""
    return all(
        (isinstance(option, Constant) and not option.value)
        or (isinstance(option, Sequence) and option.exact and not option.items)
        for option in options(value)
    )


def join(*values: Value) -> Value:
    """Return a value that may be any of the given ones."""
    if len(values) == 1 and not isinstance(values[0], ChoiceValue):
        return values[0]
    possible: list[Value] = []
    for value in values:
        for option in options(value):
            for other in possible:
                if option is other or _same(option, other):
                    break
            else:
                possible.append(option)
    known = [value for value in possible if not isinstance(value, UnknownValue)]
    if len(known) < len(possible):
        possible = [*known, next(value for value in possible if isinstance(value, UnknownValue))]
    return possible[0] if len(possible) == 1 else ChoiceValue(tuple(possible[:MAX_CHOICES]))


def _same(one: Value, other: Value) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, TextValue) and isinstance(other, TextValue):
        return one.template == other.template and one.origins == other.origins
    if isinstance(one, (UnknownValue, Constant)):
        return one == other
    if isinstance(one, FunctionValue) and isinstance(other, FunctionValue):
        return one.info is other.info and one.owner is other.owner
    return False


def mappings(value: Value) -> list[Mapping]:
    """Return the dicts among what a value may be."""
    return [option for option in options(value) if isinstance(option, Mapping)]


MEMBER = "__member__"
"""Attribute under which an enumeration's member keeps its name as a dict's key."""


def is_member(value: Value | None) -> bool:
    """Tell whether a value is one certain member of an enumeration."""
    return isinstance(value, ObjectValue) and MEMBER in value.attributes


def unknown_keys(value: Value) -> tuple[Missing, ...]:
    """Return what is remembered of keys that are not known."""
    return tuple(missing for option in options(value) if isinstance(option, UnknownValue) for missing in option.keys)


def texts(value: Value) -> list[TextValue]:
    """Return the strings (and the names of enumeration members) among what a value may be."""
    strings: list[TextValue] = []
    for option in options(value):
        if isinstance(option, ObjectValue):
            option = option.attributes.get(MEMBER, option)
        if isinstance(option, TextValue):
            strings.append(option)
    return strings


def placeholder(node: ast.expr) -> str:
    """Name the unknown part of a key after the expression that stands for it."""
    if isinstance(node, ast.Name):
        name = node.id
    elif isinstance(node, ast.Attribute):
        name = placeholder(node.value) if node.attr in ("value", "name", "__name__") else node.attr
    elif isinstance(node, ast.Subscript):
        key = node.slice
        name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else placeholder(node.value)
    elif isinstance(node, ast.Call):
        inner = node.args[0] if isinstance(node.func, ast.Name) and node.args else node.func
        name = placeholder(inner)
    elif isinstance(node, ast.BinOp):
        name = placeholder(node.left)
    elif isinstance(node, ast.IfExp):
        name = placeholder(node.body)
    else:
        name = "value"
    return re.sub(r"[^A-Za-z0-9_]", "_", name).strip("_") or "value"
