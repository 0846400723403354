"""Plain command lines: those that `argparse` need not be imported for.

A command with words and sources, and nothing else, is read here in no time; whatever else stands on a command line is
left to the parser of the command, which says what is wrong with it, too.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

__all__ = ["FORMS", "PlainForm", "plain_command"]


class PlainForm:
    """How a plain command line of one command looks.

    Attributes:
        words: The name of what the words are kept under.
        least: How many there must be.
        options: Option to the name that its value is kept under.
        needed: Options that must be there.
        others: What everything else is, as nobody said otherwise.
    """

    def __init__(
        self,
        words: str,
        least: int,
        options: Mapping[str, str],
        needed: Sequence[str] = (),
        **others: object,
    ) -> None:
        self.words, self.least = words, least
        self.options, self.needed, self.others = options, needed, others


_PAIR = {"--from": "from_", "--to": "to"}
FORMS: Mapping[str, PlainForm] = {
    "resolve": PlainForm("keys", 1, {"--at": "at"}, at="auto", full=False, bugs=False),
    "show": PlainForm("name", 1, {"--at": "at"}, at=None, full=False, all=False, web=False),
    "map": PlainForm(
        "keys",
        0,
        _PAIR,
        ("--from", "--to"),
        bind=(),
        program=None,
        surface=None,
        full=False,
        csv=False,
        yaml=False,
        md=False,
        sql=None,
        polars=False,
        pandas=False,
        table="runs",
        view=None,
        keep=[],
        long=False,
    ),
    "diff": PlainForm("keys", 0, _PAIR, ("--from", "--to"), since=None, all_configs=False, full=False, program=None),
}
"""The plain form of the commands that people ask most."""


class _Plain:
    """What a command line says; in place of a namespace of `argparse`."""

    def __init__(self, command: str, said: Mapping[str, object]) -> None:
        vars(self).update(command=command, config=[], spec=[], json=False)
        vars(self).update({name: [] if value == () else value for name, value in said.items()})


def plain_command(arguments: Sequence[str]) -> tuple[Callable[[argparse.Namespace], int], Any] | None:
    """Return what runs a plain command line, and what that says; None if it is not plain."""
    form = FORMS.get(arguments[0]) if arguments else None
    if form is None:
        return None
    said = {**form.others, **_read(form, arguments[1:])}
    if form.words not in said:
        return None
    return _runner(arguments[0]), _Plain(arguments[0], said)


def _read(form: PlainForm, words: Sequence[str]) -> Mapping[str, object]:
    """Return what stands on a command line by name; nothing if it is not plain."""
    said: dict[str, object] = {}
    plain: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in form.options:
            value = next(rest, "-")
            if value.startswith("-") or form.options[word] in said:
                return {}
            said[form.options[word]] = value
        elif not word or word.startswith("-"):
            return {}
        else:
            plain.append(word)
    if len(plain) < form.least:
        return {}
    if any(form.options[option] not in said for option in form.needed):
        return {}
    return {**said, form.words: plain}


def _runner(name: str) -> Callable[[argparse.Namespace], int]:
    """Return what runs a command; its module is called like it."""
    if name == "resolve":
        from .resolve import run
    elif name == "show":
        from .show import run
    elif name == "map":
        from .map import run
    else:
        from .diff import run
    return run
