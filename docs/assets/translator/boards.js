/**
 * Dashboards: names stand in their texts, and are replaced there. As far as that goes without reading expressions, as
 * `rlmetrics.translate.rewriting`; the command line also widens regular expressions and writes conversions into
 * expressions.
 */
"use strict";

(function (T) {
  /** What stands in a dashboard of W&B or Grafana, also in one that is a text itself. */
  const BOARD = /\\*"(?:panelBankConfig|blocks|panels|dashboard)\\*"\s*:/;
  const OF_WANDB = /\\*"(?:panelBankConfig|blocks)\\*"\s*:/;
  const PREFIX = /^(?:summary:|history:|summary_metrics\.|summary\.)/;
  const REFERENCE = /(?<=\$\{)[^{}]+(?=\})/g;
  /** How RL-Insight gives names to Prometheus. */
  const PROMETHEUS = /\brl_insight_monitor_[A-Za-z0-9_:]+/g;
  const MONITOR = "rl_insight_monitor_";
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
   * Return a text of W&B with other names: one that is a name, with what W&B puts before it, or that refers to names.
   * @param {string} text
   * @param {string} field the member in which it stands
   * @param {(name: string) => string} becomes
   */
  function referred(text, field, becomes) {
    const [before, name] = parted(text);
    if ((before || name.includes("/") || FIELDS.has(field)) && !REGEX.test(name)) {
      const found = becomes(name);
      if (found !== name) return before + found;
    }
    return text.replace(REFERENCE, (mention) => {
      const [prefix, inner] = parted(mention);
      return prefix + becomes(inner);
    });
  }

  /** Return a name and what W&B puts before it, the latter first. */
  function parted(text) {
    const [before] = PREFIX.exec(text) || [""];
    return [before, text.slice(before.length)];
  }

  /** Return a query or a legend of Grafana with other names; those in regular expressions and logs stay. */
  function queried(text, field, becomes) {
    if (/^\/.*\/$/.test(text) || text.includes("|=")) return text;
    return text.replace(PROMETHEUS, (name) => {
      const found = becomes(name);
      return found.startsWith(MONITOR) ? found : T.showName(found, T.rulesOf("rl_insight", "verl_tracking"));
    });
  }

  /** Return a text of JSON with other names, also in texts that are JSON themselves. */
  function renamedJson(text, nodes, renamed, becomes) {
    const parts = T.jsonTexts(nodes).map(({ start, end, field }) => {
      const part = text.slice(start, end);
      const said = JSON.parse(part);
      const inner = /^\s*[{[]/.test(said) ? T.parseJson(said) : null;
      const found = inner ? renamedJson(said, inner, renamed, becomes) : renamed(said, field, becomes);
      return { start, end, text: found === said ? part : T.quoted(found, false) };
    });
    return T.spliced(text, parts);
  }

  /** Read a dashboard as JSON. @returns {Doc} */
  T.jsonBoard = (text, nodes) => {
    const renamed = OF_WANDB.test(text) ? referred : queried;
    return document_("dashboard (JSON)", (becomes) => renamedJson(text, nodes, renamed, becomes));
  };

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
      const found = referred(said, field || "metrics", becomes);
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
