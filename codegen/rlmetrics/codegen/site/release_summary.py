"""What a release changed, in its first sentences and for each trainer that it touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from rlmetrics.names import DiffResult
from rlmetrics.names.upgrades.diff_records import ChangedKey, ListedKey, RenamedKey

from .lists import Lists
from .release_steps import WORST_FIRST
from .texts import Texts

__all__ = ["TouchedComponent", "release_lead", "touched_components"]


class TouchedComponent(NamedTuple):
    """A trainer with how many of its training keys changed, and where its users read on."""

    name: Markup
    counts: list[tuple[str, int]]
    added: int
    removed: int
    quiet: bool
    move: str | None


def release_lead(found: DiffResult, lists: Lists, texts: Texts) -> list[Markup]:
    """Return the first sentences: how much changed, in training."""
    t = texts.t
    apart = {*found.begun, *found.ended}
    changed = [item for item in found.changed if item.mode == "train" and not item.bookkeeping]
    heavy = [item for item in changed if item.severity in ("look-alike", "biased")]
    said = []
    if heavy:
        trainers = len({item.component for item in heavy})
        keys = len({(item.component, item.key) for item in heavy})
        said.append(
            t(
                "{count} key of {trainers} kept its name and is another number.",
                count=keys,
                trainers=lists.units(trainers),
            )
            if keys == 1
            else t(
                "{count} keys of {trainers} kept their names and are other numbers.",
                count=keys,
                trainers=lists.units(trainers),
            )
        )
    elif changed:
        said.append(t("No key that kept its name became another number; some differ a little."))
    else:
        said.append(t("Every key that kept its name means what it meant."))
    for count, one, several in (
        (_training(found.renamed, apart), "{count} has another name.", "{count} have other names."),
        (_training(found.removed, apart), "{count} is gone.", "{count} are gone."),
        (_training(found.added, apart), "{count} is new.", "{count} are new."),
    ):
        if count:
            said.append(t(one if count == 1 else several, count=count))
    return said


def touched_components(
    found: DiffResult, lists: Lists, order: Sequence[str], moves: Mapping[str, str]
) -> Iterator[TouchedComponent]:
    """Yield every component of which something changed.

    Args:
        found: What changed.
        lists: The lists of the page.
        order: The order of the components.
        moves: The pages of their migrations.
    """
    names = dict.fromkeys(
        [item.component for items in (found.changed, found.removed, found.added) for item in items]
        + [item.to_component for item in found.renamed]
    )
    for name in sorted(names, key=lambda name: order.index(name)):
        counts = [(severity, _changed(found.changed, name, severity)) for severity in WORST_FIRST]
        added, removed = (
            sum(item.component == name and item.mode == "train" for item in items)
            for items in (found.added, found.removed)
        )
        told = [(severity, count) for severity, count in counts if count]
        quiet = not (told or added or removed) and all(item.to_component != name for item in found.renamed)
        yield TouchedComponent(lists.trainer(name), told, added, removed, quiet, moves.get(name))


def _changed(items: Sequence[ChangedKey], component: str, severity: str) -> int:
    return sum(item.component == component and item.severity == severity and item.mode == "train" for item in items)


def _training(items: Sequence[ListedKey | RenamedKey], apart: set[str]) -> int:
    return sum(item.mode == "train" and item.component not in apart for item in items)
