"""Reads what was typed into a search: the spelling in it, its words, and where it is asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rlmetrics.lazy_dataclasses import dataclass

from .spelling_distance import loose, words_of

__all__ = ["ASKED", "LITTLE", "Question", "read_question", "short_trainer"]

_LITTLE = (
    "what is a an the in on of my me does do did how why when which i it its for and or to be are was has have with as "
    "at by from between should can if s that this ok okay but up get gets go goes keep keeps always suddenly still "
    "healthy normal"
)
_ASKED = (
    "mean means meaning measure measured tell tells definition defined computed value number good bad range say says "
    "called log logs logged metric metrics curve key keys version release"
)
LITTLE = frozenset(_LITTLE.split())
"""Words that tell nothing of what is meant; the site's search has them from its index."""
ASKED = frozenset(_ASKED.split())
"""Words that say nothing within a question, but are words of names elsewhere."""
_QUESTION = re.compile(r"(?:what|how|why|when|which|is|are|does|do|can|should|where)\b", re.IGNORECASE)
_BEFORE = re.compile(r"^[\"'`“”‘’<(]+|[\"'`“”‘’>),;:?？。]+$")
_VALUE = re.compile(r"\s*[=:]\s*-?[\d.]+(?:e-?\d+)?%?$", re.IGNORECASE)
_RELEASE = re.compile(r"v?\d+(?:\.(?:\d+|x))+(?:\.?(?:post|rc|dev)\d+)?")
_BREAK = re.compile(r"[\s,;=\[\]()?？，。、]+")
_LED = re.compile(r"[a-z]+[:/](.+)", re.IGNORECASE)
_TRAINER = re.compile(r"(?:Trainer|Callback)$")


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked for.

    Attributes:
        asked: The text without quotes and values.
        plain: Its words.
        bare: Its words without what a tracker puts before names.
        led: Its words without what anybody puts before names.
        core: The name within a question.
        named: Tokens that are names whatever stands around them.
        rest: The words that tell what is meant.
        framework: The framework that was named.
        trainers: The trainers that were named.
        releases: The number of the release that was named, by framework.
        release: That release, as it was written.
    """

    asked: str
    plain: str
    bare: str | None
    led: str | None
    core: str | None
    named: tuple[str, ...]
    rest: tuple[str, ...]
    framework: str | None
    trainers: tuple[str, ...]
    releases: Mapping[str, int]
    release: str | None


def short_trainer(name: str) -> str:
    """Return what people call a class: ``grpo`` for ``GRPOTrainer``."""
    return _TRAINER.sub("", name.rpartition(".")[2]).lower()


def read_question(
    text: str, frameworks: Mapping[str, Sequence[str]], trainers: Mapping[str, str], prefixes: Sequence[str]
) -> Question:
    """Return what was asked.

    Args:
        text: What was typed.
        frameworks: Releases by framework.
        trainers: Classes by what they are called.
        prefixes: What trackers put before names, longer first.
    """
    asked = _VALUE.sub("", _BEFORE.sub("", text.strip()))
    is_question, has_blank = _QUESTION.match(asked) is not None, re.search(r"\s", asked) is not None

    def idle(word: str) -> bool:
        return has_blank and (word in LITTLE or (is_question and word in ASKED))

    words = [word for word in words_of(asked) if not idle(word)]
    tokens = _BREAK.split(asked.lower())
    framework, release, named_trainers, used = None, None, list[str](), set[str]()
    for token in tokens:
        if token in frameworks:
            framework = token
        elif token in trainers:
            named_trainers.append(trainers[token])
        elif _RELEASE.fullmatch(token):
            release = token
        else:
            continue
        used.update(words_of(token))
    releases: dict[str, int] = {}
    for name, numbers in frameworks.items():
        at = _release_at(numbers, release) if release and framework in (None, name) else None
        if at is not None:
            releases[name] = at
    plain = loose(asked)
    bare = next((plain[len(one) + 1 :] for one in prefixes if plain.startswith(f"{one} ")), None)
    led = _LED.match(asked) if bare is None else None
    rest = [word for word in words if word not in used]
    core = None
    if rest and len(rest) < len(words_of(asked)):
        left = [token for token in tokens if token and not idle(token) and not set(words_of(token)) <= used]
        core = loose(" ".join(left)) if left else None
    return Question(
        asked,
        plain,
        bare,
        loose(led[1]) if led else None,
        core,
        tuple(loose(token) for token in tokens if re.search(r"[/_]", token)) if has_blank else (),
        tuple(rest or words or words_of(asked)),
        framework,
        tuple(named_trainers),
        releases,
        release,
    )


def _release_at(names: Sequence[str], text: str) -> int | None:
    version = text.removeprefix("v").removesuffix(".x")
    found = None
    for at, name in enumerate(names):
        if name == version:
            return at
        if name.startswith(f"{version}."):
            found = at
    return found
