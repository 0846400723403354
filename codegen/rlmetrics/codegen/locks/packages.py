"""A release of a package, read without installing it: its modules, symbols, classes and requirements."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from email.parser import HeaderParser
from functools import cached_property
from pathlib import Path, PurePosixPath

from yaml import YAMLError

from rlmetrics.names.tables.user_errors import UserError

from .symbols import ParsedModule, Symbol, read_module
from .yaml_settings import read_settings

__all__ = ["Package", "PackageError", "open_package"]

_SUFFIXES = (".py", ".yaml", ".yml")
_METADATA = re.compile(r"(^|/)([^/]+\.dist-info/METADATA|[^/]+\.egg-info/requires\.txt|PKG-INFO)$")


class PackageError(UserError):
    """A package that can't be read."""


class Package:
    """The sources of one release.

    Args:
        name: Name of the package as it is imported.
        release: Its release.
        texts: Path in the archive to text, of Python and YAML files.
        metadata: The text of its ``METADATA`` or ``PKG-INFO``, if it has one.
        listed: Its name on the package index, if it is imported by another one.
    """

    def __init__(
        self, name: str, release: str, texts: Mapping[str, str], metadata: str = "", listed: str | None = None
    ) -> None:
        self.name = name
        self.listed = listed or name
        self.release = release
        self.texts = texts
        self._metadata = metadata
        self._modules: dict[str, ParsedModule | None] = {}
        self._named: dict[str, tuple[Symbol, ...]] = {}
        self._mro: dict[tuple[str, str], tuple[Symbol, ...]] = {}

    def module(self, path: str) -> ParsedModule | None:
        """Return the module at a path, or None where there is none or it can't be parsed."""
        if path not in self._modules:
            text = self.texts.get(path)
            read = read_module if path.endswith(".py") else read_settings
            try:
                self._modules[path] = None if text is None else read(path, text)
            except (SyntaxError, ValueError, YAMLError):
                self._modules[path] = None
        return self._modules[path]

    def module_named(self, name: str) -> ParsedModule | None:
        """Return the module with a dotted name."""
        path = name.replace(".", "/")
        return self.module(f"{path}.py") or self.module(f"{path}/__init__.py")

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Paths of all modules of the package, sorted."""
        return tuple(sorted(path for path in self.texts if path.endswith(".py") and path.startswith(f"{self.name}/")))

    def named(self, name: str) -> tuple[Symbol, ...]:
        """Return the symbols with a qualified name, of the whole package; parse only files that contain its parts."""
        if name not in self._named:
            words = name.split(".")
            self._named[name] = tuple(
                module.symbols[name]
                for path in self.paths
                if all(word in self.texts[path] for word in words)
                and (module := self.module(path)) is not None
                and name in module.symbols
            )
        return self._named[name]

    @cached_property
    def by_name(self) -> Mapping[str, tuple[Symbol, ...]]:
        """Qualified name to the symbols that have it; all of the package is parsed."""
        by_name: dict[str, list[Symbol]] = {}
        for path in self.paths:
            module = self.module(path)
            for name, symbol in module.symbols.items() if module else ():
                by_name.setdefault(name, []).append(symbol)
        return {name: tuple(symbols) for name, symbols in by_name.items()}

    @cached_property
    def requirements(self) -> tuple[str, ...]:
        """What ``Requires-Dist`` lists, sorted."""
        return tuple(sorted(HeaderParser().parsestr(self._metadata).get_all("Requires-Dist", [])))

    def resolve(self, module: ParsedModule, name: str) -> Symbol | None:
        """Return the class, function or assignment of this package that a name stands for in a module."""
        return self._resolve(module, name, 8)

    def _resolve(self, module: ParsedModule, name: str, depth: int) -> Symbol | None:
        head, _, rest = name.partition(".")
        bound = module.imports.get(head)
        if head in module.symbols:
            return module.symbols.get(name) if rest else module.symbols[head]
        if bound is None or depth == 0 or bound.partition(".")[0].partition(":")[0] != self.name:
            return None
        base, _, original = bound.partition(":")
        source = self.module_named(base)
        target = self.module_named(f"{base}.{original}") if original else source
        if target is not None or not original:
            return self._resolve(target, rest, depth - 1) if target and rest else None
        return self._resolve(source, f"{original}.{rest}" if rest else original, depth - 1) if source else None

    def class_named(self, module: str, name: str) -> Symbol | None:
        """Return the class that a module defines or imports."""
        defining = self.module_named(module)
        symbol = self.resolve(defining, name) if defining else None
        return symbol if symbol is not None and symbol.kind == "class" else None

    def mro(self, symbol: Symbol) -> tuple[Symbol, ...]:
        """Return a class and then its bases in this package; a base reached twice stands where it was met last."""
        key = (symbol.path, symbol.name)
        if key not in self._mro:
            self._mro[key] = (symbol,)  # ends a circle
            order = [symbol]
            module = self.module(symbol.path)
            for written in module.bases.get(symbol.name, ()) if module else ():
                base = self.resolve(module, written.partition("[")[0]) if module else None
                if base is not None and base.kind == "class":
                    order = [s for s in order if s not in self.mro(base)] + list(self.mro(base))
            self._mro[key] = tuple(order)
        return self._mro[key]

    def methods(self, symbol: Symbol) -> Iterator[Symbol]:
        """Yield the functions that stand in a class's own body."""
        module = self.module(symbol.path)
        for other in module.symbols.values() if module else ():
            if other.owner == symbol.name and other.kind == "function":
                yield other

    def method(self, symbol: Symbol, name: str) -> Symbol | None:
        """Return the method that a class has under a name, its own or that of a base."""
        for owner in self.mro(symbol):
            module = self.module(owner.path)
            method = module.symbols.get(f"{owner.name}.{name}") if module else None
            if method is not None and method.kind == "function":
                return method
        return None

    def mentioned(self, symbol: Symbol) -> Iterator[Symbol]:
        """Yield functions, classes and assignments of this package that a symbol names."""
        module = self.module(symbol.path)
        for name in sorted(module.calls.get(symbol.name, ())) if module else ():
            named = self.resolve(module, name) if module else None
            if named is not None and named != symbol:
                yield named


def open_package(name: str, release: str, place: Path, listed: str | None = None) -> Package:
    """Read a wheel, a source archive, or a folder that contains the package's own folder.

    Args:
        name: The name by which it is imported.
        release: The release.
        place: The archive or folder. Wherever in it the package lies, paths begin with its name.
        listed: Its name on the package index, if that is another one.

    Raises:
        PackageError: If there is no such file or the package is not in it.
    """
    try:
        files = dict(_from_folder(place, name) if place.is_dir() else _from_archive(place))
    except (OSError, zipfile.BadZipFile, tarfile.TarError) as error:
        why = getattr(error, "strerror", None) or error
        msg = f"{place}: can't be read ({why}); name a wheel, a source archive or a source folder"
        raise PackageError(msg) from None
    root = _root(files, name)
    if root is None:
        tops = _tops(files)
        has = f", but {', '.join(tops)}" if tops else ""
        msg = (
            f"{place}: holds no package {name}{has}; name a wheel, or the folder that contains {name}/, "
            "or say in the framework's file what the package `imports`"
        )
        raise PackageError(msg)
    texts = {path.removeprefix(root): text for path, text in files.items() if path.startswith(root)}
    metadata = next((files[path] for path in sorted(files) if _METADATA.search(path)), "")
    own = {path: text for path, text in texts.items() if path.startswith(f"{name}/")}
    return Package(name, release, own, metadata, listed)


def _root(files: Iterable[str], name: str) -> str | None:
    """Return what stands before the package's folder in all paths, such as ``trl-0.1.0/`` or ``src/``."""
    packages = [path for path in files if PurePosixPath(path).name == "__init__.py"]
    packages = [path for path in packages if PurePosixPath(path).parent.name == name]
    shortest = min(packages, key=lambda path: path.count("/"), default=None)
    if shortest is not None:
        return shortest.removesuffix(f"{name}/__init__.py")
    # A folder of modules is one without it, too.
    inside = re.compile(rf"(.*/)??{re.escape(name)}/.*\.py")
    roots = [found[1] or "" for path in files if (found := inside.fullmatch(path)) is not None]
    return min(roots, key=len, default=None)


def _tops(files: Iterable[str]) -> list[str]:
    """Return the names of the outermost packages."""
    folders = {PurePosixPath(path).parent for path in files if PurePosixPath(path).name == "__init__.py"}
    outer = [folder for folder in folders if not folders & {*folder.parents}]
    return sorted({folder.name for folder in outer if folder.name})[:6]


def _wanted(path: str) -> bool:
    return path.endswith(_SUFFIXES) or _METADATA.search(path) is not None


def _from_folder(place: Path, name: str) -> Iterator[tuple[str, str]]:
    root = place.parent if place.name == name and (place / "__init__.py").is_file() else place
    # Beside it there may be all that is installed.
    paths = [*(root / name).rglob("*"), *root.glob("*.dist-info/METADATA"), *root.glob("*.egg-info/requires.txt")]
    for path in sorted(paths if (root / name).is_dir() else root.rglob("*")):
        inner = path.relative_to(root).as_posix()
        if _wanted(inner) and path.is_file() and not inner.startswith((".", "build/")):
            yield inner, path.read_text(encoding="utf-8", errors="replace")


def _from_archive(place: Path) -> Iterator[tuple[str, str]]:
    if place.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(place) as archive:
            for path in archive.namelist():
                if _wanted(path):
                    yield path, archive.read(path).decode("utf-8", errors="replace")
        return
    with tarfile.open(place) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() and _wanted(member.name) else None
            if content is not None:
                yield member.name, content.read().decode("utf-8", errors="replace")
