"""The digest of all that checks look at which do not look at what is written for readers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..cache import kept, lines_of
from ..loader.yaml_parser import parse
from .digests import digest

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["definitions_digest"]

_PROSE = frozenset({"title", "brief", "description"})
_EXAMPLES = "tests/fixtures/hand_computed"


def definitions_digest(spec: Spec) -> str:
    """Return the digest of a spec without translations, and without titles, briefs and descriptions of metrics.

    Where the spec holds no metrics, what files say of any does not count either.
    """
    # Prose that is wrong takes its metric with it.
    read = [*spec.metrics], [*spec.families], {kind: sorted(names) for kind, names in spec.unread.items()}
    return digest(read, [str(overlay) for overlay in spec.overlays], list(_lines(spec)))


def _lines(spec: Spec) -> Iterator[str]:
    yield from lines_of(spec.root.parent, _EXAMPLES, (".yaml",))
    for number, folder in enumerate((spec.root, *spec.overlays)):
        for line in lines_of(folder, "", (".yaml", ".yml", ".lock")):
            label = line.partition("\0")[0]
            if label.startswith("metrics/") and not spec.families:
                continue
            if label.startswith("metrics/") and (folder / label).is_file():
                yield f"{number}/{label}\0{_definitions((folder / label).read_bytes())}"
            elif not label.startswith("texts/"):
                yield f"{number}/{line}"


def _definitions(content: bytes) -> str:
    """Return the digest of a file of metrics without its prose."""

    def found() -> str:
        data = parse(content, "")[0].data
        if not isinstance(data, dict):
            return digest(content)
        metrics = data.get("metrics")
        if isinstance(metrics, dict):
            data["metrics"] = [(name, _without_prose(metric)) for name, metric in metrics.items()]
        return digest(_without_prose(data))

    return kept("definitions", (content,), found)


def _without_prose(data: Any) -> Any:
    # With the order of the file, which decides what is told first.
    return [item for item in data.items() if item[0] not in _PROSE] if isinstance(data, dict) else data
