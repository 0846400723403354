// Finds what a spelling means: exact ones first, then beginnings, whole words, parts, texts, and typos.
// It knows nothing of the page; search.js shows what it finds.
(function () {
  "use strict";

  var edits = window.RlmetricsSpelling.edits, allowed = window.RlmetricsSpelling.allowed;
  var lettersOf = window.RlmetricsSpelling.lettersOf, differing = window.RlmetricsSpelling.differing;
  var loose = window.RlmetricsSpelling.loose, wordsOf = window.RlmetricsSpelling.wordsOf;
  var isChinese = window.RlmetricsSpelling.isChinese, stem = window.RlmetricsSpelling.stem;
  var plainer = window.RlmetricsQuestion.plainer, inEnglish = window.RlmetricsQuestion.inEnglish;
  var EXACT = 0, SAME = 1, SHOWN = 2, FILLED = 3, BEGINS = 4, WORDS = 5, PART = 6, NEAR = 7, LED = 8,
    STARTS = 9, TEXT = 10, TYPO = 11, SOME = 12;
  var ALIKE = 1, BEGUN = 2, SAME_WORD = 3; // how a known word goes with one that is asked for
  var ELSEWHERE = 4; // how far off another framework is: farther than another trainer and another release together
  var FIRST = 5; // as many results are seen at a glance: a near spelling is among them

  // ------------------------------------------------------------------------------------------------ what can be found
  // Return the numbers of words, each once.
  function numbers(vocabulary, words) {
    return Array.from(new Set(words), function (word) {
      if (!vocabulary.has(word)) vocabulary.set(word, vocabulary.size);
      return vocabulary.get(word);
    });
  }

  function entriesOf(data, vocabulary) {
    var found = [];

    function add(entry, names, texts, also) {
      entry.forms = names.map(function (name) {
        var plain = loose(name);
        return { raw: name, small: name.toLowerCase(), plain: plain, letters: lettersOf(plain), solid: plain.replace(/ /g, ""), words: " " + plain + " " };
      });
      entry.texts = texts.concat(names.filter(isChinese)).join(" ").toLowerCase();
      entry.names = numbers(vocabulary, [].concat.apply(wordsOf(also || ""), names.map(function (name) {
        return wordsOf(inEnglish(name, data.terms));
      })));
      entry.told = numbers(vocabulary, wordsOf(entry.texts));
      found.push(entry);
    }

    data.metrics.forEach(function (row) {
      var aliases = row[1] ? row[1].split(" ") : [];
      add({ kind: "metric", name: row[0], path: "m/" + row[0], brief: row[5] || row[2], english: !row[5],
        also: aliases, weight: row[3], frameworks: row[4] ? row[4].split(" ") : [] },
      [row[0]].concat(aliases), [row[2], row[5] || ""]);
    });
    data.keys.forEach(function (row) {
      var metrics = row[2].map(function (at) { return data.metrics[at]; });
      var first = metrics[0] || ["", "", "", 0, "", ""];
      var end = row[7] || row[1];
      add({ kind: "key", name: row[1], path: "k/" + row[0] + "/" + end, frameworks: [row[0]],
        brief: first[5] || first[2], english: !first[5], count: row[2].length, weight: row[6],
        components: row[3].map(function (at) { return data.components[at].split("/")[1]; }),
        first: row[4], last: row[5], pattern: patternOf(row[1]) },
      [row[1]], metrics.length === 1 ? [first[0], first[2], first[5] || ""] : []);
    });
    data.releases.forEach(function (path) {
      var parts = path.split("/"), title = data.frameworks[parts[0]][0];
      add({ kind: "release", name: title + " " + parts[1], path: path, brief: "", weight: 40, frameworks: [parts[0]] },
        [title + " " + parts[1], title + "==" + parts[1], parts[1], "v" + parts[1]], [],
        "release version " + data.words.changing + " " + title);
    });
    Object.keys(data.steps).forEach(function (where) {
      var parts = where.split("/"), title = data.frameworks[parts[0]][0];
      data.steps[where].split(" ").forEach(function (step) {
        var ends = step.split("-");
        add({ kind: "migration", name: parts[1] + ": " + title + " " + ends[0] + " → " + ends[1], brief: "", weight: 20,
          path: "migrate/" + where + "/" + step, frameworks: [parts[0]], components: [parts[1]] },
        [title + " " + ends[0] + " " + ends[1], parts[1] + " " + ends[0] + " " + ends[1]],
        [], data.words.moving + " " + data.words.changing + " " + title + " " + plainer(parts[1]));
      });
    });
    data.pages.forEach(function (row) {
      var trainer = row[0] === "trainer" ? row[1].split("/") : null;
      add({ kind: row[0], name: row[2], path: row[1].split("#")[0], fragment: row[1].split("#")[1] || "", brief: row[3] || "",
        weight: trainer ? 60 : row[0] === "page" ? 50 : 30, frameworks: trainer ? [trainer[1]] : [] },
      trainer ? [trainer[2], plainer(trainer[2]), row[2]] : [row[2]],
      [row[4] || row[3] || ""], trainer ? "trainer keys logs " + trainer[1] : "");
    });
    return found;
  }

  function patternOf(key) {
    var parts = key.split(/\{[^{}]*\}/);
    if (parts.length < 2 || parts.join("").length < 4) return null;
    return new RegExp("^" + parts.map(function (part) { return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"); }).join(".+?") + "$");
  }

  // --------------------------------------------------------------------------------------------------------- a question
  function Search(data) {
    this.data = data;
    this.vocabulary = new Map();
    this.entries = entriesOf(data, this.vocabulary);
    this.words = Array.from(this.vocabulary.keys());
    this.counts = this.countWords();
    this.trainers = {};
    var families = new Set(data.metrics.map(function (row) { return row[0].split("/")[0]; }));
    data.components.forEach(function (where) {
      var name = where.split("/")[1], short = plainer(name);
      if (!/Trainer$/.test(name)) return;
      this.trainers[name.toLowerCase()] = name;
      // `reward` and `sft` begin names of metrics, too.
      if (!families.has(short)) this.trainers[short] = name;
    }, this);
  }

  // How many metrics hold each word.
  Search.prototype.countWords = function () {
    var counts = new Uint16Array(this.vocabulary.size);
    this.entries.forEach(function (entry) {
      if (entry.kind === "metric") new Set(entry.names.concat(entry.told)).forEach(function (word) { counts[word] += 1; });
    });
    return counts;
  };

  // A word that is asked for: how each known word goes with it, and how much it tells, the more the fewer hold it.
  Search.prototype.weigh = function (word) {
    var root = stem(word), begins = word.length > 1, counts = this.counts, count = 4;
    var how = new Uint8Array(this.words.length);
    this.words.forEach(function (known, at) {
      if (known === word) how[at] = SAME_WORD;
      else if (begins && known.indexOf(word) === 0) how[at] = BEGUN;
      else if (word.length > 3 && known.indexOf(root) === 0) how[at] = ALIKE;
      if (how[at] === SAME_WORD || known === root) count = Math.max(1, counts[at]);
    });
    var known = how.some(function (one) { return one === SAME_WORD || (one && word.length > 3); });
    return { word: word, how: how, tells: Math.log(800 / (1 + count)), known: known, far: null,
      pairs: isChinese(word) ? this.pairsOf(word) : null };
  };

  // The known pairs of signs of a Chinese word, and how much each tells: words there have no blanks between them.
  Search.prototype.pairsOf = function (word) {
    var found = [], entries = this.entries;
    for (var at = 0; at + 1 < Math.max(2, word.length); at++) {
      var pair = word.substr(at, 2), count = 0, known = false;
      entries.forEach(function (entry) {
        if (entry.texts.indexOf(pair) < 0) return;
        known = true;
        if (entry.kind === "metric") count += 1;
      });
      if (known) found.push([pair, count ? Math.log(800 / (1 + count)) : 1]);
    }
    return found;
  };

  // How many letters lie between a word that is asked for and each known one.
  Search.prototype.measure = function (asked) {
    var most = /^\d/.test(asked.word) || asked.pairs ? 0 : allowed(asked.word.length), letters = lettersOf(asked.word);
    asked.far = new Uint8Array(this.words.length).fill(9);
    this.words.forEach(function (known, at) {
      if (known === asked.word) asked.far[at] = 0;
      else if (most && known.length > 3 && differing(letters, lettersOf(known)) <= 2 * most) {
        var found = edits(asked.word, known, most);
        if (found <= most) asked.far[at] = found;
      }
    });
  };

  // --------------------------------------------------------------------------------------------------------- how near
  function nearness(entry, query) {
    var best = null;

    function offer(tier, extra) {
      if (best === null || tier < best[0] || (tier === best[0] && extra < best[1])) best = [tier, extra];
    }

    entry.forms.forEach(function (form, place) {
      var alias = place > 0 ? 0.5 : 0;
      if (form.raw === query.asked) return offer(EXACT, alias);
      if (form.small === query.small) return offer(EXACT, 0.2 + alias);
      if (form.plain === query.plain || form.solid === query.solid) return offer(SAME, alias);
      if (form.plain === query.bare || form.plain === query.core) return offer(SHOWN, alias);
      if (form.plain === query.led) offer(LED, alias);
      if (query.named.indexOf(form.plain) >= 0) return offer(SHOWN, alias + 1 + query.named.indexOf(form.plain));
      if (form.plain.indexOf(query.plain) === 0) return offer(BEGINS, form.plain.length - query.plain.length);
      if (query.core && query.core.length > 2 && form.plain.indexOf(query.core) === 0) {
        return offer(BEGINS, form.plain.length - query.core.length);
      }
      if (form.words.indexOf(" " + query.plain + " ") >= 0) return offer(WORDS, form.plain.length - query.plain.length);
      if (query.core && form.words.indexOf(" " + query.core + " ") >= 0) return offer(WORDS, form.plain.length - query.core.length);
      if (query.solid.length > 1 && !isChinese(query.solid) && form.solid.indexOf(query.solid) >= 0) {
        return offer(PART, form.plain.length - query.plain.length);
      }
    });
    if (entry.pattern && (best === null || best[0] > FILLED) && !/[\s{}]/.test(query.asked)) {
      var shown = query.asked.replace(/^(train|eval|test)\//, "");
      if (entry.pattern.test(query.asked)) offer(FILLED, 100 - entry.name.length);
      else if (entry.pattern.test(shown)) offer(FILLED, 200 - entry.name.length);
    }
    if (best !== null && best[0] < WORDS) return best;
    // A release, a step or a trainer that holds all that is asked is what is meant, not a name that holds a part of it.
    var placed = ["release", "migration", "trainer"].indexOf(entry.kind) >= 0;
    var words = placed ? query.all : query.rest;
    if (!words.length) return best;
    var missing = 0, starts = 0;
    words.forEach(function (word) {
      var how = goes(entry.names, word.how);
      if (how === BEGUN) starts += 1;
      else if (how !== SAME_WORD) missing += 1;
    });
    if (!missing) offer(starts ? STARTS : placed && words.length > 1 ? FILLED : WORDS, starts);
    else if (best === null || best[0] > TEXT) {
      // What a name holds says more than what its text does.
      var share = inText(entry, words), follows = (entry.kind === "metric" ? 0 : 1) + 0.5 * missing / words.length;
      if (share > 0.999 && !query.unknown) offer(TEXT, follows);
      else if (share >= 0.4 && (words.length > 1 || words[0].pairs)) offer(SOME, 1 - share + 0.001 * follows);
    }
    return best;
  }

  // How well the word that goes best with what is asked for does.
  function goes(numbers, how) {
    var found = 0;
    for (var at = 0; at < numbers.length; at++) if (how[numbers[at]] > found) found = how[numbers[at]];
    return found;
  }

  // Which share of the words a name and its text hold; in a text a word may go on, as `clip` in `clipped`.
  // A word that nothing holds tells nothing of what is meant.
  function inText(entry, words) {
    var held = 0, all = 0;
    words.forEach(function (word) {
      if (word.pairs) {
        word.pairs.forEach(function (pair) {
          all += pair[1];
          if (entry.texts.indexOf(pair[0]) >= 0) held += pair[1];
        });
      } else if (word.known) {
        all += word.tells;
        var how = Math.max(goes(entry.names, word.how), goes(entry.told, word.how));
        if (how === SAME_WORD) held += word.tells;
        else if (how && word.word.length > 3) held += 0.9999 * word.tells;
      }
    });
    return all ? held / all : 0;
  }

  // A whole name with a few letters wrong, what follows a prefix included.
  function nearly(entry, query) {
    var best = null;
    [query.plain, query.core, query.bare || query.led].forEach(function (asked, at) {
      var most = asked ? allowed(asked.length) : 0;
      if (!most) return;
      var letters = lettersOf(asked);
      entry.forms.forEach(function (form) {
        if (differing(letters, form.letters) > 2 * most) return;
        var found = edits(asked, form.plain, most) + (at === 2 ? 1.5 : 0);
        if (found <= most && (best === null || found < best)) best = found;
      });
    });
    return best;
  }

  // Every word asked for, with a few letters wrong, is a word of the name.
  function misspelt(entry, query) {
    if (entry.kind === "guide") return null;
    var sum = 0;
    for (var at = 0; at < query.rest.length; at++) {
      var far = query.rest[at].far, near = 9;
      for (var to = 0; to < entry.names.length; to++) near = Math.min(near, far[entry.names[to]]);
      if (near === 9) return null;
      sum += near;
    }
    return sum;
  }

  // ------------------------------------------------------------------------------------------------------------ results
  // In another framework, trainer or release than asked for: 0 where all fits.
  function elsewhere(entry, where) {
    var off = 0;
    if (where.framework && entry.frameworks.length && entry.frameworks.indexOf(where.framework) < 0) off += ELSEWHERE;
    if (where.trainers.length && entry.components && !where.trainers.some(function (name) {
      return entry.components.indexOf(name) >= 0;
    })) off += 2;
    if (where.release && entry.kind === "key") {
      var at = where.at[entry.frameworks[0]];
      if (at === undefined || at < entry.first || at > entry.last) off += 1;
    }
    return off;
  }

  Search.prototype.find = function (text, most) {
    var query = window.RlmetricsQuestion.read(text, this), found = [];
    if (!query.plain) return [];
    this.entries.forEach(function (entry) {
      var near = nearness(entry, query);
      if (near) found.push(hit(entry, near, query));
    });
    this.addMisspelt(query, found);
    found.sort(compare);
    var seen = new Set();
    found = found.filter(function (one) {
      var place = one.entry.path + "#" + (one.entry.fragment || "");
      if (seen.has(place)) return false;
      seen.add(place);
      return true;
    });
    return withNear(found).slice(0, most || 20);
  };

  Search.prototype.addMisspelt = function (query, found) {
    var before = new Map(found.map(function (one) { return [one.entry, one]; }));
    query.rest.forEach(this.measure, this);
    this.entries.forEach(function (entry) {
      var held = before.get(entry), tier = held ? held.order[0] : SOME + 1;
      if (tier <= NEAR) return;
      var near = nearly(entry, query), words = near === null && tier > TYPO ? misspelt(entry, query) : null;
      if (near === null && words === null) return;
      var better = near === null ? hit(entry, [TYPO, words], query) : hit(entry, [NEAR, near], query);
      if (held) found[found.indexOf(held)] = better;
      else found.push(better);
    });
  };

  // Where many names begin with what was typed, or hold it, the nearest spellings are not lost behind them.
  function withNear(found) {
    if (!found.length || found[0].order[0] <= SAME) return found;
    var near = found.filter(function (one, at) { return one.order[0] === NEAR && one.order[2] <= 1 && at >= FIRST - 2; }).slice(0, 2);
    var others = found.filter(function (one) { return near.indexOf(one) < 0; });
    return others.slice(0, FIRST - 2).concat(near, others.slice(FIRST - 2));
  }

  function hit(entry, near, query) {
    var tier = near[0], close = near[1];
    // Among beginnings and parts one or two letters more come first, as after a forgotten letter; then what is logged most.
    var rough = tier === BEGINS || tier === WORDS || tier === PART ? (close <= 2 ? close : 3) : close;
    var off = elsewhere(entry, query.where);
    // A key of another framework than was asked for is no better than a name that holds the words.
    if (entry.kind === "key" && off >= ELSEWHERE && tier > SAME && tier < WORDS) tier = WORDS;
    return { entry: entry, at: query.where.at,
      order: [tier, tier <= FILLED ? 0 : off, rough, tier <= FILLED ? off : 0, -entry.weight, entry.name.length, entry.name] };
  }

  function compare(one, other) {
    for (var at = 0; at < one.order.length; at++) {
      if (one.order[at] < other.order[at]) return -1;
      if (one.order[at] > other.order[at]) return 1;
    }
    return 0;
  }

  window.RlmetricsSearch = Search;
})();
