"""What is known of a run from which its source follows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from rlmetrics.lazy_dataclasses import dataclass, field, replace
from rlmetrics.lazy_typing import Any

__all__ = ["Clues", "is_clock", "negative_in", "nonzero_in", "sunk_in"]

_OWN = re.compile(r"^(?:\w+/)?untranslated/(?P<framework>[A-Za-z][\w-]*?)-(?P<release>[0-9][^/]*)/(?P<key>.+)$")
"""A key that a translation set aside: it names what the log was before."""
_MANY, _NEARLY_ALL = 20, 0.9
"""Of how many values which share is no chance of a number that scatters about 0."""
_ROUNDING = 0.004
"""How far below 0 a number may be that can't be negative: bfloat16 rounds exp(x) - x - 1 to as little as -0.0039."""
_CLASS = re.compile(r"\b([A-Z]\w*Trainer)\.")
_EXTREMES = ("__MIN", "__MAX")
"""What W&B's own export puts after a key for the extremes of a stretch."""
_CLOCK = re.compile(
    r"(?:train/|eval/)?(?:_?step|global_step|_runtime|_timestamp|_wandb|epoch|timestamp|(?:wall_?)?time|index|name"
    r"|run|run_id|run_name|_run_id|relative_time|progress|percentage|elapsed_time|remaining_time|total_steps)",
    re.IGNORECASE,
)

_OF_MODELS = frozenset(
    {
        "bad_words_ids",
        "begin_suppress_tokens",
        "diversity_penalty",
        "do_sample",
        "early_stopping",
        "encoder_no_repeat_ngram_size",
        "exponential_decay_length_penalty",
        "length_penalty",
        "max_length",
        "min_length",
        "no_repeat_ngram_size",
        "num_beam_groups",
        "num_beams",
        "num_return_sequences",
        "repetition_penalty",
        "suppress_tokens",
        "temperature",
        "top_k",
        "top_p",
        "typical_p",
        "use_cache",
    }
)
"""Settings that the configuration of a model has, too: `PretrainedConfig` of transformers before 5.0."""


@dataclass(frozen=True, eq=False)
class Clues:
    """What is known of a run; the same for runs of which the same is known.

    Attributes:
        keys: What it logged, in whatever way a tracker shows it.
        whole: Whether these are all keys that it logged.
        kept: The only keys that the form of the log keeps, of whatever a trainer logs, each with its name there; None
            if it keeps all.
        installed: Releases of frameworks that were installed for certain when it began.
        named: Releases that something beside the log names, such as a model card, which may be that of a later run.
        settings: Names of settings that were recorded.
        settings_whole: Whether these are all settings that the trainer's class has.
        settings_beside: Names of settings that stand in files beside the log, which may be those of another run.
        tags: The tags of a model card beside the log: some may name the trainer, if another one names its framework.
        decimals: With how many decimals all of its numbers are printed; None if that is not one number, or not known.
        nonzero: Keys with a value that is not 0; None if values are not known.
        negative: Keys with a value below 0, farther than numbers are rounded; empty if values are not known.
        sunk: Those of them whose values are below 0 in nearly all of many rows.
        where: What recorded the settings, the tags, and the release of each package.
    """

    keys: tuple[str, ...]
    whole: bool = False
    kept: Mapping[str, str] | None = None
    installed: Mapping[str, str] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)
    settings: frozenset[str] = frozenset()
    settings_whole: bool = False
    settings_beside: frozenset[str] = frozenset()
    tags: tuple[str, ...] = ()
    decimals: int | None = None
    nonzero: frozenset[str] | None = None
    negative: frozenset[str] = frozenset()
    sunk: frozenset[str] = frozenset()
    where: Mapping[str, str] = field(default_factory=dict)

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, Clues) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    @cached_property
    def settings_of_trainer(self) -> frozenset[str]:
        """The recorded settings that only a trainer can have.

        Callbacks of transformers record the model's configuration, which has a ``model_type``, among the arguments.
        """
        return self.settings - _OF_MODELS if "model_type" in self.settings else self.settings

    @cached_property
    def _identity(self) -> tuple[Any, ...]:
        """All that an answer depends on."""
        sets = (
            self.keys,
            self.whole,
            None if self.kept is None else tuple(sorted(self.kept.items())),
            self.settings,
            self.settings_whole,
            self.settings_beside,
            self.tags,
        )
        return (
            *sets,
            *(tuple(sorted(item.items())) for item in (self.installed, self.named, self.where)),
            self.decimals,
            self.nonzero,
            self.negative,
            self.sunk,
        )

    def with_values(self, rows: Sequence[Mapping[str, Any]]) -> Clues:
        """Return these clues with what the values of some rows tell."""
        return replace(self, nonzero=nonzero_in(rows), negative=negative_in(rows), sunk=sunk_in(rows))

    def renamed(self, key_of: Callable[[str], str]) -> Clues:
        """Return these clues with what a function makes of each name for its key."""
        return replace(
            self,
            keys=tuple(map(key_of, self.keys)),
            nonzero=None if self.nonzero is None else frozenset(map(key_of, self.nonzero)),
            negative=frozenset(map(key_of, self.negative)),
            sunk=frozenset(map(key_of, self.sunk)),
        )

    @cached_property
    def logged(self) -> tuple[str, ...]:
        """The keys, but for those that say when a row was logged or of which run it is, and those set aside."""
        keys = (key for key in dict.fromkeys(self.keys) if not key.endswith(_EXTREMES))
        return tuple(key for key in keys if not _OWN.match(key) and not is_clock(key))

    @cached_property
    def set_aside(self) -> Mapping[str, int]:
        """How many keys a translation has set aside, by what the log was before, such as ``trl 0.18.2``."""
        found: dict[str, int] = {}
        for key in dict.fromkeys(self.keys):
            if match := _OWN.match(key):
                was = f"{match['framework']} {match['release']}"
                found[was] = found.get(was, 0) + 1
        return found

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Names of trainers' classes that stand in keys, such as ``profiling/Time taken: GRPOTrainer.compute_loss``."""
        return tuple(dict.fromkeys(name for key in self.keys for name in _CLASS.findall(key)))


def nonzero_in(rows: Iterable[Mapping[str, Any]]) -> frozenset[str] | None:
    """Return the keys of some rows that have a value other than 0; None where no value is known."""
    known = [(key, value) for row in rows for key, value in row.items() if isinstance(value, int | float)]
    return frozenset(key for key, value in known if value != 0) if known else None


def is_clock(name: str) -> bool:
    """Tell whether a name says when a row was logged, how far the run has come, or which run it is."""
    return _CLOCK.fullmatch(name) is not None


def negative_in(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the keys of some rows that have a value below 0, farther than numbers are rounded."""
    known = ((key, value) for row in rows for key, value in row.items() if isinstance(value, int | float))
    return frozenset(key for key, value in known if value < -_ROUNDING)


def sunk_in(rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Return the keys of some rows whose values are below 0 in nearly all of many."""
    sunk = set()
    for key in negative_in(rows):
        values = [value for row in rows if isinstance(value := row.get(key), int | float) and value != 0]
        below = sum(value < 0 for value in values)
        if below >= _MANY and below > _NEARLY_ALL * len(values):
            sunk.add(key)
    return frozenset(sunk)
