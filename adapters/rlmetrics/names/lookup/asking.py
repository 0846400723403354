"""What logged keys mean, in one source or in any."""

from __future__ import annotations

from collections.abc import Iterable

from ..meanings.view import open_view
from ..settings.configuration import Config
from ..tables.loading import load_tables
from ..tables.tables import Overlays, Tables
from .anywhere import resolve_anywhere
from .key_spelling import meant
from .lookup_records import Resolution

__all__ = ["AUTO", "resolve"]

AUTO = "auto"
"""In place of a source: find out which release logs these keys."""


def resolve(
    keys: str | Iterable[str],
    at: str = AUTO,
    *,
    config: Config = None,
    spec: Overlays | Tables = None,
) -> list[Resolution]:
    """Return what logged keys mean.

    Args:
        keys: One key or several, as the code logs them or as any tracker shows them.
        at: The source that logs them, such as ``verl==0.9.1``. By default one key has every meaning that any release
            gives it; of several the source is inferred, and if several sources explain them, all of these are meant.
        config: Values of configuration keys that differ from the release's defaults.
        spec: Folders with further YAML.

    Returns:
        For each key, in order, one record for each component that logs it. A key that the source does not log, but
        that is a name of a metric that it logs, or the last part of one key only, has the records of these. An
        unknown key has one record with ``metric=None``, a reason and the nearest known keys.

    Raises:
        NamesError: The source or a configuration key is unknown.
    """
    names = [keys] if isinstance(keys, str) else list(keys)
    tables = load_tables(spec)
    if at == AUTO:
        return resolve_anywhere(names, config=config, tables=tables)
    view = open_view(at, config=config, spec=tables)
    return [item for key in names for item in meant(view, key, config=config).found]
