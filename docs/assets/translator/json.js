/**
 * JSON whose names are replaced where they stand; every other character stays. As `rlmetrics.translate.json_rows`.
 */
"use strict";

(function (T) {
  const SPACE = /[ \t\r\n]*/y;
  const STRING = /"(?:[^"\\]|\\.)*"/sy;
  const PLAIN = /[^\s,:[\]{}"]+/y;

  /** What is no JSON. */
  class JsonError extends Error {}

  function match(pattern, text, at) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    return found ? found[0] : null;
  }

  const past = (text, at) => at + match(SPACE, text, at).length;

  /**
   * @typedef {Object} Node a value and where it stands
   * @property {"object"|"array"|"string"|"plain"} type
   * @property {number} start
   * @property {number} end
   * @property {Array} items members of an object ({key, start, end, value}), or elements of an array
   */

  /** Return the value that begins at a place. @returns {Node} */
  function parse(text, at) {
    if (text[at] === "{") return container(text, at, "object", "}");
    if (text[at] === "[") return container(text, at, "array", "]");
    const [type, pattern] = text[at] === '"' ? ["string", STRING] : ["plain", PLAIN];
    const found = match(pattern, text, at);
    const isKnown = type === "string" || /^(-?(\d.*|Infinity)|NaN|null|true|false)$/.test(found || "");
    if (found === null || !isKnown) throw new JsonError(`no JSON at ${at}`);
    return { type, start: at, end: at + found.length, items: [] };
  }

  function container(text, start, type, close) {
    const items = [];
    let at = past(text, start + 1);
    while (text[at] !== close) {
      if (items.length) {
        if (text[at] !== ",") throw new JsonError(`no comma at ${at}`);
        at = past(text, at + 1);
      }
      const item = type === "object" ? member(text, at) : parse(text, at);
      items.push(item);
      at = past(text, type === "object" ? item.value.end : item.end);
    }
    return { type, start, end: at + 1, items };
  }

  function member(text, start) {
    const name = match(STRING, text, start);
    if (name === null) throw new JsonError(`no name at ${start}`);
    const colon = past(text, start + name.length);
    if (text[colon] !== ":") throw new JsonError(`no colon at ${colon}`);
    return { key: JSON.parse(name), start, end: start + name.length, value: parse(text, past(text, colon + 1)) };
  }

  /**
   * Return all JSON values of a text, one after the other; null if there is anything else. A last line that was cut
   * off is left out.
   * @returns {Node[]|null}
   */
  T.parseJson = (text) => {
    const found = [];
    let at = past(text, text.startsWith("\ufeff") ? 1 : 0);
    try {
      for (; at < text.length; at = past(text, found[found.length - 1].end)) {
        if (text[at] !== "{" && text[at] !== "[") return null;
        found.push(parse(text, at));
      }
    } catch (error) {
      if (!(error instanceof JsonError || error instanceof SyntaxError)) throw error;
      return found.length && !text.includes("\n", at) ? found : null;
    }
    return found.length ? found : null;
  };

  /** Return the objects that hold a run's numbers: each row, `data` of verl's file logger, and a state's history. */
  T.jsonRows = (text, nodes) => nodes.flatMap((node) => rowsOf(text, node));

  function rowsOf(text, node) {
    if (node.type === "array") return node.items.filter((item) => item.type === "object").flatMap((item) => rowsOf(text, item));
    const named = new Map(node.items.map((item) => [item.key, item.value]));
    const history = named.get("log_history");
    if (history && history.type === "array") return history.items.filter((item) => item.type === "object");
    if (named.size === 2 && named.has("step") && named.has("data") && named.get("data").type === "object") return [named.get("data")];
    return [node];
  }

  /** Return the spelled values of an object by their names. @returns {Map<string, string>} */
  T.jsonRow = (text, node) => new Map(node.items.map(({ key, value }) => [key, text.slice(value.start, value.end)]));

  /** Return the text of an object with its entries as a run writes them. */
  T.writtenJson = (text, node, run, row) => {
    const members = new Map(node.items.map((item) => [item.key, item]));
    if (!members.size) return text.slice(node.start, node.end);
    const entries = run.entries(row);
    const [first, last] = [node.items[0], node.items[node.items.length - 1]];
    const isAscii = !/[^\0-\x7f]/.test(text);
    const parts = entries.map((entry) => {
      const { start, end, value } = members.get(entry.old);
      const name = entry.name === entry.old ? text.slice(start, end) : T.quoted(entry.name, isAscii);
      return `${name}${text.slice(end, value.start)}${run.converted(entry.old, row.get(entry.old), "json")}`;
    });
    const between = node.items.slice(1).map((item, place) => text.slice(node.items[place].value.end, item.start));
    const kept = entries.length === node.items.length;
    const joined = parts.map((part, place) => part + (place < parts.length - 1 ? (kept ? between[place] : between[0] || ", ") : ""));
    return text.slice(node.start, first.start) + joined.join("") + text.slice(last.value.end, node.end);
  };

  /** Return a text as JSON, in ASCII if that is wanted. */
  T.quoted = (text, isAscii) => {
    const found = JSON.stringify(text);
    return isAscii ? found.replace(/[^\0-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`) : found;
  };

  /**
   * Return every text of some values, names of members included, with the member in which each stands.
   * @param {Node[]} nodes
   * @returns {Array<{start: number, end: number, field: string}>}
   */
  T.jsonTexts = (nodes, field = "") => nodes.flatMap((node) => {
    if (node.type === "string") return [{ ...node, field }];
    return node.items.flatMap((item) =>
      (item.value ? [{ ...item, field: "" }, ...T.jsonTexts([item.value], item.key)] : T.jsonTexts([item], field)));
  });
})(window.rlmetricsTranslator);
