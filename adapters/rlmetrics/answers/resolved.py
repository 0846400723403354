"""One key of one release, as people ask about it: what it is, whether to trust it, what would change it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple
from rlmetrics.names.meanings.view import FrameworkView
from rlmetrics.wording.key_words import key_brief
from rlmetrics.wording.metric_facts import (
    as_shown,
    first_clause,
    is_told_by_key,
    measured_text,
    metric_brief,
    of_metric,
    own_formula,
    quantity,
    reads_texts,
    sentence,
    variant_brief,
)
from rlmetrics.wording.report_words import report_name
from rlmetrics.wording.source_places import addresses_of, place_texts
from rlmetrics.wording.terminal import LABEL, columns, first_fitting, if_fitting, labelled, symbol, wrapped
from rlmetrics.wording.voice import later, phrase, spoken

from .key_health import key_health_texts
from .trust import averaged_lines, cadence_lines, is_biased, logged_lines, needs_words, trust_texts
from .value_ranges import axis_of

if TYPE_CHECKING:
    from rlmetrics.names.lookup.lookup_records import Resolution
    from rlmetrics.names.meanings.component import ComponentView
    from rlmetrics.names.meanings.protocol import View
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.names.upgrades.history import History
    from rlmetrics.wording.change_words import ToldChange
    from rlmetrics.wording.setting_words import Setting

__all__ = ["changed_lines", "resolved_lines", "resolved_links", "source_lines", "told_notes"]

_FORMULA = 3
_CONDITION = 3
"""Lines of a condition that is told first."""
_SCREEN = 36
"""A longer answer is told in less detail."""
_INTRO = 200
"""A first note of at most so many characters is told with the answer."""
_EVALUATION = "evaluation"
_NOT_BY_DEFAULT = "Not logged by default"
_INSTALLED = " installed"
"""Notes on what must be installed speak of it by this word; they come last."""


class _Detail(NamedTuple):
    """How many settings, look-alikes and notes are told, and whether it is told how the curve behaves."""

    settings: int
    friends: int
    notes: int
    reads: bool


_PLENTY = _Detail(3, 2, 1, reads=True)
_DETAILS = (_PLENTY, _Detail(2, 1, 1, reads=True), _Detail(2, 1, 0, reads=True), _Detail(1, 1, 0, reads=False))


class _Around(NamedTuple):
    """What takes time to find: settings that change a key, its look-alikes, and where the source shows it."""

    settings: Sequence[Setting]
    friends: Sequence[tuple[str, str]]
    source: Sequence[str]


def resolved_lines(view: View, resolution: Resolution, *, full: bool = False) -> list[str]:
    """Return what a key means at a source, most asked-for first.

    Args:
        view: The source.
        resolution: What the key is there; one that has a component.
        full: Whether everything that is known is told, else what fits a screen.
    """
    changes = _changes(view, resolution)
    coming = changes.next if changes is not None else None
    intro = [*wrapped(f"{_first(view, resolution)}{f' {coming}' if coming else ''}"), ""]
    if resolution.metric is None:
        return [*intro, *_choices(resolution, view.tables), *source_lines(resolution, full=full)]
    trust = trust_texts(view, resolution, full=full)
    told_trust = labelled("trust", trust)
    biased = is_biased(trust)
    axis = axis_of(resolution)
    # What spoils a number is told before anything else about it, then how its curve behaves.
    ahead = [*intro, *(told_trust if biased else [])]
    number = [
        *_formula(view, resolution, resolution.metric, full=full),
        *averaged_lines(view, resolution),
        *([] if biased else told_trust),
        *labelled("healthy", key_health_texts(view, resolution, full=full)),
    ]
    after = [*cadence_lines(resolution, full=full), *_constant(resolution, full=full)]
    if changes is not None:
        after += _changed(changes, str(view.source.release), str(resolution.component), full=full)
    if full:
        rests = [(list[str](), [*_rest(view, resolution, _PLENTY, full=True), *_everything(view, resolution)])]
    else:
        texts = reads_texts(resolution.metric, view.tables)
        reads = labelled("reads", [of_metric(text, axis) for text in texts])
        around = _around(view, resolution, full=False)
        rests = [(reads if detail.reads else [], _rest(view, resolution, detail, around)) for detail in _DETAILS]
    logged = logged_lines(view, resolution, full=full)
    late = first_fitting([[*ahead, *curve, *number, *logged, *after, *rest] for curve, rest in rests], _SCREEN)
    if not _is_conditional(resolution):
        return late
    # Settings without which it would not be there come before what its curve tells.
    early = first_fitting([[*ahead, *logged, *curve, *number, *after, *rest] for curve, rest in rests], _SCREEN)
    return if_fitting(logged, _CONDITION, early, late)


def _formula(view: View, item: Resolution, metric: str, *, full: bool) -> list[str]:
    """Return the formula of what is measured, or in words what it measures."""
    signature = item.signature
    span = None if signature is None else signature.span
    formula = own_formula(metric, signature, view.tables)
    lines = labelled("formula", formula if full or len(formula) <= _FORMULA else formula[:1])
    # On a screen the formula says it, and the lines are wanted for how the curve is read.
    measured = measured_text(metric, view.tables, span) if full or not formula else None
    return [*lines, *labelled("measures", [] if measured is None else [measured])]


def _is_conditional(item: Resolution) -> bool:
    """Tell whether a key is logged by default under a condition that has alternatives."""
    return item.logged is True and " or " in (item.condition or "")


def _rest(
    view: View, item: Resolution, detail: _Detail, around: _Around | None = None, *, full: bool = False
) -> list[str]:
    """Return what comes after the facts of the number itself: settings, look-alikes, source, function and notes."""
    settings, friends, source = around or _around(view, item, full=full)
    lines: list[str] = []
    if settings:
        from rlmetrics.wording.setting_words import setting_lines

        lines += setting_lines(settings, detail.settings, full=full)
    shown = friends if full else friends[: detail.friends]
    tail = labelled("unlike", [f"{symbol('look-alike')} {names}: {spoken(why)}" for names, why in shown])
    tail += source
    if item.function is not None:
        tail += labelled("compute", item.function)
    tail += _notes(view, item, detail.notes, full=full)
    return [*lines, *(["", *tail] if tail else [])]


def _around(view: View, item: Resolution, *, full: bool) -> _Around:
    """Return the settings that change a key, what it must not be taken for, and where it is shown."""
    from .unlike import unlike

    mode = item.mode or "train"
    is_alone = is_told_by_key(item.metric, view.tables)
    friends = [] if is_alone else unlike(view, str(item.metric), mode, str(item.component), item.template)
    source = source_lines(item, full=full)
    if not isinstance(view, FrameworkView) or item.template is None:
        return _Around((), friends, source)
    from rlmetrics.wording.setting_words import settings_that_change

    settings = settings_that_change(view.components[str(item.component)], item.template, mode)
    return _Around(settings, friends, source)


def resolved_links(view: View, resolution: Resolution) -> dict[str, str]:
    """Return the addresses of the places in the source that an answer names, by what stands in it."""
    if not isinstance(view, FrameworkView):
        return {}
    reports = {report_name(report): report.url for report in resolution.reports if report.holds}
    return reports | addresses_of(view.tables.framework(view.source.framework), resolution.evidence)


def _first(view: View, item: Resolution) -> str:
    """Return the sentence that answers: the quantity, over what, for what the placeholders stand for."""
    if item.metric is None:
        return f"What {item.key} measures depends on the configuration; nothing says which one this run had."
    variant = None if item.signature is None else item.signature.reproduced_by
    told = metric_brief(item.metric, variant, view.tables)
    brief, over = key_brief(told, item.signature, item.metric, view.tables, item.mode)
    text = as_shown(brief, axis_of(item))
    values = ", ".join(f"{name} = {value}" for name, value in item.placeholders.items())
    text += f" ({values})" if values else ""
    texts = [f"{text}, in evaluation" if item.mode == "eval" and _EVALUATION not in text else text]
    texts += [missing] if (missing := needs_words(view, item)) is not None else []
    texts += [] if over is None else [f"here over {over}"]
    notes = told_notes(view, item)
    if is_told_by_key(item.metric, view.tables):
        texts = [*notes[:1], *texts]
    elif _is_intro(notes):
        texts += notes[:1]
    if isinstance(view, FrameworkView):
        from .indifferent import indifferent_words

        texts += [idle] if (idle := indifferent_words(view.components[str(item.component)], item)) else []
    return " ".join(spoken(sentence(text)) for text in texts)


def told_notes(view: View, item: Resolution, *, installed: bool = True) -> list[str]:
    """Return the notes in the order of telling: on settings that were given, then the others, on installation last."""
    given: Mapping[str, object] = {}
    if isinstance(view, FrameworkView):
        given = _given(view.components[str(item.component)])
    asked = re.compile("|".join(rf"(?<![\w.]){re.escape(name)}(?![\w.])" for name in given)) if given else None
    notes = [note for note in item.notes if installed or _INSTALLED not in note]
    if item.logged and item.logged_by_default is False:
        # Settings that were given are not contradicted by what holds without them.
        notes = [note for note in notes if not note.startswith(_NOT_BY_DEFAULT)]
    return sorted(notes, key=lambda note: (_INSTALLED in note, asked is None or asked.search(note) is None))


def _is_intro(notes: Sequence[str]) -> bool:
    """Tell whether the first note is told with the answer: one of a line or two that is not about installation."""
    return bool(notes) and _INSTALLED not in notes[0] and len(notes[0]) <= _INTRO


def _constant(item: Resolution, *, full: bool) -> list[str]:
    texts = item.constant_when if full else item.constant_when[:2]
    return labelled("constant", [*map(sentence, texts)])


class _Changes(NamedTuple):
    """What became of a key up to a release, and what becomes of it after."""

    history: History
    past: list[ToldChange]
    coming: list[ToldChange]
    unstated: bool
    """Whether it is left open in some release how the key is computed: that may have changed, too."""

    @property
    def next(self) -> str | None:
        """Which later release first changes the number under these settings in a way that weighs, as a sentence."""
        for change in self.coming:
            weighing = [cause.applies for cause in change.causes if cause.weighs and cause.applies is not False]
            if change.kind in ("changed", "ended") and weighing:
                change_in = later("Changes in {release}.") if True in weighing else later("May change in {release}.")
                return phrase(change_in, release=change.release)
        return None


def _changes(view: View, item: Resolution) -> _Changes | None:
    if not isinstance(view, FrameworkView) or item.template is None:
        return None
    from rlmetrics.names.upgrades.history import History
    from rlmetrics.wording.change_words import changes, endings

    component = view.components[str(item.component)]
    history = History(view.tables, view.source.framework, component.label, _given(component))
    told = changes(history, view.tables, item.template, item.mode or "train", view.source.release)
    order = view.tables.framework(view.source.framework).releases.index
    here = order(view.source.release)
    later = [change for change in told if order(change.release) > here]
    later += endings(told, history.releases, view.source.release)
    past = [change for change in told if order(change.release) <= here]
    later.sort(key=lambda change: order(change.release))
    return _Changes(history, past, later, history.leaves_open(item.template, item.mode or "train"))


def changed_lines(view: View, item: Resolution, *, full: bool) -> list[str]:
    """Return what changed last before this release, and what next."""
    found = _changes(view, item)
    return [] if found is None else _changed(found, str(view.source.release), str(item.component), full=full)


def _changed(found: _Changes, release: str, component: str, *, full: bool) -> list[str]:
    from rlmetrics.wording.change_words import change_row

    history, past, coming = found.history, found.past, found.coming
    shown = [*past, *coming] if full else [*_nearest(past[::-1]), *_nearest(coming)]
    rows = [change_row(change, full=full) for change in shown]
    newest = history.releases[-1]
    end = "" if history.is_current else f", the last release with {component}"
    if not coming and newest != release:
        what = "no stated change of meaning" if found.unstated else "no change of meaning"
        rest = f"{what} up to {newest}{end}"
    elif not past and not coming and len(history.releases) == 1:
        rest = ""
    elif not past and not coming:
        releases = f"{history.releases[0]}..{newest}"
        rest = f"nothing that is stated, in {releases}" if found.unstated else f"never, in {releases}"
    else:
        more = len(past) + len(coming) - len(shown)
        rest = f"{more} more in {history.releases[0]}..{newest}: --full" if more else ""
    lines = columns(rows, indent=LABEL, label="changed")
    if not rest:
        return lines
    return [*lines, *(wrapped(rest, indent=LABEL) if lines else labelled("changed", rest))]


def _nearest(changes: Sequence[ToldChange]) -> list[ToldChange]:
    """Return the nearest change that weighs, or else the nearest one."""
    for sure in (True, False):
        for change in changes:
            weighing = [cause for cause in change.causes if cause.weighs and (cause.applies or not sure)]
            if change.kind not in ("changed", "ended") or weighing:
                return [change]
    return [*changes[:1]]


def _given(component: ComponentView) -> Mapping[str, object]:
    config = component.config
    return {
        name: value
        for name, value in config.values.items()
        if name not in config.defaults or config.defaults[name] != value
    }


def source_lines(item: Resolution, *, full: bool) -> list[str]:
    """Return where the release shows it."""
    return labelled("source", place_texts(item.key, item.evidence, full=full))


def _notes(view: View, item: Resolution, most: int, *, full: bool) -> list[str]:
    """Return what else there is to know; what must be installed last."""
    notes = told_notes(view, item)
    notes = notes[1:] if _is_intro(notes) or is_told_by_key(item.metric, view.tables) else notes
    installed = [note for note in notes if _INSTALLED in note]
    others = [note for note in notes if _INSTALLED not in note]
    if full:
        return labelled("note", [*others, *installed])
    lines = labelled("note", others[:most])
    if installed:
        release = str(item.source).partition("==")[2]
        lines += labelled("release", f"{release}: {first_clause(installed[0])}")
    more = max(0, len(others) - most) + max(0, len(installed) - 1)
    rest = phrase("{count} more notes: --full" if more > 1 else "{count} more note: --full", count=more)
    return [*lines, *([f"{'':{LABEL}}{rest}"] if more else [])]


def _choices(item: Resolution, tables: Tables) -> list[str]:
    """Return what a key measures by configuration."""
    return [
        line
        for other in item.alternatives
        for line in wrapped(
            f"if {other.when}: {quantity(other.metric, tables) if other.metric else other.what}", indent=2, hanging=4
        )
    ]


def _everything(view: View, item: Resolution) -> list[str]:
    """Return what the short answer leaves out."""
    signature = item.signature
    variant = None if signature is None else signature.reproduced_by
    name = f"{item.metric}@{variant}" if variant is not None else str(item.metric)
    lines = ["", *labelled("metric", f"{name} (revision {item.rev}, in {item.unit})")]
    differs = variant_brief(str(item.metric), variant, view.tables)
    lines += labelled("variant", [] if differs is None else [sentence(differs)])
    lines += labelled("logged by", f"{item.component} of {item.source} as {item.template}")
    if item.surface != "logged":
        lines += labelled("shown by", str(item.surface))
    if signature is not None:
        over = None if "population" in signature.unstated else signature.population
        lines += labelled("over", str(over or "not said"))
        lines += labelled("policy", str(signature.snapshot or "not said"))
        levels = ", ".join(f"{level} {name}" for level, name in signature.reduction.items())
        lines += labelled("levels", levels or ("not said" if "reduction" in signature.unstated else "none"))
    if item.variant is not None:
        lines += labelled("holds now", item.variant)
    if item.alternatives and isinstance(view, FrameworkView):
        from rlmetrics.wording.otherwise_words import otherwise_texts

        config = view.components[str(item.component)].config
        lines += labelled("otherwise", otherwise_texts(item.alternatives, item.metric, config))
    lines += labelled(
        "guide",
        [f"{said.says}{f' In fact: {said.code}' if said.code else ''} ({said.title})" for said in item.documented],
    )
    text = view.tables.texts.get(item.metric or "", {})
    lines += labelled("about", [text["description"]] if "description" in text else [])
    inputs = [(name, view.tables.inputs[name]["brief"]) for name in text.get("inputs", ())]
    lines += labelled("inputs", [f"{name}: {brief}" for name, brief in inputs])
    lines += labelled(
        "reading", [f"{row['title']} {row.get('url', '')}".rstrip() for row in text.get("references", ())]
    )
    return lines
