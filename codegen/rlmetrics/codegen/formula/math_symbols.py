"""What inputs, parameters and names look like in mathematics."""

from __future__ import annotations

from typing import Final

from .mathml import Box, mark, row, sub, word

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
            return _log_pi(word(policy))
        return sub(symbol(rest), word(policy))
    if name == "logprobs":
        return _log_pi(word("θ"))
    if name in _SYMBOLS:
        return word(_SYMBOLS[name])
    head, _, index = name.partition("_")
    if head in _GREEK:
        return sub(word(_GREEK[head]), word(index.replace("_", " "))) if index else word(_GREEK[head])
    return definition_name(name)


def definition_name(name: str) -> Box:
    """Return a name of the spec as words."""
    return word(name.replace("_", " ").strip())


def _log_pi(policy: Box) -> Box:
    return row(word("log"), mark("\u2061"), sub(word("π"), policy))
