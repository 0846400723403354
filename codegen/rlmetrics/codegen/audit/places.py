"""Where keys come from: lines of a release, and the ways that a key took."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["CodePlace", "KeyOrigin", "SourceLine"]


@dataclass(frozen=True)
class SourceLine:
    """A line of a release: path in the package, line, and the class and function around it."""

    path: str
    line: int
    symbol: str


@dataclass(frozen=True)
class CodePlace:
    """Where something happens: the line, and the call that led to the function."""

    site: SourceLine
    called_from: SourceLine | None = None


@dataclass(frozen=True)
class KeyOrigin:
    """Where a key comes from: its literal, the value written under it, and the places that it went through."""

    site: SourceLine
    expression: str
    via: tuple[SourceLine, ...] = ()

    def passed_through(self, place: CodePlace) -> KeyOrigin:
        """Return the origin after the key was copied or renamed at another place."""
        sites = [site for site in (place.site, place.called_from) if site is not None]
        return replace(self, via=tuple(dict.fromkeys((*self.via, *(site for site in sites if site != self.site)))))
