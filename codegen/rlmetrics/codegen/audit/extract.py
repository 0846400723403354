"""Extracts what a release logs by interpreting its source abstractly, without importing it."""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingType
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from ..model.audit_settings import AuditSettings
from .abstract_values import FunctionValue, Mapping, ObjectValue, Value, mappings, options
from .definitions import ClassInfo, FunctionInfo, ModuleInfo
from .frames import Frame, Sunk, Unclear
from .grafts import grafted
from .interpreter import Interpreter
from .logging_calls import decorated
from .places import CodePlace, KeyOrigin, SourceLine
from .program import PackageProgram
from .rules.declared_ways import sink_names
from .running import Runner
from .unheard import unheard


@dataclass(frozen=True)
class ExtractedKey:
    """One place that produces a key of a component."""

    component: str
    module: str
    key: str
    path: str
    line: int
    symbol: str
    expression: str
    via: tuple[SourceLine, ...]


@dataclass(frozen=True)
class Extraction:
    """What a release logs.

    Attributes:
        framework: The framework.
        release: The release.
        keys: Every key with each place that produces it.
        unclear: Places that look like logging and that no rule understands.
        inherited: For each component, keys that a base class of another package logs.
    """

    framework: str
    release: str
    keys: tuple[ExtractedKey, ...]
    unclear: tuple[Unclear, ...]
    inherited: MappingType[str, tuple[str, ...]]


def extract(
    framework: str,
    release: str,
    sources: MappingType[str, str],
    settings: AuditSettings,
    base: MappingType[str, str] | None = None,
) -> Extraction:
    """Extract the keys of a release from its sources (path in the package → text).

    Args:
        framework: The framework.
        release: The release.
        sources: Its sources.
        settings: How they are read.
        base: Sources of the release that it is built on: read with its own, but no class of them is a component.
    """
    with without_collection():
        return _extract(framework, release, sources, settings, base or {})


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep the collector from going through millions of syntax nodes again and again: a fourth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _extract(
    framework: str,
    release: str,
    sources: MappingType[str, str],
    settings: AuditSettings,
    base: MappingType[str, str],
) -> Extraction:
    program = parse(settings, {**base, **sources})
    keys: dict[tuple[str, str, str, int, str], ExtractedKey] = {}
    unclear: dict[tuple[str, int, str], Unclear] = {}
    heard: set[tuple[str, int]] = set()
    grafted(program, settings)
    entries = [info for info in entry_classes(program, settings) if info.module.path in sources]
    for info in entries:
        interpreter = run_class(program, settings, info)
        name = component_name(info, entries)
        for key in logged(interpreter, settings, info, name):
            identity = (key.component, key.key, key.path, key.line, key.expression)
            keys[identity] = merged(keys[identity], key) if identity in keys else key
        unclear.update(interpreter.unclear)
        heard |= _heard(interpreter)
    for key, interpreter in script_keys(program, settings, entries):
        keys.setdefault((key.component, key.key, key.path, key.line, key.expression), key)
        unclear.update(interpreter.unclear)
        heard |= _heard(interpreter)
    heard |= {(path, line) for path, line, _ in unclear}
    unclear.update({(item.path, item.line, item.reason): item for item in unheard(program, settings, heard)})
    ordered = sorted(keys.values(), key=lambda k: (k.component, k.path, k.line, k.key, k.expression))
    return Extraction(
        framework,
        release,
        tuple(ordered),
        tuple(unclear[k] for k in sorted(unclear) if not _is_known(unclear[k], settings)),
        inherited_keys(program, settings),
    )


def _heard(interpreter: Interpreter) -> set[tuple[str, int]]:
    """Return the places at which something with keys was handed over."""
    return {(sunk.site.path, sunk.site.line) for sunk in interpreter.sunk if sunk.mapping.slots or sunk.mapping.missing}


def _is_known(item: Unclear, settings: AuditSettings) -> bool:
    """Tell whether a place that no rule understands is one that the settings explain."""
    return any(
        fnmatchcase(item.path, place.path) and fnmatchcase(item.symbol, place.symbol) for place in settings.ignored
    )


def parse(settings: AuditSettings, sources: MappingType[str, str]) -> PackageProgram:
    """Parse the part of a release's sources (path in the package → text) that may log."""
    return PackageProgram(
        {
            path: text
            for path, text in sources.items()
            if path.endswith(".py") and not path.startswith(settings.excluded_paths)
        },
        sink_names(settings),
    )  # fmt: skip


def inherited_keys(program: PackageProgram, settings: AuditSettings) -> dict[str, tuple[str, ...]]:
    """Return, for each component that derives from a trainer of another package, what that trainer logs on its own."""
    trainers = [info for info in program.classes() if _is_trainer(program, settings, info)]
    inherited: dict[str, tuple[str, ...]] = {}
    for info in trainers:
        bases = [settings.inherited[base] for base in program.external_bases(info) if base in settings.inherited]
        inherited[component_name(info, trainers)] = tuple(dict.fromkeys(key for keys in bases for key in keys))
    return inherited


def component_name(info: ClassInfo, entries: Iterable[ClassInfo]) -> str:
    """Return the name of a class, with its package where another class of the release has the same name.

    A class that only forwards from an old place (defined in a package's ``__init__`` or outside ``experimental``) is
    the class that it forwards to.
    """
    package, _, module = info.module.name.rpartition(".")
    twins = any(other is not info and other.name == info.name for other in entries)
    stands_apart = "experimental" in package.split(".") and not info.module.is_package
    stable = any(
        "experimental" not in other.module.name and other.name == info.name and _is_own(other) for other in entries
    )
    return f"{package.rpartition('.')[2]}.{info.name}" if twins and stands_apart and stable and module else info.name


def _is_own(info: ClassInfo) -> bool:
    """Tell whether a class does more than forward to one of the same name elsewhere."""
    return set(info.methods) - {"__init__"} != set()


def merged(first: ExtractedKey, second: ExtractedKey) -> ExtractedKey:
    """Join what two classes that share a component log at one place."""
    return replace(first, via=tuple(dict.fromkeys((*first.via, *second.via))))


def script_keys(
    program: PackageProgram, settings: AuditSettings, entries: list[ClassInfo]
) -> Iterator[tuple[ExtractedKey, Interpreter]]:
    """Yield what ``__main__`` blocks log through a trainer that they make."""
    for module in program.modules.values():
        if not module.path.startswith(settings.scripts):
            continue
        function = main_block(module)
        if function is None or not function.hands_over:
            continue
        interpreter = Runner(program, settings)
        frame = Frame(function, {})
        interpreter.block(frame, function.node.body if isinstance(function.node, ast.FunctionDef) else [])
        made = [value.info for value in frame.env.values() if isinstance(value, ObjectValue) and value.info in entries]
        for info in made[:1]:
            if info is not None:
                for key in logged(interpreter, settings, info, component_name(info, entries)):
                    yield key, interpreter


def main_block(module: ModuleInfo) -> FunctionInfo | None:
    """Return what a module does where it is run as a script."""
    for node in module.tree.body:
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            made = ast.parse("def __main__(): pass").body[0]
            assert isinstance(made, ast.FunctionDef)
            made.body, made.lineno = node.body, node.lineno
            return FunctionInfo("__main__", made, module, None, "__main__")
    return None


def entry_classes(program: PackageProgram, settings: AuditSettings) -> list[ClassInfo]:
    """Return the classes that hand something to a tracker, themselves or through a base of the package."""
    classes = []
    for info in program.classes():
        if info.module.path.startswith(settings.not_entries):
            continue
        methods = [function for base in program.base_classes(info) for function in base.methods.values()]
        if (
            any(_hands_over(function) for function in methods)
            or any(f"{info.name}.{function.name}" in settings.user_logs for function in methods)
            or (any(_takes_metrics(function) for function in methods) and _is_trainer(program, settings, info))
        ):
            classes.append(info)
    return classes


def _hands_over(function: FunctionInfo) -> bool:
    return function.hands_over or bool(set(function.decorators) & {"profiling_decorator"})


def _takes_metrics(function: FunctionInfo) -> bool:
    """Tell whether it is an ``__init__`` that takes the function with which transformers' Trainer evaluates."""
    arguments = function.node.args
    return function.name == "__init__" and any(
        a.arg == "compute_metrics" for a in (*arguments.args, *arguments.kwonlyargs)
    )


def _is_trainer(program: PackageProgram, settings: AuditSettings, info: ClassInfo) -> bool:
    return any(base in settings.inherited for base in program.external_bases(info))


def run_class(program: PackageProgram, settings: AuditSettings, info: ClassInfo) -> Interpreter:
    """Run every method of a class twice on one object, so that what one method stores another one logs."""
    interpreter = Runner(program, settings)
    owner = interpreter.instance(info)
    names: dict[str, FunctionInfo] = {}
    for base in program.base_classes(info):
        for name, function in base.methods.items():
            if name != "__init__":
                names.setdefault(name, function)
    relevant = {name: function for name, function in names.items() if function.talks_of_metrics}
    called = {name for function in names.values() for name in function.own_uses}
    unused = _unreached(program, info)
    unreached: set[str] = set()
    while more := (unused & names.keys()) - called - set(settings.entry_names) - unreached:
        unreached |= more
        unused |= {name for method in more for name in names[method].own_uses}
        called = {name for method, function in names.items() if method not in unreached for name in function.own_uses}
    relevant = {name: function for name, function in relevant.items() if name not in unreached}
    entries = [name for name in relevant if name not in called or name in settings.entry_names]
    results: dict[str, Value] = {}
    for _ in range(2):
        interpreter.unclear.clear()
        interpreter.forget()
        for sunk in interpreter.sunk:
            sunk.mapping.missing.clear()  # what the first round did not know, the second may
        for name in entries:
            results[name] = _run_entry(interpreter, settings, owner, relevant[name], results)
        left = [name for name, function in relevant.items() if function not in interpreter.executed]
        for name in left:
            _run_entry(interpreter, settings, owner, relevant[name], results)
        entries.extend(left)
    for name, result in results.items():
        instead = settings.user_logs.get(f"{info.name}.{name}")
        if instead is not None and instead not in names:
            site = SourceLine(relevant[name].module.path, relevant[name].node.lineno, relevant[name].symbol)
            interpreter.sunk += [Sunk(mapping, site) for mapping in mappings(result)]
    return interpreter


def _unreached(program: PackageProgram, info: ClassInfo) -> set[str]:
    """Return the names that only such methods use as the class replaces without calling them through ``super()``."""
    classes = program.base_classes(info)
    names: set[str] = set()
    for position, base in enumerate(classes):
        for name, function in base.methods.items():
            nearer = [other.methods[name] for other in classes[:position] if name in other.methods]
            if nearer and name != "__init__" and not any(method.calls_base(name) for method in nearer):
                names |= function.own_uses
    return names


def _run_entry(
    interpreter: Interpreter,
    settings: AuditSettings,
    owner: ObjectValue,
    function: FunctionInfo,
    results: dict[str, Value],
) -> Value:
    interpreter.undecided = 0
    keywords: dict[str, Value] = {}
    for argument in function.node.args.args:
        if argument.arg in settings.open_parameters:
            opened = Mapping()
            opened.merge_unknown(argument.arg, SourceLine(function.module.path, function.node.lineno, function.symbol))
            keywords[argument.arg] = opened
    for entry, source in settings.returns_logged.items():
        method, _, parameter = entry.partition(":")
        if owner.info is not None and method == f"{owner.info.name}.{function.name}" and source in results:
            keywords[parameter] = results[source]
    called = decorated(interpreter, FunctionValue(function, owner))
    interpreter.facts = dict.fromkeys(settings.training_entries.get(function.name, ()), True)
    try:
        result = interpreter.run(called, [], keywords, unknown_parameters=True)
        # A function made within another one and returned is for somebody to call.
        for option in options(result):
            if isinstance(option, FunctionValue) and option.closure is not None and option.info.hands_over:
                interpreter.run(option, [], {}, unknown_parameters=True)
        return result
    finally:
        interpreter.facts = {}


def logged(interpreter: Interpreter, settings: AuditSettings, info: ClassInfo, name: str) -> list[ExtractedKey]:
    """Turn the dicts that reached a tracker into keys, one for each key and place."""
    places: dict[tuple[str, SourceLine], list[KeyOrigin]] = {}
    for sunk in interpreter.sunk:
        for template, slot in sunk.mapping.slots.items():
            for origin in slot.origins.values():
                places.setdefault((template, origin.site), []).append(origin.passed_through(CodePlace(sunk.site)))
        for missing in sunk.mapping.missing.values():
            if missing.text not in settings.open_parameters:
                place = missing.site
                interpreter.unclear[place.path, place.line, "unknown keys"] = Unclear(
                    place.path, place.line, place.symbol, missing.text, "keys of this value are unknown"
                )
    keys = []
    for (template, site), origins in places.items():
        if _OPEN.fullmatch(template) and template[1:-1] not in settings.open_sources.values():
            said = "a key that is not known"
            found = Unclear(site.path, site.line, site.symbol, template, said)
            interpreter.unclear.setdefault((site.path, site.line, said), found)
        if any(re.fullmatch(pattern, template) for pattern in settings.impossible):
            continue
        expressions = dict.fromkeys(origin.expression for origin in origins)
        written = [text for text in expressions if text not in _EMPTY] or list(expressions)
        keys.append(
            ExtractedKey(
                component=settings.component(template, name),
                module=info.module.name,
                key=settings.key(template),
                path=site.path,
                line=site.line,
                symbol=site.symbol,
                expression=" | ".join(written),
                via=tuple(dict.fromkeys(site for origin in origins for site in origin.via)),
            )
        )
    return keys


_OPEN = re.compile(r"\{[^{}]*\}")
"""A key of which nothing is known."""

_EMPTY = {"0", "0.0", "[]", "{}", ""}
"""Values that only prepare a key for the real write."""


__all__ = ["ExtractedKey", "Extraction", "Frame", "Sunk", "extract"]
