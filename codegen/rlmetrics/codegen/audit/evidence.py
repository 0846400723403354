"""Reopens the lines that the spec cites."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from .described import Claim
from .extract import Extraction

__all__ = ["WINDOW", "EvidenceChecker", "literal_parts"]

WINDOW = 3
"""How many lines a cited line may be off: a value's expression may start before its key."""

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


class EvidenceChecker:
    """Checks cited lines against the sources of one release.

    Args:
        sources: Path in the package to text, also of files that are not Python.
        extraction: What was extracted from them: it knows where a key is put together from parts.
    """

    def __init__(self, sources: Mapping[str, str], extraction: Extraction) -> None:
        self._sources = sources
        self._places: dict[str, dict[int, set[str]]] = {}
        for found in extraction.keys:
            for site in ((found.path, found.line), *((via.path, via.line) for via in found.via)):
                self._places.setdefault(site[0], {}).setdefault(site[1], set()).add(found.key)
        self._spans = lru_cache(maxsize=None)(self._find_spans)

    def problem(self, claim: Claim, fits: Iterable[str] = ()) -> str | None:
        """Returns what is wrong with a cited line, or None.

        Args:
            claim: The line.
            fits: The extracted keys that the claim's key can be.
        """
        text = self._sources.get(claim.path)
        if text is None:
            return "the release has no such file"
        lines = text.splitlines()
        if claim.line > len(lines):
            return f"the file has {len(lines)} lines"
        window = "\n".join(lines[max(0, claim.line - 1 - WINDOW) : claim.line + WINDOW])
        if not self._encloses(claim, window):
            return f"{claim.symbol} does not enclose the line, but {self._around(claim) or 'the module'} does"
        if claim.shows == "key" and not self._shows_key(claim, window, set(fits)):
            return f"the key is not within {WINDOW} lines"
        return None

    def _shows_key(self, claim: Claim, window: str, fits: set[str]) -> bool:
        if all(part in window for part in literal_parts(claim.key)):
            return True
        places = self._places.get(claim.path, {})
        near = range(claim.line - WINDOW, claim.line + WINDOW + 1)
        return any(places.get(line, set()) & fits for line in near)

    def _encloses(self, claim: Claim, window: str) -> bool:
        if not claim.path.endswith(".py"):
            # Configuration files: the symbol is a dotted path whose last part stands near the line.
            return claim.symbol.split(".")[-1] in window
        chains = [chain for first, last, chain in self._spans(claim.path) if first <= claim.line <= last]
        wanted = claim.symbol.removesuffix("()").split(".")
        if any(_contains(chain, wanted) for chain in chains):
            return True
        # A constant or field of a module or class stands on the line itself.
        head, name = wanted[:-1], wanted[-1]
        return re.search(rf"\b{re.escape(name)}\b", window) is not None and (
            not head or any(_contains(chain, head) for chain in chains)
        )

    def _around(self, claim: Claim) -> str:
        innermost: tuple[str, ...] = ()
        for first, last, chain in self._find_spans(claim.path):
            if first <= claim.line <= last and len(chain) > len(innermost):
                innermost = chain
        return ".".join(innermost)

    def _find_spans(self, path: str) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
        found: list[tuple[int, int, tuple[str, ...]]] = []

        def visit(node: ast.AST, chain: tuple[str, ...]) -> None:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    inner = (*chain, child.name)
                    first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
                    found.append((first, child.end_lineno or child.lineno, inner))
                    visit(child, inner)
                    continue
                if isinstance(child, (ast.Assign, ast.AnnAssign)):  # a dict of defaults spreads over many lines
                    targets = child.targets if isinstance(child, ast.Assign) else [child.target]
                    names = [target.id for target in targets if isinstance(target, ast.Name)]
                    found.extend((child.lineno, child.end_lineno or child.lineno, (*chain, name)) for name in names)
                visit(child, chain)

        try:
            visit(ast.parse(self._sources[path]), ())
        except SyntaxError:
            return ()
        return tuple(found)


def _contains(chain: tuple[str, ...], wanted: list[str]) -> bool:
    return any(list(chain[start : start + len(wanted)]) == wanted for start in range(len(chain) - len(wanted) + 1))


def literal_parts(key: str) -> list[str]:
    """Returns the fixed parts of a key, as they must stand in the source: ``val/`` and ``/mean@``."""
    return [part for part in _PLACEHOLDER.split(key) if re.search(r"\w", part)]
