"""Names and health of metrics in frames: pandas, Polars, PyArrow, DuckDB, and what else Narwhals takes.

A frame has a column for each key, or a row for each number. What comes back is of the same library, and lazy where the
frame was. It needs ``pip install "rlmetrics[frames]"``.
"""

from __future__ import annotations

from rlmetrics.lazy_imports import lazily

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .frame_health import check
    from .frame_translation import translate

__all__ = ["check", "translate"]

__getattr__, __dir__ = lazily(globals(), frame_health=("check",), frame_translation=("translate",))
