// Words of names and texts, and how far two spellings lie apart.
(function () {
  "use strict";

  function loose(text) {
    return text.toLowerCase().replace(/@/g, " at ").replace(/[^a-z0-9{}\u3400-\u9fff]+/g, " ").trim();
  }

  function wordsOf(text) {
    // Releases keep their dots; Chinese stands in runs of its own.
    return text.toLowerCase().replace(/w&b/g, "wandb").match(/[\u3400-\u9fff]+|[a-z0-9]+(?:\.[0-9]+)+[a-z0-9.]*|[a-z0-9]+/g) || [];
  }

  function isChinese(word) { return /[\u3400-\u9fff]/.test(word); }

  function stem(word) {
    return word.length > 5 ? word.replace(/(ings?|ed|es|s|e)$/, "") : word.replace(/s$/, "");
  }

  // How many letters were left out, added, changed or swapped; more than `most` is too many.
  function edits(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return most + 1;
    var before = null, last = [], row, at, to, least;
    for (to = 0; to <= other.length; to++) last.push(to);
    for (at = 1; at <= one.length; at++) {
      row = [at];
      least = at;
      for (to = 1; to <= other.length; to++) {
        var cost = one[at - 1] === other[to - 1] ? 0 : 1;
        var value = Math.min(last[to] + 1, row[to - 1] + 1, last[to - 1] + cost);
        if (before && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]) {
          value = Math.min(value, before[to - 2] + 1);
        }
        row.push(value);
        if (value < least) least = value;
      }
      if (least > most) return most + 1;
      before = last;
      last = row;
    }
    return last[other.length];
  }

  function allowed(length) {
    return length < 4 ? 0 : length < 8 ? 1 : 2;
  }

  // Which letters a text has, as bits: an edit changes at most two of them.
  function lettersOf(text) {
    var bits = 0;
    for (var at = 0; at < text.length; at++) bits |= 1 << (text.charCodeAt(at) & 31);
    return bits;
  }

  function differing(one, other) {
    var bits = one ^ other, count = 0;
    for (; bits; bits &= bits - 1) count += 1;
    return count;
  }

  window.RlmetricsSpelling = {
    loose: loose, wordsOf: wordsOf, isChinese: isChinese, stem: stem,
    edits: edits, allowed: allowed, lettersOf: lettersOf, differing: differing
  };
})();
