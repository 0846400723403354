"""The title and the first sentences of a page about a move: what goes on, what ends, what only seems to go on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from rlmetrics.names import MapRow, diff
from rlmetrics.names.tables.tables import Tables

from .moved_rows import ORDER, MovedRows
from .moves import Move, same_move, title_of
from .site import Site
from .texts import Texts, code, later

__all__ = ["end_of", "framework_of", "lead", "lost", "move_title", "plot", "program_title", "start_of"]

_NAMED = 4


def start_of(tables: Tables, move: Move) -> str:
    """Return the source of a move as it stands in a sentence."""
    return _name(tables, move, move.from_, move.before)


def end_of(tables: Tables, move: Move) -> str:
    """Return the target of a move as it stands in a sentence."""
    return _name(tables, move, move.to, move.after)


def move_title(tables: Tables, move: Move) -> str:
    """Return the heading of the page of a move."""
    if move.found is None:
        return " → ".join(_name(tables, move, source) for source in (move.from_, move.to))
    return f"{program_title(tables, move)}: {move.before} → {move.after}"


def program_title(tables: Tables, move: Move) -> str:
    """Return what moves: a framework, or one of its programs."""
    title = title_of(tables, move.framework)
    declared = tables.framework(move.framework).programs
    return title if declared.get(move.program, {}).get("default") else f"{title} {move.program}"


def framework_of(source: str) -> str:
    """Return the framework of a source such as ``trl[GRPOTrainer]==1.16.0``."""
    return source.partition("[")[0].partition("=")[0]


def _name(tables: Tables, move: Move, source: str, release: str = "") -> str:
    component = source.partition("[")[2].partition("]")[0] or move.option
    return " ".join(part for part in (title_of(tables, framework_of(source)), component, release) if part)


def lead(site: Site, move: Move, rows: MovedRows) -> Iterator[Markup]:
    """Yield the first sentences: what goes on, what does not, and what only seems to."""
    t, total = site.texts.t, len(rows.all)
    if move.found is not None:
        for item in move.found.classes:
            yield t(
                "{name} of {release} is what {former} was before.",
                name=code(item.component),
                release=move.after,
                former=code(item.former),
            )
            if _nothing_to_do(site, move, item.former):
                yield t("Who used {former} has nothing to do.", former=code(item.former))
    words = {
        "same": later("{count} mean the same"),
        "close": later("{count} mean nearly the same"),
        "unreviewed": later("{count} have a counterpart that is unreviewed"),
        "biased": later("{count} are comparable only with care"),
        "look-alike": later("{count} have only look-alikes"),
        "none": later("{count} have no counterpart"),
    }
    parts = [t(words[name], count=rows.counts[name]) for name in words if rows.counts[name]]
    yield t(
        "Of {total} training keys of {here}, {parts} in {there}.",
        total=total,
        here=start_of(site.tables, move),
        parts=site.texts.listed(parts),
        there=end_of(site.tables, move) if move.found is None else move.after,
    )
    watch = [row.from_ for row in rows.of(*ORDER) if rows.is_trap(row)]
    if watch:
        named = site.texts.listed([code(key) for key in watch[:3]])
        if len(watch) > 3:
            named = t("{keys} and {count} more", keys=named, count=len(watch) - 3)
        yield t(
            "Watch {keys}: the name stays, the number does not, and a dashboard joins the halves without a word.",
            keys=named,
        )


def plot(rows: MovedRows, texts: Texts) -> tuple[Markup, Markup]:
    """Return what may go on in one plot, in a few words and in a sentence."""
    t = texts.t
    alike, total = rows.of("same", "close"), len(rows.all)
    if not alike:
        return t("Nothing"), t("No key goes on.")
    if len(alike) == total:
        return t("Everything"), t("Every key goes on.")
    if len(alike) <= _NAMED:
        return t("Only {count}" if len(alike) > 1 else "Only one", count=len(alike)), _pairs(alike)
    if total - len(alike) <= total // 2:
        rest = [row.from_ for row in rows.of("look-alike", "biased", "unreviewed", "none")]
        return t("All but {count}", count=len(rest)), t("Not {keys}.", keys=rows.few(rest))
    return t("{count} of {total}", count=len(alike), total=total), t(
        "{keys} go on.", keys=rows.few([row.from_ for row in alike])
    )


def _pairs(rows: Sequence[MapRow]) -> Markup:
    told = [
        code(row.from_) if row.from_ == row.to else Markup("{} → {}").format(code(row.from_), code(str(row.to)))
        for row in rows
    ]
    return Markup(", ").join(told)


def lost(rows: MovedRows, texts: Texts) -> tuple[Markup, Markup]:
    """Return how many keys end there, and which."""
    t = texts.t
    gone = [row for row in rows.of("look-alike", "none") if not rows.is_trap(row)]
    if not gone:
        return t("Nothing"), t("Every key has a counterpart.")
    return t("{count} key" if len(gone) == 1 else "{count} keys", count=len(gone)), rows.few(
        [row.from_ for row in gone]
    )


def _nothing_to_do(site: Site, move: Move, former: str) -> bool:
    """Tell whether a class that goes on under another name logs what it did."""
    source = f"{move.framework}[{former}]=={move.before}"
    return same_move(diff(source, move.to, spec=site.tables, evidence=False))
