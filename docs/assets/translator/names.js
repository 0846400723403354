/**
 * Names: keys with placeholders, and what trackers make of names. As `rlmetrics.names.tables.templates` and `.surfaces`.
 */
"use strict";

(function (T) {
  const PLACEHOLDER = /\{([A-Za-z_]\w*)\}/g;
  const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

  /** How specific a key is: a literal beats a template with restricted placeholders, and that beats an open one. */
  T.LITERAL = 0;
  T.CONSTRAINED = 1;
  T.OPEN = 2;

  /** @type {Map<string, RegExp>} */
  const compiled = new Map();

  /** Return a regular expression, made once; a letter is one of any script, as in Python. */
  function expression(pattern, flags) {
    const place = `${flags} ${pattern}`;
    if (!compiled.has(place)) compiled.set(place, new RegExp(pattern, flags));
    return compiled.get(place);
  }

  /** Return the names of a key's placeholders, each once. @returns {string[]} */
  T.placeholders = (key) =>
    key.includes("{") ? [...new Set([...key.matchAll(PLACEHOLDER)].map((found) => found[1]))] : [];

  /** A key with placeholders. */
  T.Template = class {
    /**
     * @param {string} text such as `rewards/{reward_func}/mean`
     * @param {Object<string, string>} patterns a regular expression for the values of each placeholder
     * @param {boolean} isOpen whether users choose a value without any restriction
     */
    constructor(text, patterns, isOpen) {
      this.text = text;
      this.patterns = patterns;
      this.names = T.placeholders(text);
      this.rank = isOpen ? T.OPEN : this.names.length ? T.CONSTRAINED : T.LITERAL;
    }

    /** How many characters are no placeholder's. */
    get literalLength() {
      return [...this.text.replace(PLACEHOLDER, "")].length;
    }

    /** Return the values of the placeholders in a key; null if the key is not of this form. */
    parse(key) {
      if (!this.names.length) return key === this.text ? {} : null;
      const found = expression(this._pattern(), "su").exec(key);
      return found && { ...found.groups };
    }

    _pattern() {
      const seen = new Set();
      const parts = this.text.split(PLACEHOLDER).map((part, place) => {
        if (place % 2 === 0) return part.replace(SPECIAL, "\\$&");
        if (seen.has(part)) return `\\k<${part}>`;
        seen.add(part);
        return `(?<${part}>${this.patterns[part]})`;
      });
      return `^${parts.join("")}$`;
    }

    /** Tell whether a placeholder can have a value. */
    fits(name, value) {
      return expression(`^(?:${this.patterns[name]})$`, "su").test(value);
    }

    /** Return the key with placeholders filled in; those without a value stay. */
    format(values) {
      return this.text.replace(PLACEHOLDER, (whole, name) => (Object.hasOwn(values, name) ? values[name] : whole));
    }

    /** Return the first placeholder that a value does not fit; undefined if all fit. */
    unfit(values) {
      return this.names.find((name) => Object.hasOwn(values, name) && !this.fits(name, values[name]));
    }
  };

  /** Return how a tracker shows a logged name; empty if it does not show it at all. */
  T.showName = (name, rules) => {
    for (const [pattern, replacement, stop] of rules) {
      const rule = expression(pattern, "gu");
      rule.lastIndex = 0;
      if (!rule.test(name)) continue;
      name = name.replace(rule, replacement);
      if (stop) break;
    }
    return name;
  };

  /** Return how a tracker shows a template: what stands between the placeholders is rewritten. */
  T.showTemplate = (template, rules) => {
    const found = [];
    const plain = template.replace(/\{\w+\}/g, (text) => `Zz${found.push(text) - 1}Qq`);
    return found.reduce((shown, text, place) => shown.replaceAll(`Zz${place}Qq`, text), T.showName(plain, rules));
  };

  /** Return the rules of a tracker for a route. */
  T.rulesOf = (tracker, route) => {
    const row = T.loaded("sources").trackers.find(([name]) => name === tracker);
    return (row && row[1][route]) || [];
  };

  /** Return the ways in which trackers change names on some routes, each with the tracker it is called after. */
  T.routeSurfaces = (routes) => {
    const found = new Map();
    for (const [tracker, byRoute] of T.loaded("sources").trackers) {
      for (const route of routes) {
        const rules = byRoute[route];
        const place = JSON.stringify(rules);
        if (rules && !found.has(place)) found.set(place, [tracker, rules]);
      }
    }
    return [...found.values()];
  };
})(window.rlmetricsTranslator);
