// The release strip: a cursor over its rows, and a panel that tells what the chosen release logs.
// What it shows of a strip stands in the page, what is the same for all in assets/generated/releases.js; without this
// script the page has the strip, its legend and a table.
(function () {
  "use strict";

  function all(root, selector) {
    return Array.prototype.slice.call(root.querySelectorAll(selector));
  }

  function escaped(text) {
    return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
  }

  function filled(text, values) {
    return text.replace(/\{(\w+)\}/g, function (whole, name) {
      return name in values ? values[name] : whole;
    });
  }

  function chip(label, style) {
    return '<span class="rlm-chip rlm-' + style + '">' + escaped(label) + "</span>";
  }

  function mark(severity) {
    var name = escaped(severity[2]);
    return '<span class="rlm-severity rlm-' + severity[0] + '" role="img" aria-label="' + name + '" title="' + name + '">' + severity[1] + "</span>";
  }

  function button(go, text, label) {
    return '<button type="button" data-go="' + go + '"' + (label ? ' aria-label="' + escaped(label) + '"' : "") + ">" + escaped(text) + "</button>";
  }

  // What only this script makes of use: how to point at a release, and the buttons.
  function controls(strip, words) {
    var how = document.createElement("p");
    how.className = "rlm-small";
    how.textContent = words.how;
    strip.parentNode.insertBefore(how, strip);
    strip.querySelector(".rlm-control").innerHTML =
      button("c-", "← " + words.earlier) + button("c+", words.later + " →") + '<span class="rlm-space"></span><label>' +
      escaped(words.release) + " <select></select></label>" + button("-", "‹", words.previous) + button("+", "›", words.next);
  }

  function start(strip) {
    var framework = (window.rlmReleases || {})[strip.dataset.framework];
    if (!framework) return;
    var data = JSON.parse(strip.querySelector("script").textContent);
    var words = window.rlmStripWords;
    controls(strip, words);
    var releases = framework.releases;
    var count = releases.length;
    var plot = strip.querySelector(".rlm-plot");
    var over = strip.querySelector(".rlm-over");
    var cursor = strip.querySelector(".rlm-cursor");
    var label = cursor.firstElementChild;
    var select = strip.querySelector("select");
    var panel = strip.querySelector(".rlm-panel");
    var pinned = data.start;
    var language = document.documentElement.lang || "en";

    function placeOf(release) {
      for (var at = 0; at < count; at++) if (releases[at][0] === release) return at;
      return -1;
    }

    function day(text) {
      return new Date(text + "T12:00Z").toLocaleDateString(language, { day: "numeric", month: "short", year: "numeric" });
    }

    function pieceAt(row, at) {
      for (var i = 0; i < row.p.length; i++) if (row.p[i][0] <= at && at <= row.p[i][1]) return row.p[i];
      return null;
    }

    function source(row, at) {
      // Each entry says how many releases after the one before it, in which file, and how many lines further.
      var path = -1, line = 0, place = 0;
      for (var i = 0; i < row.l.length && place + row.l[i] <= at; i += 3) { place += row.l[i]; path = row.l[i + 1]; line += row.l[i + 2]; }
      if (path < 0) return "";
      var name = data.paths[path][0], note = data.paths[path][1];
      var text = "<code>" + escaped(name) + ":" + line + "</code>";
      if (note) return text + " (" + escaped(note) + ")";
      if (framework.url && framework.untagged.indexOf(at) < 0) {
        var url = filled(framework.url, { release: releases[at][0], path: name, line: line });
        text = '<a href="' + escaped(url) + '">' + text + "</a>";
      }
      return filled(words.at, { line: text, release: "v" + escaped(releases[at][0]) });
    }

    function sentences(numbers) {
      return numbers.map(function (number) { return data.say[number]; });
    }

    function told(item) {
      var piece = item.piece, html = chip(piece[2], piece[3]) + "<div><p>";
      var key = "<code>" + escaped(data.keys[piece[4]]) + "</code>";
      html += filled(words.logs, { who: "<b>" + item.who.map(escaped).join(", ") + "</b>", key: key });
      html += "</p><p>" + mark(words.severities[piece[5]]) + " " + data.say[piece[6]] + "</p>";
      var reasons = sentences(piece[7]), minor = sentences(piece[8]);
      if (reasons.length) html += "<ul><li>" + reasons.join("</li><li>") + "</li></ul>";
      if (minor.length) {
        html += "<details><summary>" + escaped(words.smaller) + " " + minor.length + "</summary><p>" + minor.join(" ") + "</p></details>";
      }
      html += '<p class="rlm-small">' + sentences(piece[9]).join(" ");
      var sources = item.sources.filter(Boolean);
      return html + (sources.length ? " · " + sources.join("; ") : "") + "</p></div>";
    }

    function show(at) {
      var open = !!panel.querySelector("details[open]");
      var items = [], without = [], says = [];
      data.rows.forEach(function (row) {
        var piece = pieceAt(row, at);
        if (!piece) {
          if (row.e[0] <= at && at <= row.e[1]) without.push(row.n);
          return;
        }
        says.push(row.n + " " + piece[2]);
        var from = source(row, at), told = JSON.stringify(piece.slice(2)), same = null;
        items.forEach(function (item) { if (item.told === told) same = item; });
        // Trainers of which the same is to be told share an entry, with the line of each.
        if (!same) items.push(same = { who: [], piece: piece, told: told, sources: [] });
        same.who.push(row.n);
        if (same.sources.indexOf(from) < 0) same.sources.push(from);
      });
      var html = "<h3>" + escaped(framework.title) + " " + escaped(releases[at][0]) + " <small>" + escaped(day(releases[at][1])) + "</small></h3>";
      items.forEach(function (item) { html += '<div class="rlm-item">' + told(item) + "</div>"; });
      if (!items.length && !without.length) html += '<p class="rlm-mute">' + escaped(words.nobody) + "</p>";
      if (without.length) {
        html += '<p class="rlm-mute">' + escaped(filled(words.not, { who: without.slice(0, 4).join(", ") + (without.length > 4 ? " …" : "") })) + "</p>";
      }
      panel.innerHTML = html;
      if (open) all(panel, "details").forEach(function (item) { item.open = true; });
      var share = (at + 0.5) / count;
      cursor.style.left = 100 * share + "%";
      label.textContent = releases[at][0];
      label.style.transform = "translateX(" + (share < 0.06 ? "-10%" : share > 0.94 ? "-90%" : "-50%") + ")";
      select.value = String(at);
      plot.setAttribute("aria-valuenow", String(at));
      plot.setAttribute("aria-valuetext", releases[at][0] + ": " + (says.join("; ") || words.nothing));
    }

    function set(at) {
      pinned = Math.max(0, Math.min(count - 1, at));
      show(pinned);
    }

    function chosen(at) {
      set(at);
      // Several strips share the address: it names the framework, too.
      try { history.replaceState(null, "", "#at=" + strip.dataset.framework + "-" + releases[pinned][0]); } catch (error) { /* a page from a file */ }
    }

    function change(direction) {
      var found = data.changes.filter(function (at) { return direction > 0 ? at > pinned : at < pinned; });
      if (found.length) chosen(direction > 0 ? found[0] : found[found.length - 1]);
    }

    function under(event) {
      var box = over.getBoundingClientRect();
      return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - box.left) / box.width) * count)));
    }

    var keys = {
      ArrowRight: function () { chosen(pinned + 1); },
      ArrowUp: function () { chosen(pinned + 1); },
      ArrowLeft: function () { chosen(pinned - 1); },
      ArrowDown: function () { chosen(pinned - 1); },
      PageUp: function () { change(1); },
      PageDown: function () { change(-1); },
      Home: function () { chosen(0); },
      End: function () { chosen(count - 1); }
    };

    releases.forEach(function (release, at) {
      var option = document.createElement("option");
      option.value = String(at);
      option.textContent = release[0] + (data.changes.indexOf(at) >= 0 ? "  • " + words.changed : "");
      select.appendChild(option);
    });
    plot.tabIndex = 0;
    plot.setAttribute("role", "slider");
    plot.setAttribute("aria-label", filled(words.axis, { framework: framework.title }));
    plot.setAttribute("aria-valuemin", "0");
    plot.setAttribute("aria-valuemax", String(count - 1));
    plot.addEventListener("pointermove", function (event) {
      if (event.pointerType === "mouse") show(under(event));
      else if (event.buttons) set(under(event));
    });
    plot.addEventListener("pointerenter", function () { panel.style.minHeight = panel.offsetHeight + "px"; });
    plot.addEventListener("pointerleave", function (event) {
      if (event.pointerType === "mouse") show(pinned);
      panel.style.minHeight = "";
    });
    plot.addEventListener("click", function (event) { chosen(under(event)); });
    plot.addEventListener("keydown", function (event) {
      if (event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
      keys[event.key]();
      event.preventDefault();
      event.stopPropagation();
    });
    select.addEventListener("change", function () { chosen(Number(select.value)); });
    all(strip, "[data-go]").forEach(function (button) {
      button.addEventListener("click", function () {
        var go = button.dataset.go;
        if (go.charAt(0) === "c") change(go === "c+" ? 1 : -1);
        else chosen(pinned + (go === "+" ? 1 : -1));
      });
    });
    var asked = /[#&]at=([a-z]+)-([\w.]+)/.exec(location.hash);
    var place = asked && asked[1] === strip.dataset.framework ? placeOf(asked[2]) : -1;
    if (place >= 0) pinned = place;
    [cursor, panel, strip.querySelector(".rlm-control")].forEach(function (part) { part.hidden = false; });
    strip.classList.add("rlm-live");
    show(pinned);
  }

  function copy(button) {
    button.hidden = false;
    button.addEventListener("click", function () {
      var text = document.getElementById(button.dataset.copy).textContent;
      function done() {
        var before = button.textContent;
        button.textContent = button.dataset.done;
        setTimeout(function () { button.textContent = before; }, 1500);
      }
      if (navigator.clipboard && window.isSecureContext) {
        navigator.clipboard.writeText(text).then(done, function () {});
        return;
      }
      var area = document.createElement("textarea");
      area.value = text;
      document.body.appendChild(area);
      area.select();
      try { document.execCommand("copy"); done(); } catch (error) { /* nothing can be copied here */ }
      area.remove();
    });
  }

  all(document, ".rlm-strip").forEach(start);
  all(document, "[data-copy]").forEach(copy);
})();
