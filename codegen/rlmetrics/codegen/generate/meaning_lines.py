"""What each key means in which releases, in plain lines: the difference of two versions is the review of a change.

Notes and guides are left out; they change no meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..meaning import FrameworkScope, SpecPiece, scope_of
from ..output.prose import header
from ..output.store import Output
from ..spec import Spec

__all__ = ["FOLDER", "emit"]

FOLDER = "generated/meanings"

_UNSAID = frozenset({"notes", "documented", "reads", "at", "bind"})
_ONE_BY_ONE = frozenset({"traits", "constant_when", "without", "fails", "logged_when"})
_WORDS = {"logged_when": "logged when", "traits": "trait", "constant_when": "constant", "fails": "never:"}


def emit(spec: Spec) -> Iterator[Output]:
    """Yield a text for each component."""
    for name, framework in spec.frameworks.items():
        scope = scope_of(framework)
        for stem, file in framework.files.items():
            if file.components:
                source = f"spec/frameworks/{name}/{stem}.yaml"
                text = f"# {header(source)}\n{''.join(_lines(scope, stem))}"
                yield Output(f"{FOLDER}/{name}/{stem}.txt", text, source)


def _lines(scope: FrameworkScope, stem: str) -> Iterator[str]:
    keys: dict[tuple[str, str], dict[str, int]] = {}
    covered: dict[tuple[str, str], int] = {}
    for item in scope.component(stem).resolved:
        place = item.key, item.mode
        covered[place] = covered.get(place, 0) | item.releases
        said = keys.setdefault(place, {})
        for piece in (item.record, *item.facts):
            for text in _said(scope, stem, piece):
                said[text] = said.get(text, 0) | item.releases
    # A key says in one line what it says in each mode alike.
    for (key, mode), said in keys.items():
        releases = covered[key, mode]
        yield f"\n{key} ({mode}) {_spans(scope, releases)}\n"
        for text, where in sorted(said.items(), key=lambda one: (one[1] != releases, one[0])):
            yield f"  {text}\n" if where == releases else f"  {_spans(scope, where)}  {text}\n"


def _said(scope: FrameworkScope, stem: str, piece: SpecPiece) -> Iterator[str]:
    when = "" if piece.when is None else f"if {piece.when}: "
    says: dict[str, Any] = {name: value for name, value in piece.says.items() if name not in _UNSAID}
    if "profile" in says:
        profile = scope.profile(stem, piece.stem, says.pop("profile"))
        fields = {name: getattr(profile, name) for name in profile.model_fields_set - {"brief", "releases"}}
        reduction = {**fields.pop("reduction", {}), **says.pop("reduction", {})}
        says = {**fields, **says, **({"reduction": reduction} if reduction else {})}
    for name in sorted(says):
        value = says[name]
        word = _WORDS.get(name, name.replace("_", " "))
        if name in _ONE_BY_ONE:
            yield from (f"{when}{word} {each}" for each in value)
        elif isinstance(value, Mapping):
            yield f"{when}{word} {', '.join(f'{key} {item}' for key, item in value.items())}"
        else:
            yield f"{when}{word} {value}"


def _spans(scope: FrameworkScope, releases: int) -> str:
    return ", ".join(scope.releases.ranges(releases))
