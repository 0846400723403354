"""Names as tables of notebooks and model cards show them: ``Training Loss``, ``rewards / chosen``, ``Rewards/chosen``.

Source: `NotebookProgressCallback` and `parse_log_history` of transformers, which leave out ``eval_`` and begin words
with a capital, and `NotebookProgressCallback_on_log` of unsloth_zoo, which puts blanks around slashes.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["EPOCH", "NOTHING", "STATISTICS", "STEP", "SUMMED_UP", "are_shown", "is_summary", "logged_key", "shown_like"]

_TRAINED, _EVALUATED = "Training Loss", "Validation Loss"
STEP, EPOCH = "Step", "Epoch"
NOTHING = frozenset({"", "No log", "No Log"})
"""What a cell says where nothing was logged."""
_KEYS = {_TRAINED: "loss", _EVALUATED: "eval_loss", STEP: "step", EPOCH: "epoch"}
_TITLES = {"loss": _TRAINED, "eval_loss": _EVALUATED}
STATISTICS = frozenset({"count", "mean", "std", "min", "max"})
"""Labels of the rows that ``df.describe()`` always has for columns of numbers."""
SUMMED_UP = "is what df.describe() says of a run: counts, means and quantiles, not what was logged; give the log itself"
_SLASH = " / "
_EVAL = "eval_"


def are_shown(titles: Iterable[str]) -> bool:
    """Tell whether titles are those of such a table, of which each has a loss or blanks around a slash."""
    return any(title in (_TRAINED, _EVALUATED) or _SLASH in title for title in titles)


def is_summary(labels: Iterable[str]) -> bool:
    """Tell whether the labels of rows, or of columns, are those of ``df.describe()``."""
    return {*labels} >= STATISTICS


def logged_key(title: str) -> str:
    """Return the key that a title stands for; capitals in an evaluated key are lost."""
    if title in _KEYS:
        return _KEYS[title]
    if _SLASH in title:
        return title.replace(_SLASH, "/")
    words = title.split(" ")
    if title[:1].isupper() and all(word == word.capitalize() for word in words):
        return _EVAL + "_".join(word.lower() for word in words)
    return title


def shown_like(key: str, title: str) -> str:
    """Return how a table shows a key in the place of a title, so that it is read as that key."""
    shown = [_TITLES.get(key, ""), key.replace("/", _SLASH) if "/" in key and key not in _TITLES else ""]
    if key.startswith(_EVAL) and title[:1].isupper():
        shown.insert(1, " ".join(part.capitalize() for part in key.removeprefix(_EVAL).split("_")))
    return next((one for one in shown if one and logged_key(one) == key), key)
