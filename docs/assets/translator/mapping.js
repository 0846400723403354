/**
 * What becomes of each key between two sources. As `rlmetrics.names.mapping.mapping` and `rlmetrics.translate.translation_plan`.
 */
"use strict";

(function (T) {
  const MOST_RELATED = 5;
  /** Where and when a row was logged, as trackers and transformers write it into logs. */
  const OF_TRACKERS = new Set(["step", "Step", "_step", "_runtime", "_timestamp"]);

  /**
   * @typedef {Object} Row a line of the translation table
   * @property {string} from
   * @property {string|null} to
   * @property {string} relation
   * @property {Object[]} differences
   * @property {{scale: number, offset: number}|null} transform
   * @property {string[]} notes
   * @property {Object[]} related
   * @property {string|null} metric
   * @property {string[]} unbound
   * @property {string} severity
   */

  /** Every translation from one source to another. */
  T.NameMap = class {
    /**
     * @param {Object} from the source
     * @param {Object} to the target
     * @param {Object<string, string>} bind values of placeholders of the target that the source does not give
     */
    constructor(from, to, bind) {
      this.from = from;
      this.to = to;
      this._bind = bind || {};
      this._choices = new Map();
      this._ranking = new T.Ranking(from, to);
      this._lookAlikes = new T.LookAlikes(to);
      this._others = new T.OtherCounterparts(to);
    }

    /** Return what becomes of one key of a log, in whatever way a tracker shows it. */
    translate(key) {
      const matches = this.from.find(key);
      if (!matches.length) return said(key, null, null, T.AS_LOGGED, null, [`${this.from.name} does not log it`]);
      let found = matches.map((match) => this._translate(key, match));
      if (this.from.isCanonical) {
        // Frameworks call the same placeholder differently; what the target has is meant.
        const able = found.filter((item) => item.target !== null);
        found = able.length ? able : found.slice(0, 1);
      }
      const first = found[0];
      if (found.some((item) => item.target !== first.target || item.metric !== first.metric)) {
        const names = [...new Set(matches.map((match) => match.entry.component))].join(", ");
        const note = `several components log it with different meanings (${names}); name one in the source`;
        return said(key, first.row, null, first.surface, null, [note], first.entry);
      }
      return first;
    }

    _translate(key, match) {
      const { row, target, values } = this._choose(match.entry);
      const without = (notes) => said(key, row, null, match.surface, match.entry.metric, notes, match.entry);
      if (!target || row.to === null) return without(row.notes);
      const template = this.to.template(target);
      const filled = { ...values };
      for (const name of template.names) if (Object.hasOwn(match.values, name)) filled[name] = match.values[name];
      if (template.names.some((name) => !Object.hasOwn(filled, name))) return without(row.notes);
      const unfit = template.unfit(filled);
      if (unfit) {
        const pattern = template.patterns[unfit];
        return without([`'${filled[unfit]}' cannot be {${unfit}} in ${template.text}; it must match ${pattern}`]);
      }
      const shown = this.to.show(target, template.format(filled), match.surface);
      const other = template.names.length ? this._otherMeaning(shown, target) : null;
      if (other) return without([`${shown} means something else there: ${other.metric}`]);
      return said(key, row, shown, match.surface, match.entry.metric, row.notes, match.entry, target);
    }

    /** Return what a filled-in name means in the target where a more specific key has it. */
    _otherMeaning(name, target) {
      let readings = this.to.find(name).map((match) => match.entry);
      if (this.to.isCanonical) readings = readings.filter((entry) => entry.metric !== target.metric);
      return readings.includes(target) || !readings.length ? null : readings[0];
    }

    _choose(entry) {
      if (!this._choices.has(entry)) this._choices.set(entry, this._find(entry));
      return this._choices.get(entry);
    }

    _find(entry) {
      if (entry.metric === null) {
        const either = entry.either.map(([metric, when]) => `${metric} if ${when}`).join("; ");
        const note = `what it measures depends on the configuration: ${either}`;
        return { row: row(entry, { relation: "none", notes: [note] }), target: null, values: {} };
      }
      const candidates = this.to.candidates(entry.metric, entry.mode);
      return this._best(entry, candidates) || this._withoutTarget(entry, candidates);
    }

    _best(entry, candidates) {
      let good = this._ranking.nearest(entry, candidates);
      if (!good.length || this._ranking.spellingIsTaken(entry, candidates, good[0][1])) return null;
      const nearest = this._ranking.score(entry, ...good[0]);
      good = good.filter((item) => T.compare(this._ranking.score(entry, ...item), nearest) === 0);
      const names = [...new Set(good.map(([, target]) => target.key))];
      return names.length > 1 ? this._ambiguous(entry, good, names) : this._withTarget(entry, ...good[0]);
    }

    _withTarget(entry, relation, target) {
      const { shown, values, unbound } = this._named(entry, target);
      const notes = [];
      if (unbound.length) notes.push(`needs a value: ${unbound.map((name) => `--bind ${name}=…`).join(" ")}`);
      if (target.component !== entry.component) notes.push(...this._gone(entry.component));
      if (target.logged !== true && target.condition !== null) {
        notes.push(`logged only: ${target.condition}`);
        const instead = this._lookAlikes.instead(entry);
        if (instead) notes.push(instead);
      }
      notes.push(...constants(entry.constant, target.constant));
      notes.push(...T.corrections(relation.differences, `in ${target.key}: `));
      const { kind, differences, scale, offset } = relation;
      const found = row(entry, {
        to: shown, component: target.component, relation: kind, differences, notes, unbound,
        transform: scale === undefined ? null : { scale, offset }, severity: T.severity(kind, differences),
      });
      return { row: found, target, values };
    }

    /** Return a target's key with what is bound filled in, what that is, and what neither source gives. */
    _named(entry, target) {
      const template = this.to.template(target);
      const carried = T.placeholders(entry.key);
      const wanted = template.names.filter((name) => !carried.includes(name));
      const bound = Object.entries({ ...target.bind, ...this._bind });
      const values = Object.fromEntries(bound.filter(([name, value]) => wanted.includes(name) && template.fits(name, value)));
      return { shown: template.format(values), values, unbound: wanted.filter((name) => !Object.hasOwn(values, name)) };
    }

    _ambiguous(entry, good, names) {
      const related = unique(good.map(([, target]) => alike(target, "the same metric, equally good")));
      const notes = [`ambiguous: ${names.join(", ")} are equally good`];
      return { row: row(entry, { relation: "related", severity: "look-alike", notes, related }), target: null, values: {} };
    }

    /** Return which release was the last that has a component, if the target has it no longer. */
    _gone(component) {
      const { from, to } = this;
      if (from.framework !== to.framework || from.isCanonical || to.component !== null) return [];
      const runs = T.loaded("sources").frameworks[to.framework].components
        .filter(([name]) => name === component).flatMap(([, , places]) => places);
      if (!runs.length || T.within(runs, to.release) || Math.max(...runs) > to.release) return [];
      const last = T.loaded("sources").frameworks[to.framework].releases[Math.max(...runs)];
      return [`${to.framework} ${to.version} has no ${component}; the last release that has it is ${last}`];
    }

    /** Return a row that says which keys of the target look like the translation and are not. */
    _withoutTarget(entry, candidates) {
      const alikes = [];
      const scored = candidates.map((target) => [this._ranking.relate(entry, target), target]);
      const incomparable = scored.filter(([relation]) => !T.translates(relation));
      incomparable.sort((one, other) => T.compare(T.rank(one[0]), T.rank(other[0])));
      for (const [relation, target] of incomparable) {
        const why = relation.differences.filter((item) => item.grade === "incomparable").map((item) => item.text).join("; ");
        alikes.push([[0], alike(target, T.inShort(why))]);
      }
      alikes.push(...this._others.lookAlikes(entry).map((item) => [[-1], item]));
      alikes.push(...this._lookAlikes.of(entry));
      alikes.sort((one, other) => T.compare(one[0], other[0]));
      const related = unique(alikes.map(([, item]) => item)).slice(0, MOST_RELATED);
      const best = incomparable.length ? incomparable[0][0] : { differences: [] };
      const corrections = T.corrections(best.differences);
      const notes = [...new Set([...this._gone(entry.component), ...corrections, ...this._others.notes(entry)])];
      const relation = related.length ? "related" : "none";
      if (!related.length && !notes.length) {
        // A whole release is looked at as one of its programs; another one may log it.
        const meant = T.meantProgram(this.to);
        notes.push(`${meant === null ? "" : `${meant} of `}${this.to.name} logs nothing of this kind`);
      }
      const { differences, scale, offset } = best;
      const transform = scale === undefined ? null : { scale, offset };
      const found = row(entry, { relation, differences, transform, notes, related, severity: T.severity(relation, []) });
      return { row: found, target: null, values: {} };
    }

    /** Return what is written for a key, by what the relation allows. */
    move(key) {
      const found = this.translate(key);
      const left = isTold(key, this.to) ? this.aside(key) : key;
      const tracker = OF_TRACKERS.has(key) && !isTold(key, this.from);
      if (!found.row || tracker) {
        const notes = tracker ? ["trackers write it beside every row"] : found.notes;
        return { ...found, ...UNKNOWN, notes, output: left };
      }
      const undecided = this.undecided && this.undecided.get(this.from.program(found.row.fromComponent));
      if (undecided) throw new T.NamesError(undecided);
      const { severity, relation, differences, related, unbound, transform } = found.row;
      const translated = found.target !== null && T.translates({ kind: relation });
      const output = translated ? found.target : left;
      const place = this.from.entries.indexOf(found.entry);
      const order = [T.worst(differences), place < 0 ? this.from.entries.length : place];
      const needs = found.target === null ? unbound : [];
      return { ...found, output, translated, severity, relation, differences, related, needs, transform, order };
    }

    /** Return the name under which a key is set aside. */
    aside(key) {
      return `untranslated/${this.from.framework}-${this.from.version}/${key}`;
    }
  };

  /** What becomes of a key that the source does not know. */
  const UNKNOWN = {
    row: null, target: null, metric: null, translated: false, severity: "none", relation: "none", differences: [],
    related: [], needs: [], transform: null, order: [0, 0],
  };

  const said = (key, row_, target, surface, metric, notes, entry = null, found = null) =>
    ({ key, row: row_, target, surface, metric, notes, entry, counterpart: found });

  const row = (entry, rest) => ({
    from: entry.key, fromComponent: entry.component, to: null, component: null, relation: "none", differences: [], transform: null, notes: [], related: [],
    metric: entry.metric, unbound: [], severity: "none", ...rest,
  });

  const alike = (target, why) => ({ key: target.key, component: target.component, why });

  /** Return look-alikes, each key once. */
  function unique(items) {
    const found = new Map();
    for (const item of items) if (!found.has(item.key)) found.set(item.key, item);
    return [...found.values()];
  }

  /** Return what is incomparable about the same metric, from where one looks at the other key. */
  T.inShort = (why) => why.replaceAll("only in the target: ", "").replaceAll("only in the source: ", "here: ");

  function constants(source, target) {
    return [
      ...source.filter((text) => target.includes(text)).map((text) => `both are constant: ${text}`),
      ...source.filter((text) => !target.includes(text)).map((text) => `the source is constant: ${text}`),
      ...target.filter((text) => !source.includes(text)).map((text) => `the target is constant: ${text}`),
    ];
  }

  /** Tell whether a source itself logs a name, and not only whoever invents names. */
  const isTold = (name, view) => view.find(name).some((match) => view.template(match.entry).rank !== T.OPEN);
})(window.rlmetricsTranslator);
