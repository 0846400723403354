"""The picture of the architecture: parts of the package in layers, an arrow from each to what it imports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .drawing import label, rect

__all__ = ["LAYERS", "UPWARDS", "Part", "arrows", "draw", "part_of"]


class Part(NamedTuple):
    """A box of the picture.

    Attributes:
        name: What stands in it.
        says: What it does, in a few words.
        across: Where its middle is, from 0 at the left to 1 at the right.
        packages: Packages and modules below ``rlmetrics`` that it stands for.
    """

    name: str
    says: str
    across: float
    packages: tuple[str, ...]


def _part(name: str, says: str, across: float, *packages: str) -> Part:
    return Part(name, says, across, packages or (name,))


_GENERATE = ("codegen.generate", "codegen.linted", "codegen.fixing", "codegen.renaming")
_FUNCTIONS = ("functional", "suites", "handwritten", "advantages", "logprobs")
_READ = (
    "loader",
    "model",
    "spec",
    "findings",
    "excerpts",
    "catalog",
    "releases",
    "translations",
    "cache",
    "output",
    "judged_lock",
)

LAYERS: Sequence[Sequence[Part]] = (
    (_part("cli", "the command line", 0.5),),
    (_part("site", "pages and pictures", 0.64, "codegen.site"),),
    (
        _part("trainers", "in running trainers", 0.1),
        _part("judge", "sentences on steps", 0.37, "codegen.judge"),
        _part("generate", "every generated file", 0.64, *_GENERATE),
        _part("releasing", "a new release", 0.9, "codegen.releasing"),
    ),
    (
        _part("trackers", "names, alerts live", 0.1),
        _part("answers", "answers in sentences", 0.35),
        _part("lint", "checks of the spec", 0.73, "codegen.lint"),
    ),
    (
        _part("tables", "what run time reads", 0.57, "codegen.tables"),
        _part("audit", "keys in a source", 0.9, "codegen.audit"),
    ),
    (
        _part("translate", "copies, other names", 0.1),
        _part("dashboards", "made from the spec", 0.3),
        _part("health", "rules and diagnoses", 0.5),
        _part("sizes", "of differences", 0.7, "codegen.sizes"),
        _part("locks", "proofs", 0.9, "codegen.locks"),
    ),
    (_part("reproduction", "numbers as logged", 0.5),),
    (
        _part("functions", "metrics and suites", 0.4, *_FUNCTIONS),
        _part("formula", "the compiler", 0.66, "codegen.formula"),
        _part("meaning", "of each key", 0.9, "codegen.meaning", "codegen.explained"),
    ),
    (
        _part("logs", "kinds, files, rows", 0.1),
        _part("state", "parts of a number", 0.52),
        _part("spec", "read as typed data", 0.8, *(f"codegen.{name}" for name in _READ)),
    ),
    (_part("wording", "words for answers", 0.3),),
    (_part("names", "meanings, relations", 0.3),),
    (_part("base", "data, references", 0.3, "tables", "lazy_imports", "lazy_dataclasses", "lazy_typing", "oracle"),),
)
"""Parts from the top to the bottom: each imports parts of lower layers only."""

UPWARDS = {"rlmetrics.names.tables.overlays": ("tables", "lint", "spec"), "rlmetrics.state.fusing": ("formula",)}
"""Modules that reach up, and to which parts: inside functions, and only for overlays and suites made at run time."""

_WIDTH, _ROW, _HEIGHT, _BOX, _TOP = 720, 76, 38, 126, 8
_STYLE = """<style>
svg{color:#1f2328;--rlm-mute:#59636e;--rlm-line:#8c959f;--rlm-band:#0969da1f;--rlm-a:#0969da;--rlm-back:#fff}
@media (prefers-color-scheme:dark){
svg{color:#e6edf3;--rlm-mute:#9198a1;--rlm-line:#6e7681;--rlm-band:#4493f829;--rlm-a:#4493f8;--rlm-back:#0d1117}}
</style>"""


def part_of(module: str) -> str | None:
    """Return the part that a module of the package belongs to; None for what no part names."""
    parts = module.split(".")[1:]
    for length in (2, 1):
        package = ".".join(parts[:length])
        for part in (part for layer in LAYERS for part in layer):
            if package in part.packages:
                return part.name
    return None


def arrows(imports: Mapping[str, frozenset[str]]) -> dict[tuple[str, str], bool]:
    """Return from which part to which there are imports, and whether they only reach up from `UPWARDS`."""
    found: dict[tuple[str, str], bool] = {}
    for module, targets in imports.items():
        for target in targets:
            first, second = part_of(module), part_of(target)
            if first is not None and second is not None and first != second:
                reaches = second in UPWARDS.get(module, ())
                found[first, second] = found.get((first, second), True) and reaches
    return found


def draw(imports: Mapping[str, frozenset[str]]) -> str:
    """Return the picture of these imports.

    Args:
        imports: For each module those that it imports.
    """
    made = arrows(imports)
    down = {pair for pair, reaches in made.items() if not reaches}
    height = _TOP * 2 + _ROW * (len(LAYERS) - 1) + _HEIGHT
    boxes = dict(_boxes())
    lines = [_arrow(boxes, pair, _look(pair, down)) for pair in sorted(made)]
    drawn = [piece for part, (x, y) in boxes.items() for piece in _box(part, x, y)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" font-size="12" '
        'font-family="system-ui,sans-serif" aria-labelledby="t d"><title id="t">Who imports whom</title>'
        '<desc id="d">Parts of the package in layers. Arrows go from each part down to the parts that it imports; '
        f"two dashed kinds go up.</desc>{_STYLE}{''.join((*lines, *drawn))}</svg>\n"
    )


def _boxes() -> Iterator[tuple[Part, tuple[float, float]]]:
    """Yield the parts with the places of their boxes."""
    for row, layer in enumerate(LAYERS):
        for part in layer:
            yield part, (_WIDTH * part.across - _BOX / 2, _TOP + row * _ROW)


def _box(part: Part, x: float, y: float) -> Iterator[str]:
    yield rect(x, y, _BOX, _HEIGHT, "paper", edge="line")
    yield rect(x, y, _BOX, _HEIGHT, "band")
    yield label(x + _BOX / 2, y + 16, part.name, "fg", at="middle", bold=True)
    yield label(x + _BOX / 2, y + 31, part.says, at="middle", size=10.5)


def _look(pair: tuple[str, str], down: set[tuple[str, str]]) -> str:
    """Return how an arrow is drawn: what other arrows lead to anyhow is faint, what goes up is dashed."""
    if pair not in down:
        return 'stroke="var(--rlm-a)" stroke-dasharray="4 3" stroke-width="1.4"'
    if any((pair[0], other) in down and pair[1] in _reached(other, down) for other in {second for _, second in down}):
        return 'stroke="var(--rlm-line)" stroke-width=".7" stroke-opacity=".45"'
    return 'stroke="currentColor" stroke-width="1.3"'


def _reached(start: str, down: set[tuple[str, str]]) -> set[str]:
    found: set[str] = set()
    left = [start]
    while left:
        one = left.pop()
        more = {second for first, second in down if first == one} - found
        found |= more
        left += more
    return found


def _arrow(boxes: Mapping[Part, tuple[float, float]], pair: tuple[str, str], look: str) -> str:
    (x1, y1), (x2, y2) = (next(place for part, place in boxes.items() if part.name == name) for name in pair)
    below = y2 > y1
    start, end = (y1 + _HEIGHT, y2) if below else (y1, y2 + _HEIGHT)
    a, b, bend, tip = x1 + _BOX / 2, x2 + _BOX / 2, (end - start) / 2, 5 if below else -5
    course = f"M{a:g} {start:g}C{a:g} {start + bend:g} {b:g} {end - bend:g} {b:g} {end:g}"
    head = f"m-3.5 {-tip:g}l3.5 {tip:g}l3.5 {-tip:g}"
    return f'<path data-from="{pair[0]}" data-to="{pair[1]}" d="{course}{head}" fill="none" {look}/>'
