/**
 * What a source logs, and what a key of it is. As `rlmetrics.names.meanings.component`, `.view` and `.canonical`.
 */
"use strict";

(function (T) {
  const LOGGED = [false, true, null];
  const MODES = ["train", "eval"];
  const EVAL = "eval/";

  /** The surface of names as the code logs them. */
  T.AS_LOGGED = "logged";

  /**
   * @typedef {Object} Entry one key or template of one component
   * @property {string} component
   * @property {string} key
   * @property {string} mode
   * @property {boolean|null} logged whether the release's defaults log it; null if that depends on what is not known
   * @property {string|null} metric
   * @property {number} meaning its number among the meanings of its metric and mode
   * @property {number} signature
   */

  /** Return an entry as the other modules read it. */
  function entryOf(row, data, component) {
    const [key, mode, logged, metric, meaning, signature, rest] = row;
    return {
      component, key, mode: MODES[mode], logged: LOGGED[logged],
      metric: metric < 0 ? null : data.metrics[metric], meaning, signature,
      condition: null, constant: [], bind: {}, route: null, either: [], others: [], ...rest,
    };
  }

  /** One component in one release. */
  class ComponentView {
    constructor(framework, name, release, settings) {
      const data = T.loaded(`${framework}/${name}`);
      const rows = data.views.filter((row) => row[1] <= release && release <= row[2]);
      const row = rows.find((found) => found[0] === settings) || rows.find((found) => !found[0]);
      const [, , , label, stem, loss, routes, numbers] = row;
      this.label = label;
      this.file = `${framework}/${name}`;
      this.hasLoss = loss > 0;
      this.routes = routes;
      this.patterns = data.patterns[stem];
      this.entries = numbers.map((number) => entryOf(data.entries[number], data, label));
      this._templates = new Map();
      this._literals = new Map();
      for (const entry of this.entries) {
        if (!entry.key.includes("{") && !this._literals.has(entry.key)) this._literals.set(entry.key, entry);
      }
      this._templated = this.entries.filter((entry) => entry.key.includes("{"));
    }

    /** What each way in which a tracker changes names makes of the keys. */
    get _shown() {
      this._made = this._made || T.routeSurfaces(this.routes).map(([tracker, rules]) => {
        const literals = new Map();
        const templates = [];
        for (const entry of this.entries) {
          const shown = T.showTemplate(entry.key, rules);
          if (!shown || shown === entry.key) continue;
          if (entry.key.includes("{")) templates.push([this._made_template(shown), entry]);
          else if (!literals.has(shown)) literals.set(shown, entry);
        }
        return { tracker, rules, literals, templates };
      });
      return this._made;
    }

    /** Return what a key is in its most specific reading; undefined if it is none. */
    find(key) {
      if (this._literals.has(key)) return hit([T.LITERAL, 0], this._literals.get(key), T.AS_LOGGED, {});
      for (const { literals, tracker } of this._shown) {
        if (literals.has(key)) return hit([T.LITERAL, 1], literals.get(key), tracker, {});
      }
      const own = this._templated.map((entry) => [this.template(entry), entry]);
      const hits = this._match(key, T.AS_LOGGED, [], own);
      for (const { tracker, rules, templates } of this._shown) hits.push(...this._match(key, tracker, rules, templates));
      return T.least(hits, (found) => [found.rank, !found.entry.logged]);
    }

    _match(key, surface, rules, templates) {
      const hits = [];
      for (const [template, entry] of templates) {
        const values = template.parse(key);
        // train/eval_x fits train/{any}, but eval_x would have been shown as eval/x.
        if (values && T.showName(this.template(entry).format(values), rules) === key) {
          const second = template.rank === T.OPEN ? -template.literalLength : Number(surface !== T.AS_LOGGED);
          hits.push(hit([template.rank, second], entry, surface, values));
        }
      }
      return hits;
    }

    /** Return the template of an entry's key. */
    template(entry) {
      if (!this._templates.has(entry.key)) this._templates.set(entry.key, this._made_template(entry.key));
      return this._templates.get(entry.key);
    }

    _made_template(text) {
      const names = T.placeholders(text);
      const patterns = Object.fromEntries(names.map((name) => [name, this.patterns[name][0]]));
      return new T.Template(text, patterns, names.some((name) => this.patterns[name][1]));
    }
  }

  const hit = (rank, entry, surface, values) => ({ rank, entry, surface, values });

  /** How names begin under which rlmetrics logs what it measures itself, and the canonical ones that follow. */
  const MEASURED = { "exact/": "", "train/exact/": "", "eval_exact/": EVAL, "eval/exact/": EVAL };

  const measuredStart = (key) => Object.keys(MEASURED).find((start) => key.startsWith(start));

  /** Load what `isMeasured` needs for some keys, which few runs have. @param {string[]} keys */
  T.prepareMeasured = async (keys) => {
    if (keys.some(measuredStart)) await T.load("canonical");
  };

  /** Tell whether a key is of a number that rlmetrics logs beside a trainer's. As `rlmetrics.names.meanings.exact_names`. */
  T.isMeasured = (key) => {
    const start = measuredStart(key);
    return start !== undefined && T.loaded("canonical") !== undefined &&
      new T.CanonicalView().find(MEASURED[start] + key.slice(start.length)).length > 0;
  };

  /** Some or all components of one release. */
  T.FrameworkView = class {
    /**
     * @param {string} framework
     * @param {number} release its place
     * @param {Array<[string, string|null]>} rows the components, each with the program that it runs in
     * @param {string|null} component the one that was named
     * @param {string} settings the program whose settings are in place; empty for the defaults
     */
    constructor(framework, release, rows, component, settings) {
      this.framework = framework;
      this.release = release;
      this.component = component;
      this.rows = rows;
      this.settings = settings;
      this.isCanonical = false;
      this.components = new Map();
      this._programs = new Map();
      for (const [name, of] of rows) {
        const view = new ComponentView(framework, name, release, settings);
        this.components.set(view.label, view);
        this._programs.set(view.label, of || view.label);
      }
      this.entries = [...this.components.values()].flatMap((view) => view.entries);
      this._byMetric = T.grouped(this.entries, (entry) => `${entry.metric} ${entry.mode}`);
    }

    get version() {
      return T.loaded("sources").frameworks[this.framework].releases[this.release];
    }

    /** The source as the command line writes it. */
    get name() {
      return `${this.framework}${this.component ? `[${this.component}]` : ""}==${this.version}`;
    }

    candidates(metric, mode) {
      return this._byMetric.get(`${metric} ${mode}`) || [];
    }

    /** Return what a key is, in the components in which its reading is most specific. */
    find(key) {
      if (T.isMeasured(key)) return [];
      const hits = [...this.components.values()].map((view) => view.find(key)).filter(Boolean);
      const best = T.least(hits, (found) => found.rank);
      return best ? hits.filter((found) => T.compare(found.rank, best.rank) === 0) : [];
    }

    template(entry) {
      return this.components.get(entry.component).template(entry);
    }

    program(component) {
      return this._programs.get(component);
    }

    file(entry) {
      return this.components.get(entry.component).file;
    }

    /** Return how a surface shows a logged name; a name that it does not show stays as it is. */
    show(entry, name, surface) {
      if (surface === T.AS_LOGGED) return name;
      const routes = entry.route === null ? this.components.get(entry.component).routes : [entry.route];
      for (const route of routes) {
        const rules = T.rulesOf(surface, route);
        if (rules.length) return T.showTemplate(name, rules) || name;
      }
      return name;
    }
  };

  /** The spec's own names. */
  T.CanonicalView = class {
    constructor() {
      const data = T.loaded("canonical");
      this.framework = "canonical";
      this.component = null;
      this.version = T.loaded("sources").version;
      this.isCanonical = true;
      this.name = `canonical==${this.version}`;
      this._renamed = data.renamed;
      const [training, evaluation] = data.views.map((row) =>
        row[row.length - 1].map((number) => entryOf(data.entries[number], data, "canonical")));
      this.entries = training;
      this._byMetric = T.grouped([...training, ...evaluation], (entry) => `${entry.metric} ${entry.mode}`);
      this._templated = [...new Set(training.filter((entry) => entry.patterns).map((entry) => entry.metric))];
    }

    candidates(metric, mode) {
      return this._byMetric.get(`${metric} ${mode}`) || [];
    }

    find(key) {
      const [mode, prefix] = key.startsWith(EVAL) ? ["eval", EVAL] : ["train", ""];
      const asked = key.slice(prefix.length);
      const name = Object.hasOwn(this._renamed, asked) ? this._renamed[asked] : asked;
      const plain = this.candidates(name, mode).find((entry) => !entry.patterns);
      if (plain) return [hit([T.LITERAL, 0], plain, T.AS_LOGGED, {})];
      for (const metric of this._templated) {
        if (!name.startsWith(`${metric}/`)) continue;
        // The longest form first: a data source may contain slashes itself.
        const forms = [...this.candidates(metric, mode)].reverse().map((entry) => {
          const values = this.template(entry).parse(prefix + name);
          return values && hit([T.CONSTRAINED, 0], entry, T.AS_LOGGED, values);
        }).filter(Boolean);
        if (forms.length) {
          const longest = T.placeholders(forms[0].entry.key).length;
          return forms.filter((found) => T.placeholders(found.entry.key).length === longest);
        }
      }
      return [];
    }

    template(entry) {
      return new T.Template(entry.key, entry.patterns || {}, false);
    }

    program(component) {
      return component;
    }

    file() {
      return "canonical";
    }

    show(entry, name) {
      return name;
    }
  };
})(window.rlmetricsTranslator);
