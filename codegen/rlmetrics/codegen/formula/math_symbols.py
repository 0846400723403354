"""What inputs, parameters and names look like in mathematics."""

from __future__ import annotations

from typing import Final

from .boxes import Box, MarkBox, RowBox, Sub, WordBox

__all__ = ["definition_name", "symbol"]

_SYMBOLS: Final = {
    "advantages": "A",
    "lengths": "ℓ",
    "logits": "z",
    "mask": "M",
    "returns": "R",
    "rewards": "r",
    "scores": "s",
    "tokens": "y",
    "values": "V",
}
_GREEK: Final = {
    "alpha": "α",
    "beta": "β",
    "delta": "δ",
    "epsilon": "ε",
    "gamma": "γ",
    "kappa": "κ",
    "lam": "λ",
    "mu": "μ",
    "rho": "ρ",
    "tau": "τ",
}
_POLICIES: Final = ("old", "ref", "rollout")
"""Prefixes of inputs that belong to another policy than the current one."""


def symbol(name: str) -> Box:
    """Return the symbol of an input or parameter: ``old_logprobs`` is log π with the index old."""
    policy, _, rest = name.partition("_")
    if policy in _POLICIES and rest:
        if rest == "logprobs":
            return _log_pi(WordBox(policy))
        return Sub(symbol(rest), WordBox(policy))
    if name == "logprobs":
        return _log_pi(WordBox("θ"))
    if name in _SYMBOLS:
        return WordBox(_SYMBOLS[name])
    head, _, index = name.partition("_")
    if head in _GREEK:
        return Sub(WordBox(_GREEK[head]), WordBox(index.replace("_", " "))) if index else WordBox(_GREEK[head])
    return definition_name(name)


def definition_name(name: str) -> Box:
    """Return a name of the spec as words."""
    return WordBox(name.replace("_", " ").strip())


def _log_pi(policy: Box) -> Box:
    return RowBox([WordBox("log"), MarkBox("\u2061"), Sub(WordBox("π"), policy)])
