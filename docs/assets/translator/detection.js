/**
 * Which framework, component and release logged some keys. As `rlmetrics.names.inference`.
 */
"use strict";

(function (T) {
  /**
   * @typedef {Object} Candidate
   * @property {string} framework
   * @property {string|null} component null for all of a release together
   * @property {number} release its place
   * @property {Set<string>} explained
   * @property {number} always how many keys of its own it logs in every run
   * @property {number} absent how many of them are not among the keys
   */

  const MOST_LISTED = 6;

  /** @type {Map<string, Array<Object>>} What every component logs, by the file that says it, read once. */
  const known = new Map();

  /**
   * Tell where keys come from.
   * @param {string[]} keys
   * @param {boolean} whole whether these are all keys that a run logged
   * @returns {Promise<{best: Candidate[], groups: Candidate[][], chosen: Candidate|null}>} nothing explains any key if
   *   `best` is empty; `chosen` is null where the command line would ask
   */
  T.detect = async (keys, whole) => {
    await Promise.all([T.load("sources"), T.load("detection")]);
    const names = [...new Set(keys)];
    const told = derived(names);
    if (told.length) await T.load("derived");
    const found = candidates(names, told);
    if (!found.length) return { best: [], groups: [], chosen: null };
    let best = found.filter((item) => item.explained.size === found[0].explained.size);
    if (best.some((item) => item.component !== null)) best = best.filter((item) => item.component !== null);
    if (whole) best = withAllPresent(best, found);
    best = notExtended(best);
    const groups = await alike(best);
    return { best, groups, chosen: groups.length === 1 ? best[0] : null };
  };

  /** Return the groups that are offered: some of several components, all of one. */
  T.listed = (groups) =>
    groups.slice(0, new Set(groups.map(([first]) => first.component)).size > 1 ? MOST_LISTED : groups.length);

  /** Return a candidate as a source. @returns {Source} */
  T.candidateSource = ({ framework, component, release }) =>
    ({ framework, component, release: T.loaded("sources").frameworks[framework].releases[release] });

  /** Return the releases of a group of one component in words, with how many keys they explain. */
  T.groupName = (group) => {
    const [newest, oldest] = [group[0], group[group.length - 1]].map(T.candidateSource);
    const count = group[0].explained.size;
    const release = newest.release === oldest.release ? newest.release : T.t("{oldest} to {newest}", { oldest: oldest.release, newest: newest.release });
    return T.t("{name} ({count} keys)", { name: T.spokenName({ ...newest, release }), count });
  };

  function components(file) {
    if (known.has(file)) return known.get(file);
    const { frameworks } = T.loaded("sources");
    const { keys, runs, components: rows } = T.loaded(file);
    known.set(file, rows.map(([framework, place, stem, extended, routes, patterns, flat]) => {
      const [name, , described] = frameworks[framework].components[place];
      const ways = T.routeSurfaces(routes).map(([, rules]) => rules);
      const found = { framework, name, stem, extended, described, literals: new Map(), templates: [], certain: [] };
      for (let at = 0; at < flat.length; at += 2) {
        const one = { key: keys[flat[at]], runs: runs[flat[at + 1] >> 1], always: flat[at + 1] & 1 };
        addRow(found, one, ways, patterns);
      }
      return found;
    }));
    return known.get(file);
  }

  function addRow(found, one, ways, patterns) {
    const shown = new Set([one.key, ...ways.map((rules) => T.showTemplate(one.key, rules))]);
    shown.delete("");
    if (one.always) found.certain.push(one);
    const names = T.placeholders(one.key);
    if (names.some((name) => patterns[name] === null)) return;
    for (const text of shown) {
      if (names.length) found.templates.push([new T.Template(text, patterns, false), one]);
      else if (found.literals.has(text)) found.literals.get(text).push(one);
      else found.literals.set(text, [one]);
    }
  }

  /** Return the frameworks that run another one's trainers and of which some of these keys tell. */
  function derived(names) {
    const telling = T.loaded("detection").derived;
    const has = (pattern) => names.some((name) => new RegExp(pattern).test(name));
    return Object.keys(telling).filter((name) => telling[name].some((patterns) => patterns.every(has)));
  }

  /**
   * Return every source that explains some key, those that explain the most first and newer releases first.
   * @param {string[]} names
   * @param {string[]} told the only frameworks that it can be, if there are any
   */
  function candidates(names, told) {
    const file = told.length ? "derived" : "detection";
    const frameworks = Object.keys(T.loaded("sources").frameworks).filter((name) => !told.length || told.includes(name));
    const found = [];
    for (const [place, framework] of frameworks.entries()) {
      const byRelease = new Map();
      for (const component of components(file).filter((item) => item.framework === framework)) {
        for (const item of explaining(component, names)) {
          if (!byRelease.has(item.release)) byRelease.set(item.release, []);
          byRelease.get(item.release).push(item);
        }
      }
      for (const [release, items] of byRelease) {
        const together = new Set(items.flatMap((item) => [...item.explained]));
        if (items.every((item) => item.explained.size < together.size)) {
          items.push({ framework, component: null, release, explained: together, always: 0, absent: 0, stem: null });
        }
        found.push(...items.map((item) => [[-item.explained.size, place, -release], item]));
      }
    }
    return found.sort((one, other) => T.compare(one[0], other[0])).map(([, item]) => item);
  }

  /** Return a component in each release in which it logs any of some names. */
  function explaining(component, names) {
    const found = new Map();
    const hit = new Set();
    for (const name of names) {
      const rows = [...(component.literals.get(name) || [])];
      rows.push(...component.templates.filter(([template]) => template.parse(name)).map(([, one]) => one));
      for (const one of rows) {
        hit.add(one);
        for (const release of places(one.runs)) {
          if (!found.has(release)) found.set(release, new Set());
          found.get(release).add(name);
        }
      }
    }
    const { framework, name, stem, extended } = component;
    return places(component.described).filter((release) => found.has(release)).map((release) => {
      const certain = component.certain.filter((one) => T.within(one.runs, release));
      const absent = new Set(certain.filter((one) => !hit.has(one)).map((one) => one.key)).size;
      const explained = found.get(release);
      return { framework, component: name, release, explained, always: certain.length, absent, stem, extended };
    });
  }

  function places(runs) {
    const found = [];
    for (let at = 0; at < runs.length; at += 2) for (let one = runs[at]; one <= runs[at + 1]; one++) found.push(one);
    return found;
  }

  const isComplete = (item) => item.always > 0 && !item.absent;

  /** Leave out where something is missing that is always logged, if elsewhere all is present. */
  function withAllPresent(best, found) {
    const single = best.filter(isComplete);
    if (single.length || best[0].component !== null) return single.length ? single : best;
    const complete = new Set(found.filter(isComplete).map((item) => `${item.framework} ${item.component}`));
    const ruledOut = new Set(found
      .filter((item) => complete.has(`${item.framework} ${item.component}`) && item.always && !isComplete(item))
      .map((item) => `${item.framework} ${item.release}`));
    const left = best.filter((item) => !ruledOut.has(`${item.framework} ${item.release}`));
    return left.length ? left : best;
  }

  /** Leave out classes that extend another one of the same release. */
  function notExtended(best) {
    const place = (item, stem) => `${item.framework} ${item.release} ${stem}`;
    const present = new Set(best.filter((item) => item.stem).map((item) => place(item, item.stem)));
    const left = best.filter((item) => !item.stem || !item.extended.some((base) => present.has(place(item, base))));
    return left;
  }

  /** Group releases of one component, newest first, that follow each other and mean the same by the keys. */
  async function alike(best) {
    const byName = T.grouped(best, (item) => `${item.framework} ${item.component}`);
    if (byName.size > 1) return [...byName.values()];
    const split = [];
    for (const item of best) {
      const view = await T.open(T.candidateSource(item));
      const meaning = JSON.stringify([...item.explained].sort().map((key) => {
        const [found] = view.find(key);
        return found ? [key, found.entry.metric, found.entry.signature] : [key];
      }));
      if (split.length && split[split.length - 1][0] === meaning) split[split.length - 1][1].push(item);
      else split.push([meaning, [item]]);
    }
    return split.map(([, items]) => items);
  }
})(window.rlmetricsTranslator);
