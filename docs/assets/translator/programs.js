/**
 * Which program of a source or target is meant: a run has one trainer. As `rlmetrics.names.mapping.programs`.
 */
"use strict";

(function (T) {
  const CLASS = "Trainer";
  /** How many times as much as any other program one must share, to be taken for the counterpart. */
  const CLEAR = 1.5;
  const MOST_LISTED = 6;
  /** In the name of each loss of its own kind. */
  const LOSS = "/loss";

  /** What cannot be answered, with a sentence that says why. */
  T.NamesError = class extends Error {};

  /**
   * @typedef {Object} Source
   * @property {string} framework or `canonical`
   * @property {string} [release]
   * @property {string|null} [component] the only one that is meant
   * @property {string|null} [program] the program of a whole release that is meant
   */

  /** Write a source as the command line does. @param {Source} source */
  T.sourceName = ({ framework, release, component }) =>
    framework === "canonical" ? framework : `${framework}${component ? `[${component}]` : ""}==${release}`;

  /** Return a source, and the files of all that it logs. @param {Source} source */
  T.open = async (source) => {
    const index = await T.load("sources");
    if (source.framework === "canonical") {
      await T.load("canonical");
      return new T.CanonicalView();
    }
    const framework = index.frameworks[source.framework];
    const release = framework.releases.indexOf(source.release);
    const rows = framework.components.filter(([name, , runs]) =>
      (!source.component || name === source.component) && T.within(runs, release));
    if (!rows.length) throw new T.NamesError(`${T.sourceName(source)} is not described`);
    await Promise.all(rows.map(([name]) => T.load(`${source.framework}/${name}`)));
    return new T.FrameworkView(source.framework, release, rows, source.component || null, "");
  };

  /**
   * Return the translation between two sources, with the program of either that is meant.
   * @param {Source} from
   * @param {Source} to
   * @param {Object<string, string>} [bind]
   */
  T.mapBetween = async (from, to, bind) => {
    const [first, second] = await Promise.all([T.open(from), T.open(to)]);
    const own = from.program ? named(first, from.program) : first;
    const other = to.program ? named(second, to.program) : second;
    const found = narrowed(own, other);
    const map = new T.NameMap(found.first, found.second, bind);
    return Object.assign(map, { chosen: found.chosen, undecided: found.undecided });
  };

  /** Load what is known of some keys: what their meanings have to do with others, what they are taken for, in which words. */
  T.prepare = async (map, keys) => {
    await T.prepareMeasured(keys);
    const files = new Set();
    for (const key of keys) {
      for (const { entry } of map.from.find(key)) {
        if (entry.metric === null) continue;
        files.add(`${map.from.file(entry)}.facts`);
        if (T.hasAlike(entry.metric)) files.add(T.alikeFile(entry.metric));
      }
    }
    await Promise.all([...[...files].map(T.load), T.loadWords([...files])]);
  };

  T.hasAlike = (metric) => T.loaded("sources").alike.includes(metric.split("/")[0]);

  function named(view, program) {
    const known = [...new Set([...declared(view).keys(), ...programs(view).keys()])];
    if (!known.includes(program)) throw new T.NamesError(`${view.name} has no program ${program}`);
    return only(view, new Set([program]));
  }

  /** Return source and target with one program each, where that is known, and those that were chosen of the target. */
  function narrowed(first, second) {
    const [trainers, own] = [trainersOf(second), trainersOf(first)];
    if (trainers.length < 2 || !(own.length || trainers.every((name) => name.endsWith(CLASS)))) {
      return { first, second, chosen: [], undecided: new Map() };
    }
    const chosen = new Map();
    const undecided = new Map();
    for (const name of own) {
      const found = counterpart(name, trainers, first, second);
      if (found !== null) chosen.set(name, found);
      else undecided.set(name, undecidedNote(name, trainers, first, second));
    }
    if (!chosen.size) throw new T.NamesError([...undecided.values()][0] || undecidedNote(null, trainers, first, second));
    const names = [...new Set(chosen.values())].sort();
    const rows = declared(second);
    const isBeside = (name) => !trainers.includes(name) && !names.every((one) => one.endsWith(CLASS)) &&
      names.includes((rows.get(name) || {}).of || names[0]);
    const beside = [...programs(second).keys()].filter(isBeside);
    const view = only(second, new Set([...names, ...beside]));
    return { first, second: view, chosen: view === second ? [] : names, undecided };
  }

  /** Return the programs of a view with their components; the canonical names have none. */
  function programs(view) {
    return T.grouped(view.isCanonical ? [] : [...view.components.keys()], (label) => view.program(label));
  }

  /** Return the programs that the framework of a view declares for its release. */
  function declared(view) {
    if (view.isCanonical) return new Map();
    const here = programs(view);
    const rows = T.loaded("sources").frameworks[view.framework].programs.filter((row) =>
      (row.releases === null || T.within(row.releases, view.release)) && here.has(row.of || row.name));
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** Return the program as which a whole release is looked at, where it is the default; null if it was named. */
  T.meantProgram = (view) => {
    if (view.isCanonical || view.component !== null) return null;
    const here = [...programs(view).keys()];
    const meant = [...declared(view).values()].find((row) => row.default && here.includes(row.name));
    return meant && here.every((name) => name === meant.name) ? meant.name : null;
  };

  /** Return the programs of a view that log a loss. */
  function trainersOf(view) {
    const found = programs(view);
    if (found.size < 2) return [...found.keys()];
    return [...found.keys()].filter((name) => found.get(name).some((label) => view.components.get(label).hasLoss));
  }

  /** Return the trainer of the target that a trainer of the source is, or became; null without one. */
  function counterpart(name, trainers, first, second) {
    if (trainers.includes(name)) return name;
    const same = ofSameTask(name, trainers, first, second);
    if (same !== null) return same;
    const stem = stemOf(name);
    const alike = trainers.find((other) => !(name.endsWith(CLASS) && other.endsWith(CLASS)) &&
      (stemOf(other).includes(stem) || stem.includes(stemOf(other))));
    if (alike !== undefined) return alike;
    if (first.framework === second.framework) return null;
    const alone = minimisingTheSame(name, trainers, first, second);
    if (alone !== null) return alone;
    const [[most, best], ...rest] = byAffinity(name, trainers, first, second);
    return most > 0 && rest.every(([shared]) => most >= CLEAR * shared) ? best : null;
  }

  /** Return the trainer of another framework that does what a trainer does, as both say themselves. */
  function ofSameTask(name, trainers, first, second) {
    if (first.isCanonical || second.isCanonical || first.framework === second.framework) return null;
    const [own, other] = [first, second].map((view) => T.loaded("sources").frameworks[view.framework].tasks);
    const does = Object.keys(own).filter((task) => own[task] === name && Object.hasOwn(other, task));
    const found = new Set(does.map((task) => other[task]).filter((trainer) => trainers.includes(trainer)));
    return found.size === 1 ? [...found][0] : null;
  }

  /** Return the trainer of another framework that alone logs the loss of a trainer, whatever else they share. */
  function minimisingTheSame(name, trainers, first, second) {
    const losses = lossesOf(first).get(name) || new Set();
    const shares = (theirs) => [...theirs].some((metric) => losses.has(metric));
    const found = [...lossesOf(second)].filter(([other, theirs]) => trainers.includes(other) && shares(theirs));
    return found.length === 1 ? found[0][0] : null;
  }

  /** Return the losses that the programs of a view log in training, without the sum of all their terms. */
  function lossesOf(view) {
    const losses = new Map();
    for (const { component, mode, metric } of view.entries) {
      if (mode !== "train" || metric === null || !metric.includes(LOSS)) continue;
      const program = view.program(component);
      losses.set(program, (losses.get(program) || new Set()).add(metric));
    }
    return losses;
  }

  const stemOf = (name) => (name.endsWith(CLASS) ? name.slice(0, -CLASS.length) : name).toLowerCase();

  function byAffinity(name, trainers, first, second) {
    const affinity = new T.Affinity(first, second);
    const components = programs(second);
    const here = programs(first).get(name)[0];
    const shared = trainers.map((other) => [affinity.of(here, components.get(other)[0])[0], other]);
    return shared.sort((one, other) => other[0] - one[0]);
  }

  /** Return a view without the components of other programs, with the settings that a program makes itself. */
  function only(view, names) {
    const rows = declared(view);
    const wanted = new Set(whole(names, rows));
    const single = names.size === 1 ? [...names][0] : "";
    const made = single && (rows.get(single) || {}).settings ? single : "";
    const kept = view.rows.filter(([label]) => wanted.has(view.program(label)));
    if (kept.length === view.rows.length && !made) return view;
    const component = kept.length === 1 ? kept[0][0] : view.component;
    return new T.FrameworkView(view.framework, view.release, kept, component, made || view.settings);
  }

  /** Return programs with those whose components run in them, too. */
  function whole(names, rows) {
    return [...names].flatMap((name) => {
      const of = (rows.get(name) || {}).of;
      return [name, ...(of ? whole([of], rows) : [])];
    });
  }

  function undecidedNote(name, trainers, first, second) {
    const ranked = name === null ? trainers : byAffinity(name, trainers, first, second).map(([, other]) => other);
    const more = ranked.length > MOST_LISTED ? ` and ${ranked.length - MOST_LISTED} more` : "";
    const what = name === null ? "the source does not say which is meant" : `none is ${name}, nor clearly what it became`;
    return `${second.name} has several trainers, and ${what}: ${ranked.slice(0, MOST_LISTED).join(", ")}${more}; choose one`;
  }
})(window.rlmetricsTranslator);
