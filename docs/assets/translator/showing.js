/**
 * The answer: a table by severity, and what a run of the command line would keep or set aside.
 */
"use strict";

(function (T) {
  const SYMBOLS = { same: "=", close: "≈", unreviewed: "≈", biased: "!", "look-alike": "≠", none: "·", unknown: "?" };
  const TITLES = {
    same: T.later("the same number"),
    close: T.later("close: may share a plot"),
    unreviewed: T.later("unreviewed: compare the code before use"),
    biased: T.later("biased: its own plot"),
    "look-alike": T.later("another metric: do not rename"),
    none: T.later("no counterpart"),
    unknown: T.later("not a key of the source"),
  };
  const COUNTED = {
    same: T.later("{count} the same"),
    close: T.later("{count} close"),
    unreviewed: T.later("{count} unreviewed"),
    biased: T.later("{count} biased"),
    "look-alike": T.later("{count} only with look-alikes"),
    none: T.later("{count} without counterpart"),
    unknown: T.later("{count} not of the source"),
  };
  /** Worst first; what the source does not log comes last. */
  const ORDER = ["look-alike", "biased", "none", "unreviewed", "close", "same", "unknown"];

  const severityOf = (move) => (move.metric === null && !move.row ? "unknown" : move.severity);

  /** Return an element with attributes and children. */
  function make(tag, attributes = {}, ...children) {
    const found = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) found.setAttribute(name, value);
    found.append(...children.filter((child) => child !== null && child !== undefined));
    return found;
  }
  T.make = make;

  /** Return how many keys there are of each severity, in words. */
  T.countWords = (moves) => {
    const counts = ORDER.map((name) => [name, moves.filter((move) => severityOf(move) === name).length]);
    const said = counts.filter(([, count]) => count).map(([name, count]) => T.t(COUNTED[name], { count }));
    const keys = moves.length === 1 ? T.t("1 key") : T.t("{count} keys", { count: moves.length });
    return `${keys}: ${said.join(", ")}.`;
  };

  /** What sets several keys of a table apart is told once, and each of them cites its number. */
  class Footnotes {
    constructor(moves, sides) {
      const said = moves.flatMap((move) => reasons(move, sides));
      const counts = T.grouped(said, ({ words }) => words);
      const shared = [...counts.values()].filter((items) => items.length > 1).map(([first]) => first);
      this._numbers = new Map(shared.map(({ words }, place) => [words, place + 1]));
      this.items = shared.map(({ words, mark }, place) => make("li", { id: `rlm-cause-${place + 1}` }, make("span", mark, words)));
    }

    /** Return some reasons: first the numbers of those that others share, then the rest in words. */
    shown(items) {
      const cited = items.filter(({ words }) => this._numbers.has(words));
      const own = items.filter(({ words }) => !this._numbers.has(words));
      const links = cited.flatMap((item) => [this._link(this._numbers.get(item.words)), sized(item), " "]);
      const lines = own.map((item) =>
        make("p", item.quiet ? { class: "rlm-note" } : {}, make("span", item.mark, item.words), sized(item)));
      return [...(links.length ? [make("p", {}, ...links)] : []), ...lines];
    }

    _link(number) {
      return make("a", { href: `#rlm-cause-${number}`, "aria-label": T.t("cause {number}", { number }) }, `[${number}]`);
    }
  }

  /** Return how large a difference is on reference batches. */
  const sized = ({ size }) => (size ? ` (${T.sizeWords(size)})` : "");

  /**
   * Return the rows of the table, worst first, and what several of them cite.
   * @param {Object[]} moves
   * @param {Object} map
   * @param {string} root the way to the root of the language
   */
  T.tableOf = (moves, map, root) => {
    const sides = T.sidesOf(map.from, map.to);
    const sorted = [...moves].sort((one, other) => ORDER.indexOf(severityOf(one)) - ORDER.indexOf(severityOf(other)));
    const footnotes = new Footnotes(sorted, sides);
    return { rows: sorted.map((move) => row(move, map, sides, root, footnotes)), causes: footnotes.items };
  };

  function row(move, map, sides, root, footnotes) {
    const severity = severityOf(move);
    const mark = make("span", { class: `rlm-severity rlm-${severity}`, "aria-hidden": "true" }, SYMBOLS[severity]);
    const words = make("span", { class: "rlm-hidden" }, T.t(TITLES[severity]));
    const old = make("th", { scope: "row" }, named(move.key, move.entry, map.from, root));
    const becomes = make("td", { "data-title": T.t("New name") }, ...newName(move, map, root));
    const why = make("td", { "data-title": T.t("Why") }, ...nearest(move, sides), ...footnotes.shown(reasons(move, sides)), more(move, sides));
    return make("tr", {}, make("td", {}, mark, words), old, becomes, why);
  }

  function named(name, entry, view, root) {
    const code = make("code", {}, name);
    if (!entry) return code;
    const local = location.protocol === "file:" ? "index.html" : "";
    return make("a", { href: `${root}${T.keyPage(view, entry)}${local}` }, code);
  }

  function newName(move, map, root) {
    if (move.collides) return [make("code", {}, move.output), " ", T.t("shares a name with another key")];
    if (move.translated) {
      const scale = move.transform && T.t("values × {scale}", { scale: factor(move.transform) });
      const same = move.output === move.key ? [` (${T.t("same name")})`] : [];
      return [named(move.output, move.counterpart, map.to, root), ...same, ...(scale ? [make("span", { class: "rlm-note" }, ` ${scale}`)] : [])];
    }
    if (move.output !== move.key) return [make("code", {}, move.output)];
    return [make("span", { class: "rlm-note" }, T.t("stays"))];
  }

  const factor = ({ scale, offset }) => `${scale}${offset ? ` ${offset < 0 ? "−" : "+"} ${Math.abs(offset)}` : ""}`;

  /** Return the key that looks most like a counterpart and is none. */
  function nearest(move, sides) {
    const [found] = move.translated ? [] : move.related;
    return found ? [make("p", {}, make("code", {}, found.key), ": ", make("span", T.mark(found.why), T.sided(found.why, sides)))] : [];
  }

  /** Return why the number is not the same, and what else there is to know. @returns {Array<{words: string, size?: string, quiet: boolean, mark: Object}>} */
  function reasons(move, sides) {
    const told = move.translated ? move.differences.filter(T.isTold) : [];
    const sorted = [...told].sort((one, other) => (one.grade === "minor") - (other.grade === "minor"));
    const lines = sorted.map((item) => ({ words: T.differenceWords(item, sides), size: item.size, quiet: false, mark: T.mark(item.text, item.vanishes) }));
    const notes = move.notes.filter((text) => !text.includes(" measures it when ") && !isCorrection(move, text));
    return [...lines, ...notes.map((text) => ({ words: T.sided(plainNote(text, move), sides), quiet: true, mark: T.mark(text) }))];
  }

  const isCorrection = (move, text) => !move.translated && T.corrections(move.differences).includes(text);

  /** Return a note as a page says it, without the forms of the command line. */
  const plainNote = (text, move) =>
    text
    .replace(/^\S+ does not log it$/, "the source does not log it")
    .replace(/^(.+ of )?\S+ logs nothing of this kind$/, "$1the target logs nothing of this kind")
    .replace(/: --bind .*/, `: ${(move.row ? move.row.unbound : []).map((name) => `{${name}}`).join(", ")}`);

  /** Return what is minor and not certain, folded. */
  function more(move, sides) {
    const items = move.translated ? move.differences.filter((item) => !T.isTold(item) && item.applies !== false) : [];
    if (!items.length) return null;
    const count = items.length === 1 ? T.t("1 minor difference") : T.t("{count} minor differences", { count: items.length });
    const lines = items.map((item) => make("li", {}, make("span", T.mark(item.text, item.vanishes), T.differenceWords(item, sides))));
    return make("details", {}, make("summary", {}, count), make("ul", {}, ...lines));
  }

  /** Return what a run of the command line would do about names that collide, are set aside or unknown. */
  T.accountLines = (run, doc) => {
    const moves = run.moves.filter((move) => !doc.isBoard || move.row);
    const aside = moves.filter((move) => !move.translated && !move.collides && move.output !== move.key);
    const lines = [...run.collisions].map(([name, keys]) =>
      [T.t("Set aside, because they would share one name with different values:"), [...keys, `→ ${name}`]]);
    if (doc.cut) lines.push([T.t("The last row was cut off and is left out."), []]);
    lines.push(...shared(moves, doc));
    lines.push(...[...run.duplicates].map(([key, name]) => [T.t("Left out, because another key with equal values gets the name:"), [key, `→ ${name}`]]));
    if (aside.length) lines.push([T.t("Set aside, because the name means something else in the target:"), aside.map((move) => move.key)]);
    const converted = doc.isBoard ? moves.filter((move) => move.translated && move.transform) : [];
    if (converted.length) lines.push([T.t("Not replaced here, because values convert; the command line writes the conversion:"), converted.map((move) => move.key)]);
    return lines;
  };

  /** Return the names that several keys without values would get. */
  function shared(moves, doc) {
    if (!doc.named) return [];
    const claims = T.grouped(moves.filter((move) => move.translated), (move) => move.output);
    return [...claims].filter(([, found]) => found.length > 1).map(([name, found]) =>
      [T.t("These become one name; a log keeps one where their values are equal, else all are set aside:"), [...found.map((move) => move.key), `→ ${name}`]]);
  }
})(window.rlmetricsTranslator);
