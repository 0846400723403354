/**
 * What becomes of a run: each row's entries, and who gets a name that several keys claim.
 * As `rlmetrics.translate.translator` and `.judging`.
 */
"use strict";

(function (T) {
  /**
   * @typedef {Map<string, string|null>} Row spelled values by key; null without a value
   * @typedef {{name: string, old: string, converted: boolean}} Written an entry of a translated row
   */

  /** The translation of one run. */
  T.Run = class {
    /**
     * @param {Object} map
     * @param {Row[]} rows
     */
    constructor(map, rows) {
      this._map = map;
      this._moves = new Map();
      /** New names with the keys that claim them and may not share them. @type {Map<string, string[]>} */
      this.collisions = new Map();
      /** Keys that are left out because another with equal values has their name. @type {Map<string, string>} */
      this.duplicates = new Map();
      for (const row of rows) for (const key of row.keys()) this.move(key);
      const colliding = this._colliding(rows);
      for (const key of [...colliding].sort()) {
        const move = this.move(key);
        add(this.collisions, move.output, key);
        this._moves.set(key, { ...move, output: map.aside(key), translated: false, collides: move.output });
      }
    }

    /** Return what becomes of a key. */
    move(key) {
      if (!this._moves.has(key)) this._moves.set(key, this._map.move(key));
      return this._moves.get(key);
    }

    /** What becomes of all keys, in the order in which they turned up. */
    get moves() {
      return [...this._moves.values()];
    }

    /** Return the keys that claim one name and cannot share it: they differ, or never meet. @returns {Set<string>} */
    _colliding(rows) {
      const claims = new Map();
      for (const { key, output } of this.moves) add(claims, output, key);
      const rivals = new Map([...claims].filter(([, keys]) => keys.length > 1));
      const parts = new Map([...rivals].map(([output, keys]) => [output, keys.map((key) => new Set([key]))]));
      const unequal = new Set();
      for (const row of rows) for (const [output, keys] of rivals) this._meet(row, output, keys, parts, unequal);
      return new Set([...parts].filter(([output, sets]) => sets.length > 1 || unequal.has(output))
        .flatMap(([output]) => rivals.get(output)));
    }

    _meet(row, output, keys, parts, unequal) {
      const here = keys.filter((key) => row.has(key));
      if (here.length < 2 || unequal.has(output)) return;
      const values = here.map((key) => this.converted(key, row.get(key), "json"));
      if (!values.every((value) => T.sameValue(values[0], value))) {
        unequal.add(output);
        return;
      }
      const sets = parts.get(output);
      const together = sets.filter((set) => here.some((key) => set.has(key)));
      parts.set(output, [new Set(together.flatMap((set) => [...set])), ...sets.filter((set) => !together.includes(set))]);
    }

    /** Return a value as it is written under the new name of a key. */
    converted(key, text, style) {
      const { transform, translated } = this.move(key);
      return text !== null && transform && translated ? T.convert(text, transform, style) : text;
    }

    /** Return the entries of a translated row, in the order of the old ones. @returns {Written[]} */
    entries(row) {
      const claims = new Map();
      for (const key of row.keys()) add(claims, this.move(key).output, key);
      const written = new Set();
      for (const [output, keys] of claims) {
        const [first, ...others] = [...keys].sort((one, other) => T.compare(this.move(one).order, this.move(other).order));
        written.add(first);
        for (const other of others) this.duplicates.set(other, output);
      }
      return [...row.keys()].filter((key) => written.has(key)).map((old) => {
        const { output, transform, translated } = this.move(old);
        return { name: output, old, converted: Boolean(transform && translated) };
      });
    }
  };

  function add(map, key, value) {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(value);
  }
})(window.rlmetricsTranslator);
