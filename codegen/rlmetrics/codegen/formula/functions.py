"""The table of functions: everything a formula can call, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["FUNCTIONS", "Function"]

Family = Literal["elementwise", "choice", "broadcast", "vocab", "sequence", "group", "reduction", "pair", "histogram"]


@dataclass(frozen=True)
class Function:
    """One function of the language.

    Attributes:
        name: What a formula calls it.
        family: How its operands are checked.
        arguments: Its positional arguments.
        keywords: Its optional keyword arguments.
        required: Its keyword arguments that must be given.
        brief: What it computes, for the documentation.
    """

    name: str
    family: Family
    arguments: tuple[str, ...]
    keywords: tuple[str, ...]
    required: tuple[str, ...]
    brief: str

    @property
    def usage(self) -> str:
        """How a call looks."""
        words = [*self.arguments, *(f"{keyword}=…" for keyword in (*self.required, *self.keywords))]
        return f"{self.name}({', '.join(words)})"


def _table(
    family: Family, arguments: str, keywords: str, briefs: dict[str, str], required: str = ""
) -> dict[str, Function]:
    return {
        name: Function(name, family, tuple(arguments.split()), tuple(keywords.split()), tuple(required.split()), brief)
        for name, brief in briefs.items()
    }


FUNCTIONS: Final[dict[str, Function]] = {
    **_table(
        "elementwise",
        "x",
        "",
        {
            "exp": "e to the power of x",
            "log": "natural logarithm",
            "log1p": "log(1 + x), exact near zero",
            "expm1": "exp(x) - 1, exact near zero",
            "sqrt": "square root",
            "abs": "absolute value",
            "sign": "-1, 0 or 1",
            "square": "x times x",
            "sigmoid": "1 / (1 + exp(-x))",
            "log_sigmoid": "logarithm of the sigmoid, exact for large |x|",
            "is_finite": "true where x is neither NaN nor infinite",
        },
    ),
    **_table("elementwise", "x y", "", {"minimum": "the smaller of the two", "maximum": "the greater of the two"}),
    **_table("elementwise", "x low high", "", {"clamp": "x moved into the range from low to high"}),
    **_table("choice", "condition x y", "", {"where": "x where the condition holds, else y"}),
    **_table(
        "broadcast",
        "x",
        "",
        {
            "per_token": "a sequence value, repeated for each of its tokens",
            "per_sequence": "a group value, repeated for each of its sequences",
            "per_vocab": "a token value, repeated for each entry of the vocabulary",
        },
    ),
    **_table(
        "vocab",
        "logits",
        "",
        {
            "entropy": "entropy of the distribution that the logits stand for, in nats",
            "logsumexp": "logarithm of the sum of exponentials over the vocabulary",
            "sum_vocab": "sum over the vocabulary",
            "softmax": "probabilities over the vocabulary",
            "log_softmax": "log-probabilities over the vocabulary",
        },
    ),
    **_table(
        "vocab",
        "logits tokens",
        "",
        {
            "log_prob": "log-probability of each token, in nats",
            "argmax_equals": "true where the token is the most likely one",
        },
    ),
    **_table(
        "sequence",
        "x",
        "over",
        {
            "seq_sum": "sum over the tokens of each sequence",
            "seq_mean": "mean over the tokens of each sequence",
            "seq_min": "minimum over the tokens of each sequence",
            "seq_max": "maximum over the tokens of each sequence",
            "seq_count": "number of tokens of each sequence for which x holds",
            "seq_any": "true if x holds for any token of the sequence",
            "seq_all": "true if x holds for all tokens of the sequence",
            "seq_first": "value at the first token of each sequence",
            "seq_last": "value at the last token of each sequence",
        },
    ),
    **_table(
        "group",
        "x",
        "over",
        {
            "group_mean": "mean over the sequences of each group",
            "group_sum": "sum over the sequences of each group",
            "group_min": "minimum over the sequences of each group",
            "group_max": "maximum over the sequences of each group",
        },
    ),
    **_table(
        "group",
        "x",
        "over ddof",
        {
            "group_std": "standard deviation over the sequences of each group",
            "group_var": "variance over the sequences of each group",
        },
    ),
    **_table("group", "", "over", {"group_count": "number of sequences of each group"}),
    **_table(
        "reduction",
        "x",
        "over",
        {
            "mean": "mean over the population; a fraction for booleans",
            "sum": "sum over the population",
            "min": "minimum over the population",
            "max": "maximum over the population",
            "count": "number of elements of the population for which x holds",
        },
    ),
    **_table(
        "reduction",
        "x",
        "over ddof",
        {"var": "variance over the population", "std": "standard deviation over the population"},
    ),
    **_table("reduction", "x", "", {"last": "the latest value of a scalar"}),
    **_table(
        "reduction",
        "x",
        "over",
        {"quantile": "the number that a share of the population lies below, between neighbours on a straight line"},
        required="level",
    ),
    **_table("pair", "x y", "over ddof", {"cov": "covariance over the population"}),
    **_table("pair", "x y", "over", {"corr": "Pearson's correlation over the population"}),
    **_table("pair", "x by", "over", {"at_max": "x where the other is largest, the first of several"}),
    **_table(
        "histogram",
        "x",
        "over",
        {"histogram": "counts of the population in equal bins, with minimum and maximum"},
        required="low high bins",
    ),
}
"""Every function by name."""
