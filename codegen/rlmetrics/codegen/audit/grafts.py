"""Classes that a package makes of another package's by putting functions of its own in the place of methods."""

from __future__ import annotations

import ast

from ..model.audit_settings import AuditSettings
from .definitions import ClassInfo, FunctionInfo, ModuleInfo
from .program import PackageProgram

__all__ = ["grafted"]


def grafted(program: PackageProgram, settings: AuditSettings) -> None:
    """Add the classes that a package makes of its base's by putting functions in the place of methods."""
    for graft in settings.grafts:
        home, _, name = graft.of.rpartition(".")
        module = program.modules.get(graft.module)
        if module is None:
            continue
        alias = f"_base_{name}"
        module.imports[alias] = (home, name)
        node = ast.ClassDef(name=graft.component, bases=[], keywords=[], body=[], decorator_list=[], lineno=1)
        info = ClassInfo(graft.component, node, module, (alias,))
        for method, place in graft.methods.items():
            function = _function(program, module, place)
            if function is not None:
                info.methods[method] = FunctionInfo(method, function.node, function.module, info, function.symbol)
                program.methods.setdefault(method, []).append(info.methods[method])
        module.classes[graft.component] = info


def _function(program: PackageProgram, module: ModuleInfo, place: str) -> FunctionInfo | None:
    """Return a function of a module, such as ``make``, or one within it, ``make.compute_loss``."""
    path, _, symbol = place.rpartition(":")
    home = program.modules.get(path) if path else module
    outer, _, inner = symbol.partition(".")
    function = home.functions.get(outer) if home is not None else None
    if function is None or not inner:
        return function
    found = next(
        (node for node in ast.walk(function.node) if isinstance(node, ast.FunctionDef) and node.name == inner), None
    )
    return FunctionInfo(inner, found, function.module, None, symbol) if found is not None else None
