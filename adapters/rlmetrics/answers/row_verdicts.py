"""What the values of a row tell, for programs: a callback asks about the row that it is given."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import TYPE_CHECKING, Any
from rlmetrics.names.tables.loading import load_tables

from .asked_source import ask
from .judgement import LEVELS
from .pasted import Given, parse_value

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Overlays, Tables

__all__ = ["ValueVerdict", "judge"]


@dataclass(frozen=True, slots=True)
class ValueVerdict:
    """What one value of a row tells.

    Attributes:
        key: As logged.
        value: As given.
        source: The source that it is taken to be of, such as ``trl[GRPOTrainer]==1.16.0``.
        metric: Canonical name.
        level: ``plain``, ``expected``, ``info``, ``warning`` or ``error``.
        says: What it means.
        why: How it comes about; None where nothing is to be said.
        worry: What would make it a bad sign.
        watch: What to look at besides.
        rule: The rule of health or the property of the key that says so.
    """

    key: str
    value: Any
    source: str
    metric: str
    level: str
    says: str
    why: str | None = None
    worry: str | None = None
    watch: str | None = None
    rule: str | None = None


def judge(
    row: Mapping[str, Any],
    at: str | None = None,
    *,
    config: Mapping[str, Any] | None = None,
    spec: Overlays | Tables = None,
) -> list[ValueVerdict]:
    """Judge the values of one logged row, each by itself and beside the others.

    It looks at no row before; `rlmetrics.Monitor` judges how a run goes on.

    Args:
        row: Values by key: numbers, NumPy and PyTorch scalars, None, or numbers as text. What is no number is left out.
        at: The source that logs them; by default it is inferred from the keys.
        config: Settings of the run.
        spec: Folders with further YAML.

    Returns:
        A verdict for each value of a key that the source logs, the most serious first.

    Raises:
        NamesError: The source or a setting is unknown, or nothing explains the keys.
    """
    given = {
        key: number for key, value in row.items() if isinstance(key, str) and (number := _given(value)) is not None
    }
    if not given:
        return []
    verdicts: dict[str, ValueVerdict] = {}
    for item in ask(given, at, config, load_tables(spec)).values:
        if not item.judged:
            continue
        head, key = item.judged[0], item.found.key
        seen = verdicts.get(key)
        if seen is None or LEVELS.index(head.level) > LEVELS.index(seen.level):
            verdicts[key] = ValueVerdict(
                key=key,
                value=row[key],
                source=str(item.found.source),
                metric=str(item.found.metric),
                level=head.level,
                says=head.says,
                why=head.why,
                worry=head.worry,
                watch=head.watch,
                rule=head.rule,
            )
    return sorted(verdicts.values(), key=lambda verdict: -LEVELS.index(verdict.level))


def _given(value: object) -> Given | None:
    """Return a number; None for what is none."""
    if value is None or isinstance(value, str):
        return Given("null", None) if value is None else parse_value(value)
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:
        # An integer beyond all floats.
        number = math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except (TypeError, ValueError, RuntimeError):
        return None
    return Given(str(number), number)
