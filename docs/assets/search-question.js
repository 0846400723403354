// Reads what was typed: the spelling in it, its words, and in which framework, trainer and release it is asked for.
(function () {
  "use strict";

  var loose = window.RlmetricsSpelling.loose, wordsOf = window.RlmetricsSpelling.wordsOf;
  var isChinese = window.RlmetricsSpelling.isChinese;
  // Words that tell nothing of what is meant, and those that say nothing within a question, stand in the index.
  var QUESTION = /^(what|how|why|when|which|is|are|does|do|can|should|where)\b/i;
  var CHINESE_LITTLE = /是什么意思|是什么|什么是|什么意思|正常范围|健康范围|多少|怎么办|怎么|为什么|为啥|如何|一直|总是|突然|变成|健康|正常|意思|什么|哪里|里面|[是的在中里了吗呢和与到从有]/g;

  function plainer(component) {
    return component.split(".").pop().replace(/(Trainer|Callback)$/, "").toLowerCase();
  }

  function releaseOf(data, framework, text) {
    var names = data.frameworks[framework][1], found = null;
    var version = text.replace(/^v/, "").replace(/\.x$/, "");
    for (var at = 0; at < names.length; at++) {
      if (names[at] === version) return at;
      if (names[at].indexOf(version + ".") === 0) found = at;
    }
    return found;
  }

  // Terms of the field by the words that names and English briefs have for them; terms stand longest first.
  function inEnglish(text, terms) {
    if (!isChinese(text)) return text;
    terms.forEach(function (term) {
      term[2] = term[2] || new RegExp(term[0].replace(/ /g, " ?"), "gi");
      text = text.replace(term[2], " " + term[1] + " ");
    });
    return text;
  }

  // What was asked: the spelling, its words, and in which framework, trainer and release.
  function read(text, search) {
    var asked = text.trim().replace(/^["'`“”‘’<(]+|["'`“”‘’>),;:?？。]+$/g, "").replace(/\s*[=:]\s*-?[\d.]+(e-?\d+)?%?$/i, "");
    var data = search.data, question = QUESTION.test(asked);
    function idle(word) {
      if (!/\s/.test(asked)) return false;
      return data.little.indexOf(word) >= 0 || (question && data.asked.indexOf(word) >= 0);
    }
    var told = inEnglish(asked, data.terms).replace(CHINESE_LITTLE, " ");
    var all = wordsOf(told).filter(function (word) { return !idle(word); });
    var where = { framework: null, trainers: [], release: null, at: {} };
    var tokens = told.toLowerCase().split(/[\s,;=\[\]()?？，。、]+/);
    var used = new Set();
    tokens.forEach(function (token) {
      if (data.frameworks[token]) where.framework = token;
      else if (search.trainers[token]) where.trainers.push(search.trainers[token]);
      else if (!/^v?\d+(\.(\d+|x))+(\.?(post|rc|dev)\d+)?$/.test(token)) return;
      else where.release = token;
      wordsOf(token).forEach(function (word) { used.add(word); });
    });
    Object.keys(data.frameworks).forEach(function (framework) {
      if (where.release && (!where.framework || where.framework === framework)) {
        var at = releaseOf(data, framework, where.release);
        if (at !== null) where.at[framework] = at;
      }
    });
    // A token with a slash or an underscore is a name, whatever stands around it.
    var named = /\s/.test(asked) ? tokens.filter(function (token) { return /[\/_]/.test(token); }).map(loose) : [];
    var rest = all.filter(function (word) { return !used.has(word); });
    // What consists of terms of the field alone is read as if it had been typed in English.
    var plain = loose(isChinese(told) ? asked : told), bare = null;
    data.prefixes.forEach(function (prefix) {
      if (bare === null && plain.indexOf(prefix + " ") === 0) bare = plain.slice(prefix.length + 1);
    });
    // What stands before a name may be anybody's own, too.
    var led = bare === null ? /^[a-z]+[:/](.+)/i.exec(asked) : null;
    all = all.length ? all : wordsOf(asked);
    var weighed = {};
    all.forEach(function (word) { weighed[word] = search.weigh(word); });
    function weighedAll(words) { return words.map(function (word) { return weighed[word]; }); }
    rest = rest.length ? rest : all;
    return { asked: asked, small: asked.toLowerCase(), plain: plain, bare: bare,
      led: led && loose(led[1]), all: weighedAll(all), rest: weighedAll(rest), where: where,
      unknown: rest.some(function (word) { return !weighed[word].known && !weighed[word].pairs; }), named: named, solid: plain.replace(/ /g, ""),
      core: rest.length && rest.length < wordsOf(asked).length ? coreOf(tokens, used, idle) : null };
  }

  // The spelling within a question: `policy/approxkl_avg` of `what is policy/approxkl_avg in trl 0.12`.
  function coreOf(tokens, used, idle) {
    var left = tokens.filter(function (token) {
      return token && !idle(token) && !wordsOf(token).every(function (word) { return used.has(word); });
    });
    return left.length ? loose(left.join(" ")) : null;
  }

  window.RlmetricsQuestion = { read: read, inEnglish: inEnglish, plainer: plainer };
})();
