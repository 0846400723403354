/**
 * Which entry of the target is the best counterpart of one of the source. As `rlmetrics.names.mapping.ranking` and `.affinity`.
 *
 * What two meanings have to do with each other is looked up; only which of several is nearer is decided here.
 */
"use strict";

(function (T) {
  const GRADES = ["minor", "biased", "incomparable"];
  const SHOWS = [false, true, null];
  const TRANSLATES = new Set(["exact", "affine", "approximate", "unreviewed"]);
  const UNREVIEWED = /^unreviewed in /;
  const OF_KIND = { exact: "same", affine: "same", related: "look-alike", none: "none" };

  T.translates = (relation) => TRANSLATES.has(relation.kind);

  /** Return how much weighs what sets two keys apart. */
  T.severity = (kind, differences) => {
    if (OF_KIND[kind]) return OF_KIND[kind];
    const shown = differences.some((item) => item.grade !== "minor" && item.applies !== false && !UNREVIEWED.test(item.text));
    if (kind === "unreviewed" && !shown) return kind;
    return shown || kind !== "approximate" ? "biased" : "close";
  };

  /** Smaller is a better translation: worst grade, number of biased and of all differences. */
  T.rank = (relation) => {
    const grades = relation.differences.map((item) => GRADES.indexOf(item.grade) + 1);
    return [Math.max(0, ...grades), grades.filter((grade) => grade > 1).length, grades.length];
  };

  T.worst = (differences) => Math.max(0, ...differences.map((item) => GRADES.indexOf(item.grade) + 1));

  /** Return the relation between two entries of one metric, as the spec's resolver stated it. */
  function stated(file, entry, target) {
    const { facts, relations, differences } = T.loaded(`${file}.facts`);
    const code = facts[entry.metric][entry.mode][entry.meaning][target.meaning];
    const [kind, numbers, scale, offset] = relations[code];
    return { kind, differences: numbers.map((number) => differenceOf(differences[number])), scale, offset };
  }

  function differenceOf([text, grade, applies, vanishes = null, correction = null, size = null]) {
    return { text, grade: GRADES[grade], applies: SHOWS[applies], vanishes, correction, size };
  }

  /** Return how to undo differences; what is undone in the target begins with where that is. */
  T.corrections = (differences, there = "") =>
    differences.map((item) => item.correction).filter(Boolean).map((text) => text.replace(/^in \{target\}: /, () => there));

  /** How much the programs of two sources have in common: a shared metric counts the more, the fewer have it. */
  T.Affinity = class {
    constructor(from, to) {
      this._measured = measured(from);
      this._logged = measured(to);
      this._programs = [from, to];
      this._having = new Map();
      for (const [program, metrics] of this._logged) {
        for (const metric of metrics) {
          if (!this._having.has(metric)) this._having.set(metric, []);
          this._having.get(metric).push(program);
        }
      }
      this._shared = new Map();
    }

    /** Return what they share, and whether that is all that the target's program logs. */
    of(component, target) {
      const program = this._programs[0].program(component);
      const other = this._programs[1].program(target);
      const own = this._measured.get(program) || new Set();
      if (!this._shared.has(program)) this._shared.set(program, this._count(own));
      const all = [...(this._logged.get(other) || [])].every((metric) => own.has(metric));
      return [this._shared.get(program).get(other) || 0, all];
    }

    _count(own) {
      const shared = new Map();
      for (const metric of own) {
        const others = this._having.get(metric) || [];
        for (const name of others) shared.set(name, (shared.get(name) || 0) + 1 / others.length);
      }
      return shared;
    }
  };

  /** Return the metrics that each program logs, in the order of the spec. */
  function measured(view) {
    const found = new Map();
    for (const entry of view.entries) {
      const program = view.program(entry.component);
      if (!found.has(program)) found.set(program, new Set());
      if (entry.metric !== null) found.get(program).add(entry.metric);
    }
    return found;
  }

  /** Compares what a target logs with what a source logs. */
  T.Ranking = class {
    constructor(from, to) {
      this._from = from;
      this._to = to;
      this._affinity = new T.Affinity(from, to);
    }

    /** Return the translations in the nearest place that has one, the best first. */
    nearest(entry, candidates) {
      const isHere = (target) => target.component === entry.component && target.key === entry.key;
      const good = this._good(entry, candidates.filter(isHere));
      if (good.length) return good;
      const others = candidates.filter((target) => !isHere(target)).map((target) => [this._place(entry, target), target]);
      const places = [...T.grouped(others, ([place]) => place.join()).values()];
      places.sort((one, other) => T.compare(one[0][0], other[0][0]));
      for (const found of places) {
        const there = this._good(entry, found.map(([, target]) => target));
        if (there.length) return there;
      }
      return [];
    }

    _good(entry, targets) {
      const good = targets.map((target) => [this.relate(entry, target), target]).filter(([relation]) => T.translates(relation));
      const scored = good.map((item) => [this.score(entry, ...item), item]);
      return scored.sort((one, other) => T.compare(one[0], other[0])).map(([, item]) => item);
    }

    /** Return how far a candidate is from an entry, whatever their relation. */
    _place(entry, target) {
      const elsewhere = target.component !== entry.component;
      const [shared, isAll] = elsewhere ? this._affinity.of(entry.component, target.component) : [0, true];
      return [elsewhere, elsewhere || target.key !== entry.key, -shared, !isAll, target.logged !== true];
    }

    /** Return how good a candidate is among those in one place, the smallest is best. */
    score(entry, relation, target) {
      const carried = T.placeholders(entry.key);
      const unbound = T.placeholders(target.key).filter((name) => !carried.includes(name));
      return [T.rank(relation), unbound.length, target.key !== entry.key, !target.preferred];
    }

    /** Tell whether the target logs the same key incomparably, and the best counterpart is one that it does not log. */
    spellingIsTaken(entry, candidates, best) {
      const program = this._to.program(best.component);
      return best.logged !== true && candidates.some((target) =>
        target.key === entry.key && target.logged !== false && this._to.program(target.component) === program &&
        !T.translates(this.relate(entry, target)));
    }

    /** Return their relation; a placeholder that the target lacks makes it approximate. */
    relate(entry, target) {
      const relation = stated(this._from.file(entry), entry, target);
      const [here, there] = [T.placeholders(entry.key), T.placeholders(target.key)];
      const lost = here.filter((name) => !there.includes(name));
      if (!lost.length || !T.translates(relation)) return relation;
      const gained = there.filter((name) => !here.includes(name) && !Object.hasOwn(target.bind, name));
      const kind = relation.kind === "unreviewed" ? relation.kind : "approximate";
      return { ...relation, kind, differences: [...relation.differences, lacking(lost, gained)] };
    }
  };

  /** Return what it means that the target has other placeholders than the source. */
  function lacking(lost, gained) {
    const whole = gained.length ? `one for each ${braces(gained)}` : "only one";
    const found = {
      text: `the source has one value for each ${braces(lost)}, the target ${whole}`,
      grade: "biased", applies: true, vanishes: null, correction: null, size: null,
    };
    if (gained.length < lost.length) return found;
    const vanishes = "the name that is bound stands for the same thing as the source's";
    return { ...found, grade: "minor", applies: null, vanishes };
  }

  const braces = (names) => names.map((name) => `{${name}}`).join(", ");
})(window.rlmetricsTranslator);
