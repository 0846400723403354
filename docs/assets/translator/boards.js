/**
 * Dashboards: names stand in their texts, and are replaced there. As far as that goes without reading expressions, as
 * `rlmetrics.translate.kinds.wandb_workspace` and `.grafana`; the command line also widens regular expressions and writes
 * conversions into expressions.
 */
"use strict";

(function (T) {
  /** What stands in a dashboard of W&B or Grafana, also in one that is a text itself. */
  const BOARD = /\\*"(?:panelBankConfig|blocks|panels|widgets|dashboard)\\*"\s*:/;
  const PREFIX = /^(?:summary:|history:|summary_metrics\.|summary\.)/;
  /** References of W&B, and names as RL-Insight gives them to Prometheus. */
  const MENTION = /(?<=\$\{)[^{}]+(?=\})|\brl_insight_monitor_[A-Za-z0-9_:]+/g;
  /** Where a text that could be any word is a name. */
  const FIELDS = new Set([
    "metrics", "metric", "mediaKeys", "legendFields", "columnOrder", "xAxis", "yAxis", "zAxis", "targetKey", "accessor",
    "groupBy", "key",
  ]);
  /** What no name has, but an expression that chooses names. */
  const REGEX = /[*^$|\\]/;
  /** A YAML scalar at the end of its line, in a list or behind a key. */
  const YAML_TEXT = /^([ \t]*(?:-[ \t]+)*(?:([\w.-]+):[ \t]+)?(?:-[ \t]+)?)("(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'|[A-Za-z_][^\s#,[\]{}]*)(?=[ \t]*(?:#.*)?\r?$)/gm;
  const YAML_BOARD = /^\s*(?:panels|sections|charts|metrics):\s*(?:#.*)?$/m;

  /** Return a text with parts of it replaced. @param {Array<{start: number, end: number, text: string}>} parts */
  T.spliced = (text, parts) => {
    let at = 0;
    const found = parts.map((part) => {
      const piece = text.slice(at, part.start) + part.text;
      at = part.end;
      return piece;
    });
    return found.join("") + text.slice(at);
  };

  T.isBoard = (text) => BOARD.test(text);

  /**
   * Return a text with other names.
   * @param {string} text
   * @param {string} field the member in which it stands
   * @param {(name: string) => string} becomes
   */
  function renamed(text, field, becomes) {
    if (/^\s*[{[]/.test(text)) {
      const nodes = T.parseJson(text);
      if (nodes) return renamedJson(text, nodes, becomes);
    }
    const prefix = (PREFIX.exec(text) || [""])[0];
    const name = text.slice(prefix.length);
    if ((prefix || name.includes("/") || FIELDS.has(field)) && !REGEX.test(name)) {
      const found = becomes(name);
      if (found !== name) return prefix + found;
    }
    return text.replace(MENTION, (mention) => {
      const before = (PREFIX.exec(mention) || [""])[0];
      return before + becomes(mention.slice(before.length));
    });
  }

  function renamedJson(text, nodes, becomes) {
    const parts = T.jsonTexts(nodes).map(({ start, end, field }) => {
      const part = text.slice(start, end);
      const said = JSON.parse(part);
      const found = renamed(said, field, becomes);
      return { start, end, text: found === said ? part : T.quoted(found, false) };
    });
    return T.spliced(text, parts);
  }

  /** Read a dashboard as JSON. @returns {Doc} */
  T.jsonBoard = (text, nodes) => document_("dashboard (JSON)", (becomes) => renamedJson(text, nodes, becomes));

  /** Read a list of names as JSON. @returns {Doc} */
  T.jsonNames = (text, nodes) => document_("names (JSON)", (becomes) => T.spliced(text, nodes.map(({ start, end }) => {
    const part = text.slice(start, end);
    const name = JSON.parse(part);
    const found = becomes(name);
    return { start, end, text: found === name ? part : T.quoted(found, false) };
  })));

  /** Read panels as YAML; null if the text is something else. @returns {Doc|null} */
  T.readYamlBoard = (text, name) => {
    if (!/\.ya?ml$/i.test(name) && !YAML_BOARD.test(text)) return null;
    return document_("dashboard (YAML)", (becomes) => text.replace(YAML_TEXT, (whole, before, field, scalar) => {
      const mark = /^['"]/.test(scalar) ? scalar[0] : "";
      const said = mark ? scalar.slice(1, -1) : scalar;
      const found = renamed(said, field || "metrics", becomes);
      if (found === said) return whole;
      const needed = mark || (/^[A-Za-z_][\w./-]*$/.test(found) ? "" : '"');
      return `${before}${needed}${found}${needed}`;
    }));
  };

  /** Return a document of names that something rewrites. */
  function document_(kind, rewrite) {
    const names = new Set();
    rewrite((name) => {
      names.add(name);
      return name;
    });
    const becomes = (run) => (name) => {
      const { translated, transform, output } = run.move(name);
      return translated && !transform ? output : name;
    };
    const row = new Map([...names].map((name) => [name, null]));
    return { kind, rows: [row], whole: false, named: true, isBoard: true, write: (run) => rewrite(becomes(run)) };
  }
})(window.rlmetricsTranslator);
