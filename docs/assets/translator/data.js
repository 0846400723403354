/**
 * Facts of the spec, loaded when they are needed.
 *
 * They come as scripts that call `rlmetricsData`: a page that is opened from a folder may load scripts but fetch nothing.
 */
"use strict";

/** @type {Object<string, any>} What the modules of the translator offer each other. */
window.rlmetricsTranslator = window.rlmetricsTranslator || {};

(function (T) {
  /** @type {Map<string, any>} */
  const loaded = new Map();
  /** @type {Map<string, Promise<any>>} */
  const asked = new Map();

  window.rlmetricsData = (name, data) => loaded.set(name, data);

  /** Where the data lies and which build it is of; set by the page. */
  T.data = { folder: "", version: "" };

  /**
   * Return a file of data, loaded once.
   * @param {string} name such as `trl/PPOTrainer`
   * @returns {Promise<any>}
   */
  T.load = (name) => {
    if (!asked.has(name)) asked.set(name, script(name));
    return asked.get(name);
  };

  /** @param {string} name @returns {Promise<any>} */
  function script(name) {
    return new Promise((resolve, reject) => {
      const element = document.createElement("script");
      const path = name.split("/").map(encodeURIComponent).join("/");
      element.src = `${T.data.folder}${path}.js?${T.data.version}`;
      element.onload = () => resolve(loaded.get(name));
      element.onerror = () => {
        asked.delete(name);
        reject(new Error(`${element.src} cannot be loaded`));
      };
      document.head.append(element);
    });
  }

  /** Return a file of data that was loaded before. @param {string} name */
  T.loaded = (name) => loaded.get(name);

  /** Tell whether a place is within runs: first and last place of each in a row. */
  T.within = (runs, place) => {
    for (let at = 0; at < runs.length; at += 2) if (runs[at] <= place && place <= runs[at + 1]) return true;
    return false;
  };

  /** Compare lists as Python compares tuples; `true` comes after `false`. @returns {number} */
  T.compare = (first, second) => {
    for (let at = 0; at < Math.min(first.length, second.length); at++) {
      if (first[at] !== second[at]) {
        if (Array.isArray(first[at])) {
          const found = T.compare(first[at], second[at]);
          if (found) return found;
          continue;
        }
        return first[at] < second[at] ? -1 : 1;
      }
    }
    return first.length - second.length;
  };

  /** Return the smallest of some items; the first of several. */
  T.least = (items, by) =>
    items.reduce((best, item) => (best === undefined || T.compare(by(item), by(best)) < 0 ? item : best), undefined);

  /** Return the items of each key. @returns {Map<any, any[]>} */
  T.grouped = (items, by) => {
    const found = new Map();
    for (const item of items) {
      const key = by(item);
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(item);
    }
    return found;
  };
})(window.rlmetricsTranslator);
