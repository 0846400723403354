"""Which picture explains which metric: told by formulas, estimators and how keys are reduced, never by a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from .clipping import Clipping, clipping_of
from .drawing import Say, as_given, number
from .estimators import Estimator, estimator_of
from .groups import groups_of
from .mean_pictures import means_of
from .picture_values import formula_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["PICTURES", "Picture", "pictures_of"]


@dataclass(frozen=True)
class Picture:
    """A picture that explains a metric.

    Attributes:
        kind: Which one, a name of `PICTURES`.
        svg: The drawing.
        caption: What to see in it, sentence by sentence.
    """

    kind: str
    svg: str
    caption: Sequence[str]


_COUNTED = ("padding_counted", "padding_summed")


def pictures_of(tables: Tables, metric: str, plain: Say = as_given, t: Say = as_given) -> Iterator[Picture]:
    """Yield the pictures that explain a metric, the most telling first.

    Args:
        tables: The spec.
        metric: Its canonical name.
        plain: Gives texts in the language of the page, for within the drawings.
        t: Gives sentences in it, for below them.
    """
    for kind, draw in PICTURES.items():
        found = draw(tables, metric, plain, t)
        if found is not None:
            svg, caption = found
            yield Picture(kind, svg, caption)


Drawn = tuple[str, Sequence[str]] | None


def _clipping(tables: Tables, metric: str, plain: Say, t: Say) -> Drawn:
    found = clipping_of(tables, metric)
    return None if found is None else (found.draw(plain, "picture-clipping"), [_of_clipping(found, t)])


def _of_clipping(clipping: Clipping, t: Say) -> str:
    bounds = ", ".join(map(clipping.mark, clipping.edges))
    if clipping.counted is None:
        return t(
            "The objective of one token by its probability ratio, with bounds {bounds}. Clipping makes it flat on one "
            "side: there a token has no gradient. On the other side it keeps its slope, which pulls the ratio back.",
            bounds=bounds,
        )
    return t(
        "The objective of one token by its probability ratio, with bounds {bounds}. A token has no gradient where the "
        "line is flat. Shaded is what this metric counts; filled dots are tokens that count.",
        bounds=bounds,
    )


def _estimators(tables: Tables, metric: str, plain: Say, t: Say) -> Drawn:
    found = estimator_of(tables, metric)
    return None if found is None else (found.draw(plain, "picture-estimators"), _of_estimators(found, tables, t))


def _of_estimators(estimator: Estimator, tables: Tables, t: Say) -> list[str]:
    said = [
        t(
            "k1 and k3 are right on average over tokens of {policy}; k2 is a little off, the more the further the "
            "policies are apart. k1 can be negative, k2 and k3 cannot. A single token that became far likelier can "
            "make k3 alone.",
            policy=t(str(tables.signatures["WORDS"]["snapshots"][estimator.policies[0]])),
        ),
        t("The table is of four tokens, each as often as that policy writes it."),
    ]
    if estimator.policies[0] == "current":
        said.insert(
            1,
            t("Here they were sampled before the update, so that is exact on the first step of a batch only."),
        )
    if estimator.own == "abs":
        said.append(t("abs estimates no divergence: it is larger than one and does not cancel."))
    return said


def _groups(tables: Tables, metric: str, plain: Say, t: Say) -> Drawn:
    formula = formula_of(tables, metric)
    found = groups_of(tables)
    if formula is None or found is None:
        return None
    quantity = tables.metrics[metric].get("identity", {}).get("quantity")
    spread = "group_std(rewards" in formula.words.replace(" ", "")
    advantage = quantity == "advantage" and set(formula.inputs) == {"sequence_advantages"}
    if not (spread or advantage):
        return None
    caption = t(
        "The advantage of a response is its reward less the mean of its group, over the standard deviation of the "
        "group. Where all responses to a prompt earn the same, nothing is left: the second group teaches nothing."
    )
    return found.draw(plain, "picture-groups"), [caption]


def _padding(tables: Tables, metric: str, plain: Say, t: Say) -> Drawn:
    found = means_of(tables, metric)
    if found is None or metric not in _reduced(tables)["padding"]:
        return None
    caption = t(
        "Some releases take the mean over every position of the padded tensor, so that what stands in the padding "
        "counts, the more the shorter responses are. The example is {metric}, which has {value} there and is drawn "
        "towards it.",
        metric=found.metric,
        value=number(found.filled),
    )
    return found.draw_padding(plain, "picture-padding"), [caption]


def _parts(tables: Tables, metric: str, plain: Say, t: Say) -> Drawn:
    found = means_of(tables)
    levels = _reduced(tables)["parts"].get(metric)
    if found is None or not levels:
        return None
    caption = t(
        "Some releases average the means of parts, here {parts}: then a short part weighs as much as a long one. "
        "Pooled, every token weighs the same, and the parts do not matter. The values are those of {metric}.",
        parts=", ".join(plain(tables.levels[level].parts) for level in levels),
        metric=found.metric,
    )
    return found.draw_parts(plain, "picture-parts"), [caption]


PICTURES: Mapping[str, Callable[[Tables, str, Say, Say], Drawn]] = {
    "clipping": _clipping,
    "estimators": _estimators,
    "groups": _groups,
    "padding": _padding,
    "parts": _parts,
}
"""The pictures, the most telling first: each gives its drawing and caption for the metrics that it explains."""


@lru_cache(maxsize=4)
def _reduced(tables: Tables) -> Mapping[str, Any]:
    """Return the metrics that some key dilutes by padding, and those that one takes as a mean of means of parts."""
    populations = tables.signatures["POPULATIONS"]
    uneven = [level.name for level in tables.levels.values() if level.uneven]
    padding: dict[str, None] = {}
    parts: dict[str, dict[str, None]] = {}
    for said in _statements(tables):
        metric = said.get("metric")
        if metric is None or tables.texts.get(metric, {}).get("atom") != "token":
            continue
        if not str(tables.texts[metric].get("formula", "")).startswith("mean("):
            continue
        traits = populations[said["population"]][2] if "population" in said else ()
        if any(trait in _COUNTED for trait in (*traits, *said.get("traits", ()))):
            padding[metric] = None
        levels = [level for level in uneven if said.get("reduction", {}).get(level) == "mean"]
        if levels:
            parts.setdefault(metric, {}).update(dict.fromkeys(levels))
    ordered = {metric: [level for level in uneven if level in found] for metric, found in parts.items()}
    return {"padding": padding, "parts": ordered}


def _statements(tables: Tables) -> Iterator[Mapping[str, Any]]:
    """Yield what every record says together with the facts that always hold, once for equal ones."""
    for framework in tables.frameworks:
        table = tables.framework(framework)
        for stem in dict.fromkeys(stem for _, stem, _, _ in table.components):
            component = table.component(stem)
            seen = set()
            for row in component.rows:
                if row.place not in seen:
                    seen.add(row.place)
                    always = tuple(place for place, fact in enumerate(row.facts) if not fact.get("when"))
                    yield component.combined(row, always)
