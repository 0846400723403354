"""Cases that the translator in the page and the command line must answer alike."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from typing import Any

from rlmetrics.names import NamesError, resolve
from rlmetrics.names.meanings.protocol import View
from rlmetrics.names.meanings.view import open_view
from rlmetrics.names.sources.surfaces import LOGGED
from rlmetrics.names.tables.key_records import Difference
from rlmetrics.names.tables.tables import Tables
from rlmetrics.translate import Translator
from rlmetrics.wording.map_notes import gone_when

__all__ = ["Pair", "drawn", "expected", "name_of"]

Source = dict[str, Any]
Pair = dict[str, Any]

_VALUES = (
    *("accuracy", "format", "openai/gsm8k", "gsm8k", "7", "16", "128", "0", "gpu", "cpu", "train", "eval", "token_k1"),
    *(
        "seq_sum_k1",
        "seq_mean_k2",
        "seq_max_k3",
        "GRPOTrainer",
        "DPPOTrainer",
        "MiniLLMTrainer",
        "Größe",
        "a b",
        "mean",
    ),
)
_UNKNOWN = (
    "step",
    "_step",
    "epoch",
    "train/global_step",
    "my/own",
    "kl",
    "loss",
    "train/loss",
    "eval/loss",
    "rewards/",
    "",
)
_SURFACES = (LOGGED, LOGGED, "wandb", "tensorboard", "mlflow", "swanlab", "rl_insight")


def drawn(tables: Tables, count: int, seed: int) -> list[Pair]:
    """Return pairs of sources with keys to translate, ``count`` keys in all."""
    draw = random.Random(seed)
    sources = list(_sources(tables))
    found: list[Pair] = []
    while sum(len(pair["keys"]) for pair in found) < count:
        source = draw.choice(sources)
        near = [other for other in sources if other["framework"] == source["framework"]]
        alike = [other for other in near if other["component"] == source["component"]]
        target = draw.choice(draw.choice((alike, near, sources)))
        if source["framework"] == target["framework"] and (source["program"] or target["program"]):
            # One option of the command line names the program of both.
            target = {**target, "program": None if target["component"] else source["program"]}
            if target not in sources:
                continue
        found.append({"source": source, "target": target, "keys": _keys(draw, tables, source)})
    return found


def name_of(source: Source) -> str:
    """Return a source as the command line writes it."""
    if source["framework"] == "canonical":
        return "canonical"
    component = f"[{source['component']}]" if source["component"] else ""
    return f"{source['framework']}{component}=={source['release']}"


def expected(pair: Pair, tables: Tables) -> list[dict[str, Any]]:
    """Return what the command line answers to the keys of a pair."""
    source, target = pair["source"], pair["target"]
    program = source["program"] or target["program"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            translator = Translator(name_of(source), name_of(target), program=program, spec=tables)
        except NamesError as error:
            return [{"error": bool(str(error))}] * len(pair["keys"])
        return [_answer(translator, key, name_of(source), tables) for key in pair["keys"]]


def _answer(translator: Translator, key: str, source: str, tables: Tables) -> dict[str, Any]:
    try:
        move = translator.key(key)
    except NamesError as error:
        return {"error": bool(str(error))}
    scale = move.transform
    return {
        "target": move.target,
        "output": move.output,
        "relation": move.relation,
        "severity": move.severity,
        "metric": move.metric,
        "translated": move.translated,
        "needs": list(move.needs),
        "order": list(move.order),
        "related": [item.to for item in move.related],
        "differences": [[item.grade, item.applies, _gone(item, key, source, tables)] for item in move.differs_by],
        "transform": [scale.scale, scale.offset] if scale else None,
        "note": move.note,
    }


def _gone(difference: Difference, key: str, source: str, tables: Tables) -> str | None:
    """Return when a difference is gone in words, which for a key of an evaluation are words on its batches."""
    text = difference.vanishes_when
    is_of_steps = text is not None and text == tables.levels["window"].vanishes_when
    return gone_when(text, tables, resolve(key, at=source, spec=tables)[0].mode) if is_of_steps else text


def _sources(tables: Tables) -> Iterator[Source]:
    """Yield everything that can be named: trainers, components, whole releases, programs and the canonical names."""
    yield from [{"framework": "canonical", "release": None, "component": None, "program": None}] * 40
    for framework in tables.named:
        table = tables.framework(framework)
        # Pairs of one release with several of the base are many, and alike.
        each = 7 if framework in tables.derived else 1
        for name, _, ranges, _ in table.components:
            for release in table.releases.expand(ranges)[::each]:
                yield {"framework": framework, "release": release, "component": name, "program": None}
    verl = tables.framework("verl")
    for release in verl.releases.names:
        yield from [{"framework": "verl", "release": release, "component": None, "program": None}] * 10
        if any(name == "sft" and verl.releases.covers(ranges, release) for name, _, ranges, _ in verl.components):
            yield {"framework": "verl", "release": release, "component": None, "program": "sft"}
        for program, row in verl.programs.items():
            if "releases" not in row or verl.releases.covers(row["releases"], release):
                yield from [{"framework": "verl", "release": release, "component": None, "program": program}] * 3
    for release in tables.framework("trl").releases.names[30::8]:
        yield {"framework": "trl", "release": release, "component": None, "program": None}


def _keys(draw: random.Random, tables: Tables, source: Source) -> list[str]:
    view = open_view(name_of(source), spec=tables)
    entries = view.entries()
    keys = [_spelled(draw, view, entry) for entry in draw.sample(entries, min(9, len(entries)))]
    return [*keys, draw.choice(_UNKNOWN)]


def _spelled(draw: random.Random, view: View, entry: Any) -> str:
    """Return an entry's name with values for its placeholders, as some tracker shows it."""
    template = view.template(entry)
    values = {}
    for name in template.names:
        fitting = [value for value in _VALUES if template.fits(name, value)]
        if fitting:
            values[name] = draw.choice(fitting)
    return view.show(entry, template.format(values), draw.choice(_SURFACES))
