"""Which picture explains which metric: told by formulas and estimators, never by a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .clipping import Clipping, clipping_of
from .drawing import Say, as_given
from .estimators import Estimator, estimator_of
from .group_advantages import groups_of
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


PICTURES: Mapping[str, Callable[[Tables, str, Say, Say], Drawn]] = {
    "clipping": _clipping,
    "estimators": _estimators,
    "groups": _groups,
}
"""The pictures, the most telling first: each gives its drawing and caption for the metrics that it explains."""
