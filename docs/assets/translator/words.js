/**
 * Sentences about a translation, and addresses of pages. As `rlmetrics.wording.sides`.
 */
"use strict";

(function (T) {
  /** Sentences of the interface in the language of the page; set by the page. @type {Object<string, string>} */
  T.texts = {};

  /** Return a sentence in the language of the page. @param {string} english @param {Object} [values] */
  T.t = (english, values = {}) =>
    (T.texts[english] || english).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

  /** Return a source as a person says it: `TRL PPOTrainer 0.12.0`. */
  T.spokenName = ({ framework, component, program, release, version }) => {
    const { frameworks } = T.loaded("sources");
    if (!frameworks[framework]) return T.t("canonical names");
    const place = version || release;
    const part = component || (typeof program === "string" ? program : "");
    return [frameworks[framework].title, part, place].filter(Boolean).join(" ");
  };

  /** Mark a sentence that is looked up elsewhere. */
  T.later = (english) => english;

  const SIZES = {
    higher: T.later("{size} higher on reference batches"),
    lower: T.later("{size} lower on reference batches"),
    undefined: T.later("{size} on reference batches"),
  };
  const ONLY = /^only in the (source|target): (.+)$/s;
  const BOTH = /^(?:(.+?): )?(.+) in the source, (.+) in the target$/s;
  const SIZE = /^(.+?)(?: (higher|lower))? on reference batches$/;

  /** Texts of the spec in the language of the page, as far as they were needed. @type {Object<string, string>} */
  T.words = {};

  /** Load what files say in the language of the page: a file of words lies beside each. @param {string[]} files */
  T.loadWords = async (files) => {
    if (T.language === "en") return;
    Object.assign(T.words, ...(await Promise.all(files.map((name) => T.load(`${name}.words`)))));
  };

  const inLanguage = (text) => T.words[text] || text;

  /** Return what two sources are called in a sentence: frameworks, releases of one, or trainers of one release. */
  T.sidesOf = (from, to) => {
    const { frameworks } = T.loaded("sources");
    const title = (view) => (frameworks[view.framework] || { title: view.framework }).title;
    if (from.framework !== to.framework) return [title(from), title(to)];
    if (from.version !== to.version) return [from.version, to.version];
    if (from.component !== to.component) return [from.component || T.t("the source"), to.component || T.t("the target")];
    return [T.t("the source"), T.t("the target")];
  };

  /** Return a sentence of the data, with the names of both sides in it. */
  T.sided = (text, [source, target]) => {
    const names = { source, target };
    const only = ONLY.exec(text);
    if (only) return T.t("{side} only: {what}", { side: names[only[1]], what: inLanguage(only[2]) });
    const both = BOTH.exec(text);
    if (both) {
      const [left, right] = [inLanguage(both[2]), inLanguage(both[3])];
      const said = T.t("{left} in {source}, {right} in {target}", { left, right, source, target });
      return both[1] ? `${inLanguage(both[1])}: ${said}` : said;
    }
    return inLanguage(text).replace(/\bthe (source|target)\b/g, (_, side) => names[side]);
  };

  /** Return `lang="en"` for a sentence of the data that the language of the page has no words for. */
  T.mark = (...texts) => {
    const parts = texts.filter(Boolean).flatMap((text) => {
      const found = ONLY.exec(text) ? [ONLY.exec(text)[2]] : BOTH.exec(text) ? BOTH.exec(text).slice(1) : [text];
      return found.filter(Boolean);
    });
    return T.language === "en" || parts.every((part) => part in T.words) ? {} : { lang: "en", class: "rlm-untranslated" };
  };

  /** Return how large a difference is. */
  T.sizeWords = (size) => {
    const found = SIZE.exec(size);
    if (!found || found[1] === "no difference") return T.t("no difference on reference batches");
    return T.t(SIZES[found[2]], { size: found[1] });
  };

  /** Return a difference in words: what it is, and when it is gone. */
  T.differenceWords = ({ text, vanishes, applies }, sides) => {
    const said = T.sided(text, sides);
    return vanishes && applies !== false ? `${said}; ${T.t("same if {condition}", { condition: inLanguage(vanishes) })}.` : `${said}.`;
  };

  /** Tell whether a difference is worth a line: it is of weight, or certain to show. */
  T.isTold = ({ grade, applies }) => applies !== false && (grade !== "minor" || applies === true);

  /**
   * Return the address of the page of a key, from the root of the language. As `site.addresses`; a framework that
   * derives from another one has a page for all of its keys.
   */
  T.keyPage = (view, entry) => {
    if (view.isCanonical) return `m/${entry.metric}/`;
    if (T.loaded("sources").frameworks[view.framework].base) return `${view.framework}/`;
    const parts = entry.key.replace(/\{([^{}]*)\}/g, "_$1_").replace(/^\/+|\/+$/g, "").split("/").map((part) => {
      const plain = part.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^\.+|\.+$/g, "") || "-";
      return /^(index|readme)$/i.test(plain) ? `${plain}-` : plain;
    });
    return `k/${view.framework}/${parts.join("/")}/`;
  };
})(window.rlmetricsTranslator);
