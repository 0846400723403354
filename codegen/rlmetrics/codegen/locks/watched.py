"""Which code a component depends on in a release, beyond the statements that its facts cite."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from .anchor_marks import Found, symbol_for
from .component_lock import ClassRange, LockedComponent
from .packages import Package
from .symbols import REST, Symbol

__all__ = ["class_of", "config_of", "helpers_of", "methods_of", "watched_symbols"]

_CONFIG = re.compile(r"\b([A-Za-z_]\w*(?:Config|Arguments))\b")


def watched_symbols(
    package: Package, component: LockedComponent, symbols: Iterable[Found]
) -> dict[tuple[str, str], Symbol]:
    """Return the symbols whose change may change what a component's keys mean.

    These are the symbols that hold its anchors; the methods and bodies of its classes and of their bases in the
    package, where a file describes no class of the package, of the classes that hold its anchors; their configuration
    classes; functions of the package that any of these call; and what the file itself lists.

    Args:
        package: A release.
        component: The component.
        symbols: Where its anchors stand in that release.

    Returns:
        Path and qualified name to the symbol.
    """
    own = [symbol for symbol in (class_of(package, item, package.release) for item in component.classes) if symbol]
    anchored = list(_anchored(package, symbols))
    owners = own or [owner for owner in (_owner(package, symbol) for symbol in anchored) if owner]
    direct = [symbol for symbol in anchored if symbol.kind != "rest"]
    for owner in owners:
        for base in package.mro(owner):
            direct += [base, *package.methods(base)]
        config = config_of(package, owner)
        direct += [part for base in package.mro(config) for part in (base, *package.methods(base))] if config else []
    called = [symbol for source in direct for symbol in _called(package, source)]
    listed = [symbol for entry in component.watch for symbol in _listed(package, entry)]
    return {(symbol.path, symbol.name): symbol for symbol in (*called, *listed, *direct)}


def helpers_of(package: Package, watched: Iterable[tuple[str, str]], before: Package) -> set[tuple[str, str]]:
    """Return what watched functions use of their module: private functions, and new classes with their methods.

    Args:
        package: A release.
        watched: Paths and names of its watched symbols.
        before: The release in which a class is not new; the same one for private functions alone.
    """
    helpers: set[tuple[str, str]] = set()
    for path, name in watched:
        module, known = package.module(path), before.module(path)
        symbol = module.symbols.get(name) if module else None
        for other in package.mentioned(symbol) if symbol and symbol.kind == "function" else ():
            if other.path == path and other.kind == "function" and other.name.startswith("_"):
                helpers.add((path, other.name))
            elif other.path == path and other.kind == "class" and (known is None or other.name not in known.symbols):
                helpers.update((path, part.name) for part in (other, *package.methods(other)))
    return helpers


def class_of(package: Package, item: ClassRange, release: str) -> Symbol | None:
    """Return the class of a component in a release, or None where the package has no such class then."""
    if release not in item.releases:
        return None
    return package.class_named(item.module, item.name.rpartition(".")[2])


def methods_of(package: Package, symbol: Symbol) -> dict[str, str]:
    """Return each method of a class and the class of the package that it has it from."""
    methods: dict[str, str] = {}
    for base in package.mro(symbol):
        for method in package.methods(base):
            methods.setdefault(method.name.removeprefix(f"{base.name}."), base.name)
    return methods


def config_of(package: Package, symbol: Symbol) -> Symbol | None:
    """Return the configuration class of a trainer, with which its constructor's ``args`` or ``config`` is annotated."""
    init = package.method(symbol, "__init__")
    module = package.module(init.path) if init else None
    if init is None or module is None:
        return None
    for written in _annotations(package.texts[init.path], init):
        for name in _CONFIG.findall(written):
            resolved = package.resolve(module, name)
            if resolved is not None and resolved.kind == "class":
                return resolved
    return None


def _annotations(text: str, init: Symbol) -> Iterator[str]:
    lines = text.splitlines()[init.statements[0].first - 1 : init.statements[0].end]
    indent = len(lines[0]) - len(lines[0].lstrip())
    tree = ast.parse("\n".join(line[indent:] if line[:indent].isspace() else line for line in lines))
    node = tree.body[0]
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    for argument in (*node.args.args, *node.args.kwonlyargs):
        if argument.arg in ("args", "config", "training_args") and argument.annotation is not None:
            yield ast.unparse(argument.annotation)


def _anchored(package: Package, symbols: Iterable[Found]) -> Iterator[Symbol]:
    for item in symbols:
        module = package.module(item.path)
        symbol = module.symbols.get(item.mark.symbol) if module else None
        if symbol is not None:
            yield symbol


def _owner(package: Package, symbol: Symbol) -> Symbol | None:
    module = package.module(symbol.path)
    if symbol.kind == "class":
        return symbol
    return module.symbols.get(symbol.owner) if module and symbol.owner else None


def _called(package: Package, symbol: Symbol) -> Iterator[Symbol]:
    """Return the functions of the package that a symbol calls or hands on."""
    return (named for named in package.mentioned(symbol) if named.kind == "function")


def _listed(package: Package, entry: str) -> Iterator[Symbol]:
    """Yield what an entry of ``watch:`` names: a file, a class with methods, a function, a method or an assignment."""
    if "/" in entry:
        path, _, name = entry.partition(" ")
        module = package.module(path)
        symbols = module.symbols.values() if module else ()
        wanted = [s for s in symbols if s.name != REST and (not name or name in (s.name, s.owner))]
        yield from wanted
        return
    symbol = symbol_for(package, entry)
    if symbol is not None:
        yield symbol
        yield from package.methods(symbol) if symbol.kind == "class" else ()
