"""Random changes of bytes, texts and messages: what crashes leave, what people edit, what attackers try."""

from __future__ import annotations

import random
import re
from typing import Any

__all__ = ["changed", "changed_message", "changed_text", "odd_text"]

NAMES = [
    *("actor/lr(1e-4)", "actor/lr", "actor/ppo_kl", "critic/score/mean", "critic/advantages/max", "timing/ref"),
    *("val/test_score/x", "val-core/a/b/mean@4", "loss", "reward", "epoch", "step", "_step", "data", "log_history"),
    *("untranslated/verl-0.1/actor/lr", "run - train/reward__MIN", "translated_from", "section", "panels", "expr"),
    *("ppo/policy/clipfrac", "env/reward_mean", "ppo/mean_scores", "train/actor/ppo_kl", "eval_loss", "metric"),
]
ODD = [
    *("", " ", "\0", "\x1b[2J", "\n", "\r\n", "\r", "\u2028", "\u202e", "\ufeff", "é", "😀", "\\", "\\\\", '"', "'"),
    *("\\ud800", "\\udc00x", "\\ud83d\\ude00", "\\u0000", "..", "../..", "/", "//", "a/", ".", "~", "$x", "${x}", "{{"),
    *("1e9999999999999999999", "-1e-9999999999999999999", "1e999999", "1e-400", "9" * 5000, "0." + "1" * 5000),
    *("NaN", "-Infinity", "nan", "inf", "-0", "1_000", "0x1f", "٣", "+1", "1.", ".5", "1e5", "true", "null", "None"),
    *("[" * 3000, "{" * 3000, '{"a":' * 500, "[[1]]", "{}", "[]", "(" * 200, "*", "(a+)+$", "(?P<", "[^", ".*", "|"),
    *("x" * 300, "&a", "*a", "<<: *a", "!!x", "|-", ">", "---", "? ", "- ", ": ", " #", "%YAML", "\t", ",", ";", " - "),
    *("step:1 - ", "{'loss': 1}", "np.float64(1)", "=cmd()", '{"_type": "histogram", "bins": [1], "values": []}'),
    *('{"packedBins": {"min": 1, "size": "x", "count": 1e400}, "_type": "histogram"}', '{"min": 1, "max": "x"}'),
]
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(r"[\w./@()+-]{2,}")


def odd_text(dice: random.Random) -> str:
    """Return something that is rarely thought of."""
    return dice.choice(dice.choice((NAMES, ODD)))


def changed_text(dice: random.Random, text: str) -> str:
    """Return a text with a number, a word or any place in it changed."""
    what = dice.random()
    pattern = _NUMBER if what < 0.3 else _WORD if what < 0.6 else None
    found = list(pattern.finditer(text)) if pattern else []
    if found:
        place = dice.choice(found)
        return text[: place.start()] + odd_text(dice) + text[place.end() :]
    at = dice.randrange(len(text) + 1)
    until = at if what < 0.8 else min(len(text), at + dice.choice((1, 1, 3, 20)))
    return text[:at] + (odd_text(dice) if what < 0.9 else "") + text[until:]


def changed(dice: random.Random, content: bytes, other: bytes) -> bytes:
    """Return changed bytes, as text where they are text; ``other`` lends parts."""
    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        content = _changed_once(dice, content, other)
    return content


def _changed_once(dice: random.Random, content: bytes, other: bytes) -> bytes:
    what = dice.random()
    if what < 0.6:
        text = content.decode("utf-8", "surrogateescape")
        return changed_text(dice, text).encode("utf-8", "surrogateescape")
    at = dice.randrange(len(content) + 1)
    if what < 0.7:
        return content[:at] + bytes([dice.randrange(256)]) + content[at + 1 :]
    if what < 0.8:
        return content[:at]
    until = min(len(content), at + dice.choice((1, 5, 50, 500)))
    if what < 0.87:
        return content[:until] + content[at:]
    begin = dice.randrange(len(other) + 1)
    if what < 0.94:
        return content[:at] + other[begin : begin + dice.choice((5, 50, 500))] + content[until:]
    lines = content.splitlines(keepends=True)
    dice.shuffle(lines)
    return b"".join(lines)


def changed_message(dice: random.Random, message: Any, content: bytes) -> bytes:
    """Return a serialised message with a field changed, set or cleared; ``message`` is its class."""
    try:
        parsed = message.FromString(content)
    except Exception:
        return changed(dice, content, content)
    try:
        _change_field(dice, parsed)
    except (ValueError, TypeError, LookupError, AttributeError):
        return changed(dice, content, content)
    serialised: bytes = parsed.SerializeToString()
    return serialised


def _change_field(dice: random.Random, message: Any) -> None:
    fields = message.ListFields()
    if not fields or dice.random() < 0.05:
        fields = [(field, getattr(message, field.name)) for field in message.DESCRIPTOR.fields]
    field: Any
    value: Any
    field, value = dice.choice(fields)
    repeated = hasattr(value, "__len__") and type(value) not in (str, bytes)
    if repeated and hasattr(value, "keys"):
        return
    if field.message_type is not None:
        inner = dice.choice(value) if repeated and len(value) else value.add() if repeated else value
        if repeated and dice.random() < 0.1:
            value.add().CopyFrom(inner)
        else:
            _change_field(dice, inner)
    elif repeated:
        place = dice.randrange(len(value) + 1)
        new = _changed_scalar(dice, field, value[place - 1] if value else None)
        value[place : place + dice.choice((0, 1))] = [new]
    else:
        setattr(message, field.name, _changed_scalar(dice, field, value))


def _changed_scalar(dice: random.Random, field: Any, value: Any) -> Any:
    if field.type == field.TYPE_STRING:
        return changed_text(dice, value or "")
    if field.type == field.TYPE_BYTES:
        return changed(dice, value or b"", b"")
    if field.type in (field.TYPE_DOUBLE, field.TYPE_FLOAT):
        return dice.choice((0.0, -0.0, float("nan"), float("inf"), 1e-320, 3e38))
    if field.type == field.TYPE_BOOL:
        return not value
    return dice.choice((0, 1, 2, 127, 2**31 - 1))
