/**
 * Keys of a target that look like a counterpart and are none. As `rlmetrics.names.mapping.lookalikes` and `.counterparts`.
 *
 * Which metrics are confused, and why, is looked up.
 */
"use strict";

(function (T) {
  const [FRIEND, NAMED, QUANTITY, ANOTHER, STATISTIC, HELD_OUT, POLICY, KEY] = [1, 2, 4, 8, 16, 32, 64, 128];
  const MOST_OTHERS = 2;

  /** The file of the metrics that one is taken for. */
  T.alikeFile = (metric) => `alike/${metric.split("/")[0]}`;

  /** Return for each metric that one is taken for its name, what is so of both (bits), facets but one, and why. */
  const pairs = (metric) => (T.loaded(T.alikeFile(metric)) || {})[metric] || [];

  T.LookAlikes = class {
    constructor(to) {
      this._byMetric = T.grouped(to.entries, (entry) => entry.metric);
      this._byKey = T.grouped(to.entries, (entry) => entry.key);
      this._to = to;
    }

    /** Return keys of other metrics that look like an entry's, each with how likely they are confused, and why. */
    of(entry) {
      const found = [];
      for (const [target, [, bits, facets, why]] of this._confusable(entry)) {
        if (bits & KEY && target.key !== entry.key) continue;
        const constant = isConstant(target);
        const score = [
          1, target.key !== entry.key, constant, Boolean(bits & ANOTHER), facets, !(bits & STATISTIC),
          target.component !== entry.component, target.logged !== true,
        ];
        found.push([score, { key: target.key, component: target.component, why: constant ? `${why}; constant there` : why }]);
      }
      return found;
    }

    /** Return which key, logged by default, measures the same of another policy, such as the one that sampled. */
    instead(entry) {
      const found = this._confusable(entry).find(([target, pair]) => target.logged === true && pair[1] & POLICY);
      return found && `logged by default is ${found[0].key}: ${found[1][3]}`;
    }

    /** Return the entries of the target that may be taken for one of the source, in the order of the resolver. */
    _confusable(entry) {
      const rows = pairs(entry.metric);
      const by = new Map(rows.map((row) => [row[0], row]));
      const found = new Map();
      const add = (targets) => {
        for (const target of targets || []) {
          const row = by.get(target.metric);
          if (row && target.metric !== entry.metric && (target.mode === entry.mode || this._evaluates(entry, row))) {
            found.set(target, row);
          }
        }
      };
      add(this._byKey.get(entry.key));
      for (const [metric, bits] of rows) if (bits & FRIEND) add(this._byMetric.get(metric));
      for (const [metric, targets] of this._byMetric) if (by.has(metric) && by.get(metric)[1] & NAMED) add(targets);
      add(this._to.entries.filter((target) => by.has(target.metric) && by.get(target.metric)[1] & QUANTITY));
      return [...found];
    }

    _evaluates(entry, row) {
      return entry.mode === "eval" && Boolean(row[1] & HELD_OUT);
    }
  };

  /** Tell whether a key always has one value. */
  const isConstant = (target) => target.constant.some((text) => text.split(":")[0].endsWith(" always"));

  /** What a target would measure with other settings. */
  T.OtherCounterparts = class {
    constructor(to) {
      this._found = new Map();
      for (const target of to.entries) {
        for (const [metric, when, needed] of target.others) {
          const place = `${metric} ${target.mode}`;
          if (!this._found.has(place)) this._found.set(place, new Map());
          if (!this._found.get(place).has(target.key)) this._found.get(place).set(target.key, { target, when, needed });
        }
      }
    }

    _of(entry) {
      return [...(this._found.get(`${entry.metric} ${entry.mode}`) || new Map()).values()].slice(0, MOST_OTHERS);
    }

    notes(entry) {
      return this._of(entry).map(({ target, when }) => `${target.key} measures it when ${when}`);
    }

    lookAlikes(entry) {
      return this._of(entry).map(({ target, needed }) =>
        ({ key: target.key, component: target.component, why: `the counterpart if ${needed}` }));
    }
  };
})(window.rlmetricsTranslator);
