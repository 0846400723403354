"""What ``rlmetrics`` says without a command: what users need first, with examples."""

from __future__ import annotations

from rlmetrics.tables import SPANS
from rlmetrics.wording.signature_words import listed
from rlmetrics.wording.terminal import extent, labelled, printed, width, wrapped
from rlmetrics.wording.voice import later, phrase, spoken

from .commands import ALSO, COMMANDS, EDITORS, MAIN

__all__ = ["overview"]

_TITLE = later("What the metrics of RL post-training mean, and what changed under their names.")
_SOURCES = later(
    "`trl[GRPOTrainer]==0.18.2` names a trainer and a release; `trl` means the installed release, or else the "
    "newest known."
)


def overview() -> str:
    """Return the overview as it is printed."""
    lines = [*wrapped(phrase(_TITLE)), *wrapped(_covered()), ""]
    for name, command in COMMANDS.items():
        if command.group == MAIN:
            lines.append(f"  {name:<11}{spoken(command.help)}")
            lines += [line for example, _ in command.examples if len(line := f"             {example}") <= width()]
    lines.append("")
    for label, group in ((phrase("Also"), ALSO), (phrase("Editors"), EDITORS)):
        names = [name for name, command in COMMANDS.items() if command.group == group and name != "demo"]
        lines += labelled(label, ", ".join(names))
    lines += labelled(phrase("Try"), "rlmetrics demo")
    lines += labelled(phrase("Help"), phrase("rlmetrics COMMAND --help, with examples"))
    lines += labelled(phrase("Chinese"), phrase("`--lang zh`, or `LANG=zh_CN.UTF-8`; `--lang en` for English"))
    lines.append("")
    lines += wrapped(phrase(_SOURCES))
    return f"{printed(lines)}\n"


def _covered() -> str:
    """Return the frameworks and their releases, as many as a line holds; the others are counted."""
    spans = [f"{title} {first}..{last}" if first != last else f"{title} {last}" for title, first, last in SPANS]
    told = f"{listed(spans)}."
    for left in range(1, len(spans)):
        if extent(told) <= width():
            break
        more = phrase("{count} more: rlmetrics releases", count=left)
        told = f"{listed([*spans[:-left], more])}."
    return told
