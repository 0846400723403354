"""What ``rlmetrics`` says without a command: what users need first, with examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .commands import ALSO, EDITORS, MAIN, Command

__all__ = ["examples_of", "overview"]

_TITLE = "What the metrics of RL post-training mean, and what changed under their names."


def overview(offered: Mapping[str, Command]) -> list[str]:
    """Return the overview in lines.

    Args:
        offered: The commands of this installation, by name.
    """
    from rlmetrics.answers.terminal import labelled, width, wrapped

    lines = [*wrapped(_TITLE), *wrapped(_covered()), ""]
    for name, command in offered.items():
        if command.group == MAIN:
            lines.append(f"  {name:<11}{command.help}")
            lines += [line for example, _ in command.examples if len(line := f"             {example}") <= width()]
    lines.append("")
    for label, group in (("Also", ALSO), ("Editors", EDITORS)):
        names = [name for name, command in offered.items() if command.group == group and name != "demo"]
        lines += labelled(label, ", ".join(names))
    lines += labelled("Try", "rlmetrics demo")
    lines += labelled("Help", "rlmetrics COMMAND --help, with examples")
    lines.append("")
    lines += wrapped(
        "`trl[GRPOTrainer]==0.18.2` names a trainer and a release; `trl` means the installed release, or else the "
        "newest known."
    )
    return lines


def _covered() -> str:
    """Return which releases the spec knows."""
    from rlmetrics.names.loading import load_tables

    tables = load_tables()
    said = []
    for name, row in tables.frameworks.items():
        releases = tables.framework(name).releases.names
        said.append(f"{row['title']} {releases[0]}..{releases[-1]}")
    return f"{' and '.join(said)}."


def examples_of(command: Command) -> Iterator[str]:
    """Yield the examples of a command as ``--help`` shows them."""
    for example, what in command.examples:
        yield f"  {example}"
        yield f"      {what}"
