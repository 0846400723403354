"""How the auditor reads a framework: ``audit:`` in ``spec/frameworks/<framework>/framework.yaml``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import ConfigDict

from .base import Strict, Text

__all__ = ["AuditSettings", "Graft", "Ignored", "SettingRule", "Sink", "Store"]


class Lenient(Strict):
    """A node whose lists become tuples, so that it stays what it is."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False, use_attribute_docstrings=True)


class Ignored(Lenient):
    """A place that no rule understands and that adds no key, `*` for any text; every entry says why."""

    path: Text
    symbol: Text
    reason: Text


class SettingRule(Lenient):
    """Regular expressions of keys and of classes that log them, and the component that these belong to."""

    component: Text
    key: str = ".*"
    owner: str = ".*"


class Sink(Lenient):
    """A method that hands numbers to trackers, and is not called `log`."""

    method: Text
    """`Class.method` of the package, or a method's name alone for whatever object it is called on."""
    argument: str | int | None = None
    """Name or place of the argument that is the dict; the first dict that it is given, if left out."""
    key: Text = "{key}"
    """What a key becomes: `{key}`, and the name of another argument in braces, such as `{prefix}/{key}`."""
    drop: Text | None = None
    """Regular expression of whole keys that it leaves out."""
    nested: Text | None = None
    """What joins the keys of dicts in dicts, such as `/`, where it writes them out."""
    lists: tuple[Text, ...] = ()
    """What it makes of a list, in place of one number: `{key}/mean`, `{key}/max`."""


class Store(Lenient):
    """A method of a statistics tracker that takes single numbers by name, which something exports later."""

    method: Text
    """Its name, such as `stat`."""
    of: tuple[Text, ...]
    """What it is called on: classes of the package, or names as the code writes them, such as `stats_tracker`."""
    keys: str | int = "keywords"
    """`keywords`: the names of keyword arguments; else the name or the place of the argument that is the key."""
    besides: tuple[Text, ...] = ()
    """Keyword arguments that are no keys."""
    makes: tuple[Text, ...] = ("{key}",)
    """What is logged of each: `{key}/avg`, `{key}/min`."""
    unless: Text | None = None
    """A keyword argument with which the key itself is logged, and nothing of `makes`."""
    prefix: bool = False
    """Whether it only puts its argument before the keys of what runs within it: `with tracker.scope("update")`."""


class Graft(Lenient):
    """Functions that a package puts in the place of methods of its base's class, whose source it rewrites."""

    component: Text
    """The component that the class becomes."""
    of: Text
    """The class of the base, with its module."""
    module: Text
    """Where the functions are defined, but for those that name another module."""
    methods: Mapping[str, str]
    """Method → `function`, or `function.inner` of one defined within another; `module:function` elsewhere."""


class AuditSettings(Lenient):
    """How the auditor reads one framework."""

    excluded_paths: tuple[str, ...] = ()
    entry_names: tuple[str, ...] = ()
    by_name: bool = False
    """Whether a call on an unknown object may be any method of that name (remote workers)."""
    workers: Mapping[str, tuple[str, ...]] = {}
    """Name of a group of remote workers → the classes that it may consist of."""
    not_by_name: tuple[str, ...] = ()
    """Modules whose methods are never what an unknown object offers (checkpointing, tools)."""
    initializers: tuple[str, ...] = ("__init__",)
    """Methods that give an object its attributes."""
    inherited: Mapping[str, tuple[str, ...]] = {}
    """Base class of another package → keys (or templates) that it logs on its own."""
    given_attributes: Mapping[str, tuple[str, ...]] = {}
    """Base class of another package → attributes that it gives its objects."""
    trackers: tuple[str, ...] = ()
    """Classes of the package that fan a dict out to trackers: their ``log`` is where keys are final."""
    not_entries: tuple[str, ...] = ()
    """Modules whose classes are no components of their own."""
    decorators: tuple[str, ...] = ()
    returns_logged: Mapping[str, str] = {}
    """``Class.method:parameter`` → method of the same class whose result the user passes there."""
    indirect: Mapping[str, tuple[str, ...]] = {}
    """Name of a callable variable → decorators (``@name``) or functions it may stand for."""
    open_parameters: tuple[str, ...] = ()
    """Parameters whose keys come from outside the package and are described elsewhere."""
    open_sources: Mapping[str, str] = {}
    """Text of an expression whose keys users choose → the placeholder that stands for them."""
    messages: Mapping[str, str] = {}
    """Attribute of an object that comes from another process → ``Class.method`` whose result it carries."""
    message_fields: Mapping[str, str] = {}
    """Field of what is sent from another process → the class of the same folder that the message is an object of."""
    queues: bool = False
    """Whether classes of one folder send each other dicts through queues; with `message_fields` they do."""
    carried: Mapping[str, tuple[str, ...]] = {}
    """Attribute that is a dict of objects that processes hand each other → the classes whose methods write into it:
    what is written anywhere under this name is read wherever it is."""
    used_methods: tuple[str, ...] = ()
    """Methods of an object that code of another package calls once it was given the object."""
    training_entries: Mapping[str, tuple[str, ...]] = {}
    """Method that runs in training only → tests that hold there."""
    scripts: tuple[str, ...] = ()
    """Folders whose modules log from their ``__main__`` block, through the trainer that they make."""
    user_logs: Mapping[str, str] = {}
    """``Class.method`` whose result users hand to a tracker themselves → method that does it where the class has it."""
    writers: Mapping[str, tuple[str, ...]] = {}
    """Function of another package → keys that it writes into a dict that it is given."""
    returned: Mapping[str, tuple[str, ...]] = {}
    """``Class.method`` of another package → keys of the dict that it returns."""
    impossible: Mapping[str, str] = {}
    """Regular expression of keys that the flow of dicts suggests → why no configuration logs them."""
    sinks: tuple[Sink, ...] = ()
    """Methods that hand numbers to trackers, and are not called `log`."""
    stores: tuple[Store, ...] = ()
    """Methods of statistics trackers that take single numbers by name."""
    hands_on: tuple[str, ...] = ()
    """Functions and methods that return what they are given, such as reductions over processes."""
    calls: Mapping[str, str | int] = {}
    """Method that calls another one, whose name it is given → the argument that is the name, by name or place."""
    grafts: tuple[Graft, ...] = ()
    """What a framework that rewrites its base's classes makes of them."""
    unseen: tuple[Text, ...] = ()
    """What reading its sources does not show; an audit says so."""
    ignored: tuple[Ignored, ...] = ()
    components: tuple[SettingRule, ...] = ()
    """To which component a key belongs: the first rule that fits decides; without one it is the class."""

    spelled: Mapping[str, str] = {}
    """Regular expression of whole keys as trackers are given them → how the spec spells them: `train/(.*)` → `\\1`,
    where a framework's own code writes the prefix that its trackers' route stands for."""

    def key(self, given: str) -> str:
        """Return how the spec spells a key that a tracker is given."""
        for pattern, spelling in self.spelled.items():
            found = re.fullmatch(pattern, given)
            if found is not None:
                return found.expand(spelling)
        return given

    def component(self, key: str, owner: str) -> str:
        """Return the component of a key that a class logs."""
        for rule in self.components:
            if re.fullmatch(rule.key, key) and re.fullmatch(rule.owner, owner):
                return rule.component
        return owner
