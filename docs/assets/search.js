// The box of the search: what search-rank.js finds, as a list below it. The index is loaded when a box is first used.
(function () {
  "use strict";

  var MOST = 20;
  var SCRIPTS = ["search-spelling.js", "search-rank.js", "generated/search.js"];
  var here = document.currentScript.src.replace(/[^/]*$/, "");
  var fromDisk = location.protocol === "file:";
  var search = null, waiting = null;

  // ------------------------------------------------------------------------------------------------------ the index
  function load(then) {
    if (search) return then();
    if (waiting) return waiting.push(then);
    waiting = [then];
    var left = SCRIPTS.length;
    SCRIPTS.forEach(function (name) {
      var element = document.createElement("script");
      element.src = here + name;
      element.async = false; // they run in this order
      element.onload = function () {
        left -= 1;
        if (left) return;
        search = new window.RlmetricsSearch(window.RLMETRICS_INDEX);
        waiting.forEach(function (one) { one(); });
      };
      document.head.appendChild(element);
    });
  }

  // ------------------------------------------------------------------------------------------------------- one result
  function node(tag, name, text) {
    var element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  }

  function filled(text, values) {
    return text.replace(/\{(\w+)\}/g, function (all, name) { return name in values ? values[name] : all; });
  }

  function addressOf(base, result) {
    var entry = result.entry, framework = entry.frameworks && entry.frameworks.length === 1 ? entry.frameworks[0] : null;
    var hash = entry.fragment || "", at = framework === null ? undefined : result.at[framework];
    if (at !== undefined && (entry.kind === "key" || entry.kind === "metric")) {
      hash = "at=" + framework + "-" + search.data.frameworks[framework][1][at];
    }
    var path = entry.path.split("/").map(encodeURIComponent).join("/");
    return (base || ".") + "/" + (path ? path + "/" : "") + (fromDisk ? "index.html" : "") + (hash ? "#" + hash : "");
  }

  function kindOf(entry) {
    var words = search.data.words, framework = entry.frameworks && entry.frameworks[0];
    return filled(words[entry.kind] || entry.kind, { framework: framework ? search.data.frameworks[framework][0] : "" }).trim();
  }

  function whereOf(entry) {
    var words = search.data.words, frameworks = search.data.frameworks;
    if (entry.kind === "metric") return entry.frameworks.map(function (name) { return frameworks[name][0]; }).join(", ");
    if (entry.kind !== "key") return "";
    var names = entry.components.map(function (name) { return name.replace(/Trainer$/, ""); });
    var who = names.length > 3 ? filled(words.others, { name: names.slice(0, 2).join(", "), count: names.length - 2 }) : names.join(", ");
    var releases = frameworks[entry.frameworks[0]][1], first = releases[entry.first], last = releases[entry.last];
    return who + " · " + (first === last ? first : first + " – " + last);
  }

  function shown(result, base, id) {
    var entry = result.entry, link = node("a", "rlm-find__one");
    link.href = addressOf(base, result);
    link.id = id;
    link.tabIndex = -1;
    link.setAttribute("role", "option");
    link.setAttribute("aria-selected", "false");
    var head = node("span", "rlm-find__head");
    head.appendChild(node("span", "rlm-find__name rlm-find__name--" + entry.kind, entry.name));
    head.appendChild(node("span", "rlm-find__kind", kindOf(entry)));
    link.appendChild(head);
    var text = entry.count > 1 ? filled(search.data.words.several, { count: entry.count }) : entry.brief;
    if (text) {
      var brief = link.appendChild(node("span", "rlm-find__brief", text));
      if (entry.english && search.data.language !== "en" && !(entry.count > 1)) brief.lang = "en";
    }
    var where = whereOf(entry);
    if (where) link.appendChild(node("span", "rlm-find__where", where));
    return link;
  }

  // ---------------------------------------------------------------------------------------------------------- one box
  function Box(box, number) {
    var input = box.querySelector("input"), list = box.querySelector("[role=listbox]"), said = box.querySelector("[role=status]");
    var options = [], active = -1, last = null, going = false;
    list.id = "rlm-found-" + number;
    input.setAttribute("aria-controls", list.id);

    function open(is) {
      list.hidden = !is;
      input.setAttribute("aria-expanded", String(is));
      if (!is) input.removeAttribute("aria-activedescendant");
    }

    function choose(at) {
      if (options[active]) options[active].setAttribute("aria-selected", "false");
      active = at;
      var one = options[active];
      if (!one) return input.removeAttribute("aria-activedescendant");
      one.setAttribute("aria-selected", "true");
      input.setAttribute("aria-activedescendant", one.id);
      var top = one.offsetTop - list.offsetTop, view = list;
      if (one.offsetTop < view.scrollTop) view.scrollTop = one.offsetTop;
      else if (one.offsetTop + one.offsetHeight > view.scrollTop + view.clientHeight) {
        view.scrollTop = one.offsetTop + one.offsetHeight - view.clientHeight;
      }
      return top;
    }

    function show() {
      var text = input.value.trim(), words = search.data.words;
      if (text === last) return open(text !== "");
      last = text;
      var results = text ? search.find(text, MOST) : [];
      list.textContent = "";
      options = results.map(function (result, at) {
        return list.appendChild(shown(result, box.dataset.base, list.id + "-" + at));
      });
      if (text && !options.length) list.appendChild(node("span", "rlm-find__none", words.none));
      list.scrollTop = 0;
      active = -1;
      open(text !== "");
      choose(options.length ? 0 : -1);
      said.textContent = !text ? "" : options.length ? filled(words.found, { count: options.length }) : words.none;
    }

    function update() {
      load(function () {
        show();
        if (going && options.length) location.href = options[0].href;
        going = false;
      });
    }

    input.addEventListener("focus", function () { load(function () { if (document.activeElement === input) show(); }); });
    input.addEventListener("input", update);
    input.addEventListener("keydown", function (event) {
      if (event.isComposing) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (list.hidden) return update();
        if (options.length) choose((active + (event.key === "ArrowDown" ? 1 : options.length - 1)) % options.length);
      } else if (event.key === "Enter") {
        event.preventDefault();
        if (search && last === input.value.trim()) {
          if (options[active]) options[active].click();
        } else {
          going = true;
          update();
        }
      } else if (event.key === "Escape") {
        event.preventDefault();
        if (list.hidden) input.blur();
        else open(false);
      }
    });
    box.addEventListener("focusout", function (event) { if (!box.contains(event.relatedTarget)) open(false); });
    list.addEventListener("mousedown", function (event) { if (event.button === 0) event.preventDefault(); });
    list.addEventListener("pointermove", function (event) {
      var one = event.target.closest("[role=option]"), at = options.indexOf(one);
      if (at >= 0 && at !== active) choose(at);
    });
  }

  var boxes = Array.from(document.querySelectorAll(".rlm-find"));
  boxes.forEach(Box);

  // -------------------------------------------------------------------------------------------------------- shortcuts
  document.addEventListener("keydown", function (event) {
    var at = event.target;
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || at.isContentEditable ||
      /^(input|textarea|select)$/i.test(at.tagName)) return;
    var inputs = boxes.map(function (box) { return box.querySelector("input"); });
    var input = inputs.filter(inView).pop() || inputs[0];
    if (!input) return;
    event.preventDefault();
    input.focus();
    input.select();
  });

  function inView(element) {
    var box = element.getBoundingClientRect();
    return box.width > 0 && box.bottom > 0 && box.top < innerHeight;
  }

  // From a disk a folder shows its list of files: links lead to the page in it.
  if (fromDisk) {
    document.querySelectorAll("a[href]").forEach(function (link) {
      var href = link.getAttribute("href");
      if (/^[a-z]+:/i.test(href) || href.charAt(0) === "#") return;
      var found = /^([^?#]*)([?#].*)?$/.exec(href);
      if (/(^|\/)$|(^|\/)\.\.?$/.test(found[1])) {
        link.setAttribute("href", found[1] + (/\/$/.test(found[1]) || !found[1] ? "" : "/") + "index.html" + (found[2] || ""));
      }
    });
  }
})();
