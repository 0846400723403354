"""Index of a package's source: modules, classes with their bases, functions, imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property

from .definitions import ClassInfo, FunctionInfo, FunctionNode, ModuleInfo


class PackageProgram:
    """All modules of a package and the ways to look names up in them."""

    def __init__(self, sources: Mapping[str, str], entrances: frozenset[str] = frozenset()) -> None:
        """Parse ``sources`` (path in the package → text); a file that does not parse is kept in ``broken``.

        ``entrances`` are names of methods that are declared to take numbers.
        """
        self.sources = dict(sources)
        self._entrances = entrances
        self.modules: dict[str, ModuleInfo] = {}
        self.broken: dict[str, str] = {}
        self.methods: dict[str, list[FunctionInfo]] = {}
        self._orders: dict[ClassInfo, list[ClassInfo]] = {}
        for path in sorted(sources):
            try:
                tree = ast.parse(sources[path])
            except SyntaxError as error:
                self.broken[path] = f"line {error.lineno}: {error.msg}"
                continue
            self._index(path, tree)

    def _index(self, path: str, tree: ast.Module) -> None:
        parts = path.removesuffix(".py").split("/")
        is_package = parts[-1] == "__init__"
        module = ModuleInfo(
            ".".join(parts[:-1] if is_package else parts), path, tree, is_package, entrances=self._entrances
        )
        self.modules[module.name] = module
        for node in _statements(tree.body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                module.functions[node.name] = FunctionInfo(node.name, node, module, None, node.name)
            elif isinstance(node, ast.ClassDef):
                module.classes.setdefault(node.name, self._class(node, module))
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                module.assignments[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                module.assignments[node.target.id] = node.value
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names = imported_names(node, module)
                star = names.pop("*", None)
                if star is not None:
                    module.stars.append(star[0])
                for name, source in names.items():  # of alternatives, the one that needs no extra package comes last
                    module.imports[name] = source

    def _class(self, node: ast.ClassDef, module: ModuleInfo) -> ClassInfo:
        info = ClassInfo(node.name, node, module, tuple(ast.unparse(base) for base in node.bases))
        for item in _statements(node.body):
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
                function = FunctionInfo(item.name, item, module, info, f"{node.name}.{item.name}")
                info.methods[item.name] = function
                self.methods.setdefault(item.name, []).append(function)
            elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                info.fields[item.target.id] = item.value
        for item in node.body:
            if isinstance(item, ast.Assign):
                info.constants.update({t.id: item.value for t in item.targets if isinstance(t, ast.Name)})
        if any(base.split(".")[-1] in ("Enum", "StrEnum", "IntEnum") for base in info.bases):
            info.members = tuple(info.constants)
        return info

    def resolve(self, module: ModuleInfo, name: str) -> FunctionInfo | ClassInfo | ModuleInfo | None:
        """Find what a (dotted) name means in a module, following imports inside the package."""
        head, _, rest = name.partition(".")
        definition: FunctionInfo | ClassInfo | ModuleInfo | None
        definition = module.functions.get(head) or module.classes.get(head)
        if definition is None and head in module.imports:
            source, attribute = module.imports[head]
            definition = self.imported(source, attribute)
        if definition is None:
            for star in module.stars:
                definition = self.imported(star, head)
                if definition is not None:
                    break
        if definition is None or not rest:
            return definition
        if isinstance(definition, ModuleInfo):
            return self.member(definition, rest)
        if isinstance(definition, ClassInfo):
            return self.lookup(definition, rest)
        return None

    def member(self, module: ModuleInfo, name: str) -> FunctionInfo | ClassInfo | ModuleInfo | None:
        """Find a (dotted) member of a module, submodules included."""
        definition = self.resolve(module, name)
        if definition is None:
            head, _, rest = name.partition(".")
            sub = self.modules.get(f"{module.name}.{head}")
            if sub is not None:
                return self.member(sub, rest) if rest else sub
        return definition

    def imported(
        self, source: str, attribute: str | None, depth: int = 0
    ) -> FunctionInfo | ClassInfo | ModuleInfo | None:
        """Find what ``from source import attribute`` gives, inside the package."""
        module = self.modules.get(source)
        if attribute is None:
            return module
        submodule = self.modules.get(f"{source}.{attribute}")
        if module is None or depth > 8:
            return submodule
        definition: FunctionInfo | ClassInfo | ModuleInfo | None = module.functions.get(attribute)
        definition = definition or module.classes.get(attribute)
        if definition is None and attribute in module.imports:
            found_source, found_attribute = module.imports[attribute]
            return self.imported(found_source, found_attribute, depth + 1) or submodule
        for star in module.stars:
            definition = definition or self.imported(star, attribute, depth + 1)
        return definition or submodule or self._lazy_export(module, attribute)

    def _lazy_export(self, module: ModuleInfo, attribute: str) -> FunctionInfo | ClassInfo | None:
        """Look for a name in the submodules of a package whose ``__init__`` fills itself lazily."""
        if not module.is_package:
            return None
        prefix = module.name + "."
        for name, other in self.modules.items():
            if name.startswith(prefix) and (attribute in other.classes or attribute in other.functions):
                return other.classes.get(attribute) or other.functions.get(attribute)
        return None

    def base_classes(self, info: ClassInfo) -> list[ClassInfo]:
        """Return the class and its bases inside the package in lookup order."""
        known = self._orders.get(info)
        if known is None:
            self._orders[info] = [info]  # a class that inherits from itself ends here
            bases = [
                base_class
                for base in info.bases
                if isinstance(base_class := self.resolve(info.module, base.split("[")[0]), ClassInfo)
                and base_class is not info
            ]
            known = self._orders[info] = [info, *_linearize([*map(self.base_classes, bases), bases])]
        return known

    def external_bases(self, info: ClassInfo) -> list[str]:
        """Return the names of bases that come from other packages."""
        names = []
        for current in self.base_classes(info):
            for base in current.bases:
                name = base.split("[")[0]
                if not isinstance(self.resolve(current.module, name), ClassInfo):
                    source = current.module.imports.get(name.split(".")[0])
                    full = f"{source[0]}.{source[1]}" if source and source[1] else name
                    if full not in names:
                        names.append(full)
        return names

    def lookup(self, info: ClassInfo, name: str, after: ClassInfo | None = None) -> FunctionInfo | None:
        """Find a method in a class and its bases, or only behind ``after`` (for ``super()``)."""
        order = self.base_classes(info)
        start = order.index(after) + 1 if after is not None and after in order else 0
        for current in order[start:]:
            if name in current.methods:
                return current.methods[name]
        return None

    def only_constructed(self, info: ClassInfo, name: str) -> bool:
        """Tell whether constructors alone assign an attribute of a class's instances, and nothing fills it."""
        changing = self._changing.get(name, set())
        return None not in changing and changing.isdisjoint(self.base_classes(info))

    @cached_property
    def _changing(self) -> dict[str, set[ClassInfo | None]]:
        """Attribute → the classes that change it in their instances once made; None where it is that of another."""
        changing: dict[str, set[ClassInfo | None]] = {}
        for module in self.modules.values():
            methods = {method.node: method for info in module.classes.values() for method in info.methods.values()}
            waiting: list[tuple[ast.AST, FunctionInfo | None]] = [(module.tree, None)]
            while waiting:
                node, method = waiting.pop()
                method = methods.get(node, method) if isinstance(node, FunctionNode) else method
                waiting += [(child, method) for child in ast.iter_child_nodes(node)]
                changed = _changed(node)
                if changed is None:
                    continue
                by_self = isinstance(changed.value, ast.Name) and changed.value.id == "self"
                if not (by_self and method is not None):
                    changing.setdefault(changed.attr, set()).add(None)
                elif changed is not node or method.name != "__init__":
                    changing.setdefault(changed.attr, set()).add(method.owner)
        return changing

    def overrides(self, info: ClassInfo, name: str) -> list[tuple[ClassInfo, FunctionInfo]]:
        """Return what subclasses of a class provide under a name, inherited or not, each implementation once."""
        overrides: dict[FunctionInfo, ClassInfo] = {}
        for subclass in self.classes():
            if subclass is not info and info in self.base_classes(subclass):
                function = self.lookup(subclass, name)
                if function is not None and not function.is_abstract:
                    overrides.setdefault(function, subclass)
        return [(subclass, function) for function, subclass in overrides.items()]

    def classes(self) -> Iterator[ClassInfo]:
        """Iterate over all top-level classes."""
        for module in self.modules.values():
            yield from module.classes.values()


_FILLS = {"append", "extend", "insert", "add", "update", "setdefault", "appendleft", "put"}


def _changed(node: ast.AST) -> ast.Attribute | None:
    """Return the attribute that a node assigns (``x.a = …``, ``x.a[k] = …``) or fills (``x.a.append(…)``)."""
    target: ast.AST | None = None
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        target = node
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        target = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLS:
        target = node.func.value
    return target if isinstance(target, ast.Attribute) else None


def _linearize(orders: list[list[ClassInfo]]) -> list[ClassInfo]:
    """Merge the orders of bases as Python does: a class comes before its bases, and bases in the order written."""
    merged: list[ClassInfo] = []
    remaining = [list(order) for order in orders if order]
    while remaining:
        heads = (order[0] for order in remaining)
        head = next((h for h in heads if not any(h in order[1:] for order in remaining)), remaining[0][0])
        merged.append(head)
        remaining = [kept for order in remaining if (kept := [info for info in order if info is not head])]
    return merged


def imported_names(node: ast.Import | ast.ImportFrom, module: ModuleInfo) -> dict[str, tuple[str, str | None]]:
    """Return local name → (module, attribute or None) of an import statement."""
    names: dict[str, tuple[str, str | None]] = {}
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                names[alias.asname] = (alias.name, None)
            else:
                head = alias.name.split(".")[0]
                names[head] = (head, None)
        return names
    source = node.module or ""
    if node.level:
        parts = module.name.split(".")
        base = parts[: len(parts) - node.level + (1 if module.is_package else 0)]
        source = ".".join([*base, source] if source else base)
    for alias in node.names:
        names[alias.asname or alias.name] = (source, alias.name)
    return names


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body, including those under ``if`` and ``try`` (optional imports)."""
    for node in body:
        yield node
        if isinstance(node, ast.If):
            yield from _statements(node.body)
            yield from _statements(node.orelse)
        elif isinstance(node, ast.Try):
            yield from _statements(node.body)
            for handler in node.handlers:
                yield from _statements(handler.body)
            yield from _statements(node.orelse)
