"""What ``rlmetrics`` says without a command: what users need first, with examples."""

from __future__ import annotations

from rlmetrics.tables import SPANS
from rlmetrics.wording.terminal import labelled, printed, width, wrapped

from .commands import ALSO, COMMANDS, EDITORS, MAIN

__all__ = ["overview"]

_TITLE = "What the metrics of RL post-training mean, and what changed under their names."


def overview() -> str:
    """Return the overview as it is printed."""
    covered = " and ".join(f"{title} {first}..{last}" for title, first, last in SPANS)
    lines = [*wrapped(_TITLE), *wrapped(f"{covered}."), ""]
    for name, command in COMMANDS.items():
        if command.group == MAIN:
            lines.append(f"  {name:<11}{command.help}")
            lines += [line for example, _ in command.examples if len(line := f"             {example}") <= width()]
    lines.append("")
    for label, group in (("Also", ALSO), ("Editors", EDITORS)):
        names = [name for name, command in COMMANDS.items() if command.group == group and name != "demo"]
        lines += labelled(label, ", ".join(names))
    lines += labelled("Try", "rlmetrics demo")
    lines += labelled("Help", "rlmetrics COMMAND --help, with examples")
    lines += labelled("Chinese", "--lang zh, or LANG=zh_CN.UTF-8; --lang en for English")
    lines.append("")
    lines += wrapped(
        "`trl[GRPOTrainer]==0.18.2` names a trainer and a release; `trl` means the installed release, or else the "
        "newest known."
    )
    return f"{printed(lines)}\n"
