/**
 * Sentences about a translation, and addresses of pages. As `rlmetrics.answers.sides`.
 */
"use strict";

(function (T) {
  /** Sentences of the interface in the language of the page; set by the page. @type {Object<string, string>} */
  T.texts = {};

  /** Return a sentence in the language of the page. @param {string} english @param {Object} [values] */
  T.say = (english, values = {}) =>
    (T.texts[english] || english).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

  /** Return a source as a person says it: `TRL PPOTrainer 0.12.0`. */
  T.spokenName = ({ framework, component, program, release, version }) => {
    const { frameworks } = T.loaded("sources");
    if (!frameworks[framework]) return T.say("canonical names");
    const place = version || release;
    const part = component || (typeof program === "string" ? program : "");
    return [frameworks[framework].title, part, place].filter(Boolean).join(" ");
  };

  const ONLY = /^only in the (source|target): /;

  /** Return what two sources are called in a sentence: frameworks, releases of one, or trainers of one release. */
  T.sidesOf = (from, to) => {
    const { frameworks } = T.loaded("sources");
    const title = (view) => (frameworks[view.framework] || { title: view.framework }).title;
    if (from.framework !== to.framework) return [title(from), title(to)];
    if (from.version !== to.version) return [from.version, to.version];
    if (from.component !== to.component) return [from.component || T.say("the source"), to.component || T.say("the target")];
    return [T.say("the source"), T.say("the target")];
  };

  /** Return a sentence with the names of both sides in it. */
  T.sided = (text, [source, target]) => {
    const names = { source, target };
    const only = ONLY.exec(text);
    if (only) return T.say("{side} only: {what}", { side: names[only[1]], what: text.slice(only[0].length) });
    return text.replace(/\bthe (source|target)\b/g, (_, side) => names[side]);
  };

  /** Return a difference in words: what it is, and when it is gone. */
  T.differenceWords = ({ text, vanishes, applies }, sides) => {
    const said = T.sided(text, sides);
    return vanishes && applies !== false ? `${said}; ${T.say("same if {condition}", { condition: vanishes })}.` : `${said}.`;
  };

  /** Tell whether a difference is worth a line: it is of weight, or certain to show. */
  T.isTold = ({ grade, applies }) => applies !== false && (grade !== "minor" || applies === true);

  /** Return the address of the page of a key, from the root of the language. As `site.addresses`. */
  T.keyPage = (view, entry) => {
    if (view.isCanonical) return `m/${entry.metric}/`;
    const parts = entry.key.replace(/\{([^{}]*)\}/g, "_$1_").replace(/^\/+|\/+$/g, "").split("/").map((part) => {
      const plain = part.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^\.+|\.+$/g, "") || "-";
      return /^(index|readme)$/i.test(plain) ? `${plain}-` : plain;
    });
    return `k/${view.framework}/${parts.join("/")}/`;
  };
})(window.rlmetricsTranslator);
