"""What all pages are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rlmetrics.names.tables.tables import Tables

from ..generate.functions import ComputeFunction
from ..spec import Spec
from .guides import GuidePage
from .texts import ENGLISH, Texts

__all__ = ["Site"]


@dataclass(frozen=True)
class Site:
    """What pages are made from.

    Attributes:
        spec: What the YAML files say: formulas, briefs, rules.
        functions: The compute functions by family.
        tables: The resolved meanings, as every answer of the command line reads them.
        texts: The language of the pages.
        guides: The pages in that language that people write.
    """

    spec: Spec
    functions: Mapping[str, Sequence[ComputeFunction]]
    tables: Tables
    texts: Texts = ENGLISH
    guides: Sequence[GuidePage] = ()
