"""The likeliest source of some keys, as a text."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping

from ..settings.configuration import Config
from ..tables.tables import Overlays, Tables
from ..tables.user_errors import FallbackWarning, NamesError
from .answer import find_source
from .run_clues import Clues
from .wording import source_line, unknown_line

__all__ = ["infer_source"]


def infer_source(
    keys: Iterable[str],
    *,
    releases: Mapping[str, str] | None = None,
    settings: Collection[str] = (),
    whole: bool = False,
    config: Config = None,
    spec: Overlays | Tables = None,
) -> str:
    """Return the likeliest source of some keys, its newest release where several are left.

    `find_source` says what else it may be, and why.

    Args:
        keys: Logged keys, in whatever way a tracker shows them.
        releases: What the metadata of a run says about installed frameworks, such as ``{"trl": "0.18.2"}``.
        settings: Names of all fields of the dataclass that configured the trainer, if the run recorded them.
        whole: Whether these are all keys that a run logged, so that what is missing tells something, too.
        config: Values of settings that are known.
        spec: Folders with further YAML.

    Returns:
        A source such as ``trl[GRPOTrainer]==1.16.0``. A `FallbackWarning` names the other candidates, if there are any.

    Raises:
        NamesError: These are keys of no described source.
    """
    recorded = frozenset(settings)
    clues = Clues(
        tuple(keys),
        whole=whole,
        installed=dict(releases or {}),
        settings=recorded | frozenset(config or {}),
        settings_whole=bool(recorded),
    )
    answer = find_source(clues, spec)
    if answer.source is None:
        raise NamesError(unknown_line(answer))
    if not answer.is_single:
        warnings.warn(source_line(answer), FallbackWarning, stacklevel=2)
    return answer.source
