"""What differs between frameworks: entry points, trackers, indirect calls, components, and places to leave out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

__all__ = ["AuditSettings", "Ignored", "SettingRule", "read_settings"]


@dataclass(frozen=True)
class Ignored:
    """A place that no rule understands and that adds no key; every entry says why."""

    path: str
    symbol: str
    reason: str


@dataclass(frozen=True)
class SettingRule:
    """Regular expressions of keys and of classes that log them, and the component that these belong to."""

    component: str
    key: str = ".*"
    owner: str = ".*"


@dataclass(frozen=True)
class AuditSettings:
    """How the auditor reads one framework."""

    package: str
    excluded_paths: tuple[str, ...] = ()
    entry_names: tuple[str, ...] = ()
    by_name: bool = False
    """Whether a call on an unknown object may be any method of that name (remote workers)."""
    workers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a group of remote workers → the classes that it may consist of."""
    not_by_name: tuple[str, ...] = ()
    """Modules whose methods are never what an unknown object offers (checkpointing, tools)."""
    initializers: tuple[str, ...] = ("__init__",)
    """Methods that give an object its attributes."""
    inherited: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Base class of another package → keys (or templates) that it logs on its own."""
    given_attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Base class of another package → attributes that it gives its objects."""
    trackers: tuple[str, ...] = ()
    """Classes of the package that fan a dict out to trackers: their ``log`` is where keys are final."""
    not_entries: tuple[str, ...] = ()
    """Modules whose classes are no components of their own."""
    decorators: tuple[str, ...] = ()
    returns_logged: Mapping[str, str] = field(default_factory=dict)
    """``Class.method:parameter`` → method of the same class whose result the user passes there."""
    indirect: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of a callable variable → decorators (``@name``) or functions it may stand for."""
    open_parameters: tuple[str, ...] = ()
    """Parameters whose keys come from outside the package and are described elsewhere."""
    open_sources: Mapping[str, str] = field(default_factory=dict)
    """Text of an expression whose keys users choose → the placeholder that stands for them."""
    messages: Mapping[str, str] = field(default_factory=dict)
    """Attribute of an object that comes from another process → ``Class.method`` whose result it carries."""
    message_fields: Mapping[str, str] = field(default_factory=dict)
    """Field of what is sent from another process → the class of the same folder that the message is an object of."""
    used_methods: tuple[str, ...] = ()
    """Methods of an object that code of another package calls once it was given the object."""
    training_entries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Method that runs in training only → tests that hold there."""
    scripts: tuple[str, ...] = ()
    """Folders whose modules log from their ``__main__`` block, through the trainer that they make."""
    user_logs: Mapping[str, str] = field(default_factory=dict)
    """``Class.method`` whose result users hand to a tracker themselves → method that does it where the class has it."""
    writers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Function of another package → keys that it writes into a dict that it is given."""
    returned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """``Class.method`` of another package → keys of the dict that it returns."""
    impossible: Mapping[str, str] = field(default_factory=dict)
    """Regular expression of keys that the flow of dicts suggests → why no configuration logs them."""
    ignored: tuple[Ignored, ...] = ()
    components: tuple[SettingRule, ...] = ()
    """To which component a key belongs: the first rule that fits decides; without one it is the class."""

    def component(self, key: str, owner: str) -> str:
        """Return the component of a key that a class logs."""
        for rule in self.components:
            if re.fullmatch(rule.key, key) and re.fullmatch(rule.owner, owner):
                return rule.component
        return owner


def read_settings(path: Path) -> AuditSettings:
    """Return the settings that a YAML file holds."""
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    ignored = tuple(Ignored(**item) for item in data.pop("ignored", ()))
    components = tuple(SettingRule(**item) for item in data.pop("components", ()))
    return AuditSettings(
        ignored=ignored, components=components, **{name: _frozen(value) for name, value in data.items()}
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _frozen(item) for name, item in value.items()}
    return tuple(value) if isinstance(value, list) else value
