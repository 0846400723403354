"""The commands: what each is for, who needs it, and how it is used."""

from __future__ import annotations

from collections.abc import Iterator

from rlmetrics.lazy_typing import NamedTuple

__all__ = ["COMMANDS", "Command", "examples_of"]

MAIN, ALSO, EDITORS = "main", "also", "editors"


class Command(NamedTuple):
    """A command.

    Attributes:
        module: The module that implements it.
        help: The line that the overview shows.
        examples: What is typed, and what for.
        group: ``main`` for what users need first, ``also`` for the rest, ``editors`` for those who keep the spec.
    """

    module: str
    help: str
    examples: tuple[tuple[str, str], ...] = ()
    group: str = ALSO


COMMANDS: dict[str, Command] = {
    "resolve": Command(
        "resolve",
        "what a logged key or value means",
        (
            ("rlmetrics resolve kl", "every meaning of a key, and who logs it"),
            ("rlmetrics resolve loss=0.0 --at 'trl[GRPOTrainer]==0.15.2'", "is this value normal?"),
        ),
        MAIN,
    ),
    "diff": Command(
        "diff",
        "what an upgrade changes in your curves",
        (
            ("rlmetrics diff --from 'trl[grpo]==0.18.2' --to 'trl[grpo]'", "up to the newest release"),
            ("rlmetrics diff reward_std --from 'trl[grpo]==0.26.2' --to 'trl[grpo]==0.27.0'", "one key"),
        ),
        MAIN,
    ),
    "why": Command(
        "why",
        "why a key shows other numbers in another release or run",
        (
            ("rlmetrics why reward_std 'trl[grpo]==0.26.2' 'trl[grpo]==0.27.0'", "between two releases"),
            ("rlmetrics why kl before.jsonl after.jsonl", "between two runs, with both curves"),
        ),
        MAIN,
    ),
    "map": Command(
        "map",
        "what your keys are called in another framework",
        (
            ("rlmetrics map --from 'trl[grpo]' --to verl", "the newest releases that the spec knows"),
            ("rlmetrics map --from verl==0.9.1 --to canonical --csv", "a table for other tools"),
            ("rlmetrics map --from verl==0.9.1 --to canonical --sql duckdb --keep step", "a view of a database"),
        ),
        MAIN,
    ),
    "translate": Command(
        "translate",
        "rename a log, a run or a dashboard",
        (
            (
                "rlmetrics translate trainer_state.json --from 'trl[grpo]' --to verl",
                "into trainer_state.json.translated",
            ),
            (
                "rlmetrics translate runs --from verl==0.9.1 --to canonical --dry-run",
                "what a whole folder would come to",
            ),
        ),
        MAIN,
    ),
    "check": Command(
        "check",
        "what is wrong with a run",
        (
            ("rlmetrics check run.jsonl --at 'trl[grpo]'", "the most likely cause first, and what to do"),
            ("rlmetrics check runs --html report.html", "all runs of a folder, as a page"),
        ),
        MAIN,
    ),
    "fleet": Command(
        "fleet",
        "find many runs, and what logged each of them",
        (
            ("rlmetrics fleet scan runs -o plan.csv", "a row for each run, to be read and corrected"),
            ("rlmetrics fleet scan runs --jobs 2", "with two processes, printed"),
        ),
    ),
    "show": Command(
        "show",
        "everything about one metric",
        (
            ("rlmetrics show approxkl", "by what people call it"),
            ("rlmetrics show kl/reference/k3 --at 'trl[GRPOTrainer]==1.16.0'", "as one release logs it"),
        ),
    ),
    "keys": Command(
        "keys",
        "every key that a release logs",
        (
            ("rlmetrics keys --at 'trl[GRPOTrainer]==1.16.0'", "with what each of them measures"),
            ("rlmetrics keys --at verl==0.9.1 --json", "for other tools"),
        ),
    ),
    "releases": Command(
        "releases",
        "the releases that are described",
        (
            ("rlmetrics releases", "of every framework"),
            ("rlmetrics releases trl --json", "with the trainers of each"),
        ),
    ),
    "compare": Command(
        "compare",
        "compare runs by canonical names",
        (
            (
                "rlmetrics compare before.jsonl after.jsonl --at 'trl[grpo]==0.18.2' --at 'trl[grpo]==1.16.0'",
                "what may share a plot, and where the curves part",
            ),
            ("rlmetrics compare runs/first.jsonl runs/second.jsonl --html both.html", "one page to show"),
        ),
    ),
    "open": Command(
        "open",
        "all curves and the health of runs, as one page",
        (
            ("rlmetrics open runs/first.jsonl runs/second.jsonl -o both.html", "two runs"),
            ("rlmetrics open runs --lang zh", "all runs of a folder, in Chinese, as runs.html"),
        ),
    ),
    "watch": Command(
        "watch",
        "judge the health of a run while it grows",
        (
            ("rlmetrics watch run.jsonl --at 'trl[grpo]' --idle 1", "until nothing came for a second"),
            ("rlmetrics watch runs/first.jsonl --level error --idle 1", "speak of errors only"),
        ),
    ),
    "plot": Command(
        "plot",
        "draw curves of runs over each other",
        (
            ("rlmetrics plot before.jsonl after.jsonl reward kl --at 'trl[grpo]'", "two runs, in the terminal"),
            ("rlmetrics plot run.jsonl reward --at 'trl[grpo]' --svg reward.svg", "as a picture"),
        ),
    ),
    "mcp": Command(
        "mcp",
        "answer an assistant that speaks the Model Context Protocol",
        (
            ("rlmetrics mcp", "what keys mean, what values tell, what releases changed"),
            ("rlmetrics mcp --folder runs", "and how healthy the runs of a folder are"),
        ),
    ),
    "dashboard": Command(
        "dashboard",
        "make a dashboard of everything that a release logs",
        (
            ("rlmetrics dashboard --at verl==0.9.1 --kind wandb-workspace -o view.json", "a view of W&B"),
            (
                "rlmetrics dashboard --at 'trl[GRPOTrainer]' --kind tensorboard -o events.out.tfevents.layout",
                "a layout for TensorBoard",
            ),
        ),
    ),
    "demo": Command(
        "demo",
        "the jobs on bundled runs",
        (("rlmetrics demo", "one name with two meanings, a translated run, a metric computed in pieces"),),
    ),
    "completion": Command(
        "completion",
        "complete commands, releases and keys in your shell",
        (
            ("rlmetrics completion bash", "what to put into ~/.bashrc"),
            ("rlmetrics completion zsh", "what to put into ~/.zshrc"),
        ),
    ),
    "explain": Command(
        "explain",
        "which line of the spec sets each field of an answer, and what proves it",
        (
            ("rlmetrics explain kl --at 'trl[GRPOTrainer]==1.16.0'", "with the lines of that release's source code"),
            ("rlmetrics explain kl --at 'trl[GRPOTrainer]==1.16.0' --config beta=0.04", "under another configuration"),
        ),
        EDITORS,
    ),
    "lint": Command(
        "lint",
        "check the spec",
        (("rlmetrics lint", "every finding with place and fix"), ("rlmetrics lint --format json", "for other tools")),
        EDITORS,
    ),
    "judge": Command(
        "judged_spec",
        "hold sentences of the spec against reference steps",
        (("rlmetrics judge", "after an edit of a reading, a range, a constant or a formula"),),
        EDITORS,
    ),
    "generate": Command(
        "generate",
        "bring generated files up to date with the spec",
        (
            ("rlmetrics generate", "after an edit of the spec"),
            ("rlmetrics generate --check", "is anything out of date? Nothing is written"),
        ),
        EDITORS,
    ),
    "release": Command(
        "release",
        "add a release of a framework to the spec",
        (
            ("rlmetrics release add trl==1.16.0", "proves every fact in its source code, and lists what is new"),
            ("rlmetrics release replay --from trl==1.15.0", "how well that went for the releases since"),
        ),
        EDITORS,
    ),
    "anchor": Command(
        "anchor",
        "say which statement of the source code proves a fact",
        (
            (
                "rlmetrics anchor add kl.append trl==1.16.0 trl/trainer/grpo_trainer.py:3268",
                "this statement proves what refers to kl.append",
            ),
        ),
        EDITORS,
    ),
    "audit": Command(
        "audit",
        "compare the spec with the source code of a release",
        (
            ("rlmetrics audit trl==1.16.0", "of the installed package, or fetched"),
            ("rlmetrics audit verl==0.9.1 --json", "for other tools"),
        ),
        EDITORS,
    ),
    "overlay": Command(
        "new_overlay",
        "describe a framework or a trainer of your own",
        (
            ("rlmetrics overlay new my-rl --keys run.jsonl", "a folder with guesses by name"),
            ("rlmetrics overlay new my-grpo --extends trl/grpo_trainer", "what it logs besides"),
        ),
        EDITORS,
    ),
    "rename": Command(
        "rename",
        "give a metric another name",
        (("rlmetrics rename kl/old/k2 kl/previous/k2", "everywhere, and the old name still answers"),),
        EDITORS,
    ),
    "where": Command(
        "where",
        "find the line of the spec behind a symbol",
        (
            ("rlmetrics where policy/clip_fraction", "a metric"),
            ("rlmetrics where rlmetrics.functional.kl.kl_old_k2", "a function"),
        ),
        EDITORS,
    ),
}
"""Commands by group, in the order of the overview. One without a module in this installation is not offered."""


def examples_of(command: Command) -> Iterator[str]:
    """Yield the examples of a command as ``--help`` shows them."""
    for example, what in command.examples:
        yield f"  {example}"
        yield f"      {what}"
