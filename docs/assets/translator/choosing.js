/**
 * Three lists that name a source: framework, trainer, release.
 */
"use strict";

(function (T) {
  const CANONICAL = "canonical";

  /** What one side of the translation is. */
  T.Chooser = class {
    /**
     * @param {HTMLElement} root a fieldset with three lists
     * @param {() => void} changed called when a person chooses
     */
    constructor(root, changed) {
      this._framework = root.querySelector("[name=framework]");
      this._trainer = root.querySelector("[name=trainer]");
      this._release = root.querySelector("[name=release]");
      const { frameworks } = T.loaded("sources");
      for (const [name, { title }] of Object.entries(frameworks)) this._framework.append(new Option(title, name));
      this._framework.append(new Option(T.t("canonical names"), CANONICAL));
      this._framework.addEventListener("change", () => this._fill("trainer", changed));
      this._trainer.addEventListener("change", () => this._fill("release", changed));
      this._release.addEventListener("change", changed);
      this._fill("trainer");
    }

    /** The source; null if it is to be told from the keys. @returns {Source|null} */
    get source() {
      const framework = this._framework.value;
      if (!framework) return null;
      if (framework === CANONICAL) return { framework };
      const [kind, name] = splitOnce(this._trainer.value);
      return {
        framework, release: this._release.value,
        component: kind === "component" ? name : null, program: kind === "program" ? name : null,
      };
    }

    set source(source) {
      this._framework.value = source ? source.framework : "";
      this._fill("trainer");
      if (!source || source.framework === CANONICAL) return;
      const trainer = valueOf(source);
      // A part of a program is no choice of its own, but keys may come from one.
      if (![...this._trainer.options].some(({ value }) => value === trainer)) this._trainer.append(new Option(source.component, trainer));
      this._trainer.value = trainer;
      this._fill("release");
      this._release.value = source.release;
    }

    _fill(from, then) {
      const framework = T.loaded("sources").frameworks[this._framework.value];
      const before = { trainer: this._trainer.value, release: this._release.value };
      if (from === "trainer") options(this._trainer, framework ? trainers(framework) : [], before.trainer);
      options(this._release, framework ? releases(framework, this._trainer.value) : [], before.release);
      for (const list of [this._trainer, this._release]) list.disabled = !framework;
      if (then) then();
    }
  };

  /** Return the newest release of what a source names. @param {Source} source @returns {Source} */
  T.newest = (source) => {
    if (source.framework === CANONICAL) return source;
    const framework = T.loaded("sources").frameworks[source.framework];
    return { ...source, release: releases(framework, valueOf(source))[0][0] };
  };

  /** Read a source as the command line writes it; null if it is none that is known. @returns {Source|null} */
  T.parseSource = (text) => {
    const found = /^([\w-]+)(?:\[([^\]]+)\])?(?:==([^\s]+))?$/.exec(text.trim());
    const { frameworks } = T.loaded("sources");
    if (!found) return null;
    if (found[1] === CANONICAL) return { framework: CANONICAL };
    const framework = frameworks[found[1]];
    if (!framework) return null;
    const source = { framework: found[1], component: found[2] || null, program: null, release: found[3] };
    const known = releases(framework, valueOf(source)).map(([name]) => name);
    if (!found[3]) return known.length ? T.newest(source) : null;
    // A release that runs on several of another framework is meant on the newest of them.
    const release = known.find((name) => name === found[3] || name.startsWith(`${found[3]}+`));
    return release ? { ...source, release } : null;
  };

  /** Return what the list of trainers says of a source. @param {Source} source */
  const valueOf = ({ component, program }) => (component ? `component ${component}` : program ? `program ${program}` : "");

  const splitOnce = (text) => [text.slice(0, text.indexOf(" ")), text.slice(text.indexOf(" ") + 1)];

  /** Return the trainers of a framework: value and words. */
  function trainers({ components, programs }) {
    const own = [...new Set(components.filter(([, program]) => program === null).map(([name]) => name))];
    const shared = programs.map(({ name }) => [`program ${name}`, name]);
    return [["", T.t("any trainer")], ...shared, ...own.map((name) => [`component ${name}`, name])];
  }

  /** Return the releases that have a trainer, the newest first. */
  function releases({ components, programs, releases: names }, trainer) {
    const [kind, name] = splitOnce(trainer);
    const program = kind === "program" ? programs.find((row) => row.name === name) : null;
    const runs = program && program.releases
      ? program.releases
      : components.filter(([own, of]) => !trainer || (kind === "component" ? own === name : of !== null)).flatMap(([, , places]) => places);
    return names.map((release) => [release, release]).filter((_, place) => T.within(runs, place)).reverse();
  }

  function options(list, rows, value) {
    list.replaceChildren(...rows.map(([name, words]) => new Option(words, name)));
    if (rows.some(([name]) => name === value)) list.value = value;
  }
})(window.rlmetricsTranslator);
