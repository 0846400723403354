// Filters of long lists: by text, by severity, and to what changed. Without this script everything is shown.
(function () {
  "use strict";

  function each(root, selector, act) {
    Array.prototype.forEach.call(root.querySelectorAll(selector), act);
  }

  function text(row) {
    var head = row.querySelector("th");
    return (head || row).textContent.toLowerCase();
  }

  // Rows of a matrix: a key that holds the words, and that changed if only those are wanted.
  function matrix(root, box) {
    var input = box.querySelector("input[type=search]");
    var changed = box.querySelector("[data-changed]");
    var empty = root.querySelector(".rlm-empty");

    function apply() {
      var words = input.value.trim().toLowerCase();
      var any = false;
      each(root, ".rlm-matrix tbody", function (part) {
        var shown = 0;
        Array.prototype.forEach.call(part.rows, function (row) {
          if (row.className === "rlm-section") { return; }
          row.hidden = (changed.checked && row.className !== "z") || text(row).indexOf(words) < 0;
          shown += row.hidden ? 0 : 1;
        });
        part.hidden = !shown;
        any = any || shown > 0;
      });
      empty.hidden = any;
    }

    input.addEventListener("input", apply);
    changed.addEventListener("change", apply);
    apply();
    // Releases stand from left to right, and most readers come for the newest.
    each(root, ".rlm-matrix-box", function (frame) { frame.scrollLeft = frame.scrollWidth; });
  }

  // Groups of keys: those of the chosen severities, and in them what holds the words.
  function keys(root, box) {
    var input = box.querySelector("input[type=search]");
    var buttons = box.querySelectorAll("button[data-show]");
    var empty = root.querySelector(".rlm-empty");
    var first = [];
    each(root, ".rlm-group", function (group) { first.push(group.open); });

    function apply() {
      var words = input.value.trim().toLowerCase();
      var chosen = Array.prototype.filter.call(buttons, function (button) {
        return button.getAttribute("aria-pressed") === "true";
      }).map(function (button) { return button.dataset.show; });
      var any = false;
      var index = 0;
      each(root, ".rlm-group", function (group) {
        var shown = 0;
        each(group, "tbody tr", function (row) {
          row.hidden = row.textContent.toLowerCase().indexOf(words) < 0;
          shown += row.hidden ? 0 : 1;
        });
        each(group, ".rlm-kept code", function (key) {
          key.hidden = key.textContent.toLowerCase().indexOf(words) < 0;
          shown += key.hidden ? 0 : 1;
        });
        group.hidden = !shown || (chosen.length > 0 && chosen.indexOf(group.dataset.severity) < 0);
        group.open = words || chosen.length ? !group.hidden : first[index];
        any = any || !group.hidden;
        index += 1;
      });
      empty.hidden = any;
    }

    Array.prototype.forEach.call(buttons, function (button) {
      button.addEventListener("click", function () {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        apply();
      });
    });
    input.addEventListener("input", apply);
  }

  function start() {
    each(document, ".rlm", function (root) {
      each(root, ".rlm-filter", function (box) {
        box.hidden = false;
        (box.dataset.filter === "matrix" ? matrix : keys)(root, box);
      });
    });
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
