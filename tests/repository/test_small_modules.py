"""A small module with one reader stands alone only for a reason."""

import ast
from pathlib import Path

from repository.imports import ROOTS, edges, imported, modules

_SMALL = 60
_LONG = 300
"""A module that would be longer than this with what it alone reads."""
_ONE_OF_MANY = ("codegen.audit.rules", "codegen.lint.checks", "codegen.model", "codegen.tables", "dashboards", "cli")
"""Packages whose modules are rows of a list: rules, checks, parts of a format, tables, dashboards, commands."""
_REASONS = {
    "answers.described_values": "reads the prose of descriptions, which its tests hold alone",
    "codegen.generate.part": "what is written: its reader calls every such module alike",
    "codegen.generate.suite_modules": "what is written: its reader calls every such module alike",
    "codegen.judge.stated_verdicts": "how a kind of sentence is judged: its reader calls every such module alike",
    "codegen.lint.kept_hits": "what is kept between two runs: its reader runs checks alike, kept or not",
    "codegen.sizes.wanted": "its text is part of the digest that says whether sizes are up to date",
    "codegen.translations.spoken": "behind the face of its package",
    "logs.kinds.tensorboard.crc32c": "a format",
    "names.inference.keys_only": "behind the face of its package",
    "translate.callable_package": "the trick of a package that can be called",
}


def test_small_modules_have_several_readers_or_a_reason() -> None:
    """Under sixty lines, with one reader in the same folder: a row of a list, too long together, or named here."""
    sources = {name: path for name, path in modules().items() if f"/{ROOTS[0]}/" not in path.as_posix()}
    lengths = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in sources.items()}
    readers: dict[str, set[str]] = {name: set() for name in sources}
    for name, targets in edges(sources, annotations=True).items():
        for target in targets:
            readers[target].add(name)
    alone = set()
    for name, read_by in readers.items():
        reader = next(iter(read_by)) if len(read_by) == 1 else name
        short = name.removeprefix("rlmetrics.")
        in_room = reader != name and sources[reader].parent == sources[name].parent
        fits = lengths[name] < _SMALL and lengths[name] + lengths[reader] < _LONG
        is_row = sources[name].name == "__init__.py" or short.startswith(_ONE_OF_MANY)
        if in_room and fits and not is_row and _reads_at_once(reader, name, sources[reader]):
            alone.add(short)
    assert alone == _REASONS.keys()


def _reads_at_once(reader: str, name: str, path: Path) -> bool:
    """Tell whether a module imports another one outside of functions: what these import is kept apart for that."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top = ast.Module([node for node in tree.body if not isinstance(node, ast.FunctionDef)], [])
    package = reader if path.name == "__init__.py" else reader.rpartition(".")[0]
    return any(found == name or found.rpartition(".")[0] == name for found in imported(top, package, annotations=True))
