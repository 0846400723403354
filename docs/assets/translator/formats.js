/**
 * What may be pasted or dropped: names, rows of a log, the header of a table, or a dashboard.
 *
 * Each format reads a text into a document: its rows, and how it is written with other names.
 */
"use strict";

(function (T) {
  /**
   * @typedef {Object} Doc
   * @property {string} kind
   * @property {Array<Map<string, string|null>>} rows what is translated together, row by row
   * @property {boolean} whole whether a run's rows are all here, so that what is missing says something
   * @property {boolean} named whether these are names without values: then no two of them can be told to differ
   * @property {boolean} [cut] whether a last row was cut off and is left out
   * @property {(run: Object) => string} write
   */

  const NUMBER = "[-+]?(?:[0-9]+(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\\.[0-9]+|nan|inf)";
  const ESCAPE = "\\x1b?\\[[0-9;?]*[A-Za-z]";
  const STRING = "'(?:[^'\\\\\\r\\n]|\\\\.)*'|\"(?:[^\"\\\\\\r\\n]|\\\\.)*\"";
  const VALUE = `${NUMBER}|None|True|False|${STRING}|[A-Za-z_][\\w.]*\\([^()\\r\\n]*\\)|\\[[^\\[\\]{}\\r\\n]*\\]`;
  const DICT = new RegExp(`\\{\\s*(?:${STRING}):\\s*(?:${VALUE})(?:,\\s*(?:${STRING}):\\s*(?:${VALUE}))*,?\\s*\\}`, "g");
  const DICT_FIELD = new RegExp(`(${STRING})(:\\s*)(${VALUE})`, "g");
  const STEP = new RegExp(`(?:(?<![\\w/.\\-])|${ESCAPE})step:${NUMBER}(?= - )`, "g");
  const STEP_FIELD = new RegExp(
    ` - ([^\\r\\n\\x1b]+?):(${NUMBER}|True|False|[A-Za-z_][\\w.]*\\([^()\\r\\n]*\\))(?= - |[ \\t]*(?:[\\r\\n\\x1b]|\\[repeated |$))`, "y");

  const TORN_STEP = new RegExp(`(?:(?<![\\w/.\\-])|${ESCAPE})step:[0-9]+(?: -| ?$)`);
  const TORN_DICT = new RegExp(`(?:^|[\\r\\]):]|${ESCAPE})[ \\t]*\\{(?:['"][^\\r\\n{}]*)?$`);

  const READERS = [readJson, readSteps, readDicts, T.readYamlBoard, readTable, readNames];

  /** Return what a text is. @param {string} text @param {string} [name] the name of its file @returns {Doc} */
  T.read = (text, name = "") => {
    for (const reader of READERS) {
      const found = reader(text, name);
      if (found) return found;
    }
    return readNames(text);
  };

  /** Return every name of a document. @param {Doc} doc */
  T.namesIn = (doc) => [...new Set(doc.rows.flatMap((row) => [...row.keys()]))];

  // JSON: rows, a list of names, or a dashboard, see `boards.js`.

  function readJson(text) {
    const nodes = T.parseJson(text);
    if (!nodes) return null;
    if (T.isBoard(text)) return T.jsonBoard(text, nodes);
    const names = nodes.flatMap(listed);
    if (names.length) return T.jsonNames(text, names);
    const found = T.jsonRows(text, nodes).map((node) => ({ node, row: T.jsonRow(text, node) }));
    const end = nodes[nodes.length - 1].end;
    const rest = text.slice(end);
    const cut = Boolean(rest.trim());
    const tail = cut ? rest.slice(0, rest.lastIndexOf("\n") + 1) : rest;
    return {
      kind: found.length === 1 ? "a row (JSON)" : "rows (JSON)",
      rows: found.map(({ row }) => row), whole: found.length > 1, named: false, cut,
      write: (run) => T.spliced(text.slice(0, end), found.map(({ node, row }) =>
        ({ start: node.start, end: node.end, text: T.writtenJson(text, node, run, row) }))) + tail,
    };
  }

  /** Return the texts of a list of names, or of an object of such lists; nothing of any other value. */
  function listed(node) {
    if (node.type === "array") return node.items.every((item) => item.type === "string") ? node.items : [];
    const lists = node.items.map((item) => listed(item.value));
    return lists.every((list) => list.length) ? lists.flat() : [];
  }

  // Consoles: verl prints a step in a line, transformers a dict.

  function readSteps(given, name) {
    const text = wholeLines(given, name, TORN_STEP);
    const found = [...text.matchAll(STEP)].map((step) => {
      const fields = [];
      let at = step.index + step[0].length;
      for (STEP_FIELD.lastIndex = at; ; at = STEP_FIELD.lastIndex) {
        const field = STEP_FIELD.exec(text);
        if (!field) break;
        fields.push([field[1], field[2]]);
      }
      return { start: step.index + step[0].length, end: at, row: new Map(fields) };
    }).filter(({ row }) => row.size);
    const doc = () => console_(text, "console of verl", found, (name, value) => ` - ${name}:${value}`, "");
    return found.length ? { ...doc(), cut: text !== given } : null;
  }

  function readDicts(given, name) {
    const text = wholeLines(given, name, TORN_DICT);
    const found = [...text.matchAll(DICT)].map((dict) => {
      const fields = [...dict[0].matchAll(DICT_FIELD)].map((field) => [unquoted(field[1]), field[3]]);
      return { start: dict.index + 1, end: dict.index + dict[0].length - 1, row: new Map(fields) };
    });
    const doc = () => console_(text, "Python dicts", found, (name, value) => `${pythonText(name)}: ${value}`, ", ");
    return found.length ? { ...doc(), cut: text !== given } : null;
  }

  /** Return a text without its last line, if it is of a file that was cut off there. What is pasted is all there is. */
  function wholeLines(text, name, torn) {
    const last = text.lastIndexOf("\n") + 1;
    return name && last && torn.test(text.slice(last)) ? text.slice(0, last) : text;
  }

  function console_(text, kind, found, field, between) {
    const write = (run) => T.spliced(text, found.map(({ start, end, row }) => {
      const fields = run.entries(row).map(({ name, old }) => field(name, run.converted(old, row.get(old), "python")));
      return { start, end, text: fields.join(between) };
    }));
    return { kind, rows: found.map(({ row }) => row), whole: found.length > 1, named: false, write };
  }

  const unquoted = (text) => text.slice(1, -1).replace(/\\(.)/g, "$1");

  /** Return a text as Python writes it. */
  function pythonText(text) {
    const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
    return mark + text.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`) + mark;
  }

  // Tables: names in the header, also behind the names of runs, as in exports of charts.

  const AXES = new Set(["Step", "step", "_step", "_runtime", "_timestamp", "Wall time", "Value", "Name", "name", "run",
    "run_id", "", "Relative Time (Process)", "Relative Time (Wall)", "Wall Time"]);

  const OPPOSITE = { __MIN: "__MAX", __MAX: "__MIN" };

  function readTable(given, name) {
    const mark = given.startsWith("\ufeff") ? "\ufeff" : "";
    const text = given.slice(mark.length);
    const records = [];
    for (const record of recordsOf(text)) {
      if (record.body) records.push(record);
      else if (records.length) records[records.length - 1].end += record.end; // empty lines stay
    }
    const header = records[0];
    const delimiter = delimiterOf(header ? header.body : "");
    if (!delimiter || (!/\.[ct]sv$/i.test(name) && records.length < 2 && !/[/_]/.test(header.body))) return null;
    const table = records.map(({ body }) => cellsOf(body, delimiter));
    const width = table[0].length;
    const last = table.length - 1;
    const cut = last > 0 && !records[last].end && table[last].length < width;
    if (cut) table.pop();
    if (width < 2 || (table.length > 1 && table[1].length !== width)) return null;
    const columns = table[0].map((cell) => titleOf(bare(cell)));
    const known = columns.map((column, place) => ({ ...column, place })).filter(({ key }) => !AXES.has(key));
    const groups = grouped(known);
    const values = (place) => table.slice(1).map((cells) => bare(cells[place] || "")).join("\n");
    const rows = groups.map((group) => new Map(group.map(({ key, place }) => [key, table.length > 1 ? values(place) : null])));
    const start = header.start + header.body.length;
    const body = text.slice(start, cut ? records[last].start : text.length);
    const found = { before: mark + text.slice(0, header.start), table, records, body, delimiter, columns, groups };
    return { kind: "table (CSV)", rows, whole: table.length > 2, named: table.length < 2, cut, write: (run) => written(run, found) };
  }

  /** Return a table with other names in its header; the rest is copied unless it has other values or columns, too. */
  function written(run, { before, table, records, body, delimiter, columns, groups }) {
    const names = new Map();
    for (const group of groups) {
      const byKey = new Map(group.map((column) => [column.key, column]));
      for (const entry of run.entries(new Map(group.map(({ key }) => [key, null])))) names.set(byKey.get(entry.old).place, entry);
    }
    const kept = columns.map((_, place) => place).filter((place) => AXES.has(columns[place].key) || names.has(place));
    const titles = kept.map((place) => {
      const { run: owner, key, extreme } = columns[place];
      const cell = table[0][place];
      if (!names.has(place)) return cell;
      const { name, converted } = names.get(place);
      // What counts the opposite has its smallest value where the other has its largest.
      const bound = converted && run.move(key).transform.scale < 0 ? OPPOSITE[extreme] || "" : extreme;
      return name === key && bound === extreme ? cell : like(cell, owner + name + bound, delimiter);
    });
    const head = before + titles.join(delimiter);
    if (kept.length === columns.length && ![...names.values()].some(({ converted }) => converted)) return head + body;
    const lines = table.slice(1).map((cells, place) => {
      const { line, end } = records[place + 1];
      if (cells.length !== columns.length) {
        throw new Error(T.t("line {line} has {count} cells, but the header has {wanted}", { line, count: cells.length, wanted: columns.length }));
      }
      return kept.map((at) => (names.has(at) ? run.converted(columns[at].key, cells[at], "csv") : cells[at])).join(delimiter) + end;
    });
    return head + records[0].end + lines.join("");
  }

  /** Return the records of a table: where each begins, what it says and how it ends; a quoted cell may hold line ends. */
  function recordsOf(text) {
    const found = [];
    for (const { index, 0: line } of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
      const last = found[found.length - 1];
      if (last && (last.text.match(/"/g) || []).length % 2) last.text += line;
      else found.push({ start: index, text: line });
    }
    let line = 1;
    return found.map(({ start, text: record }) => {
      const body = record.replace(/[\r\n]+$/, "");
      const place = line;
      line += record.split("\n").length - 1;
      return { start, line: place, body, end: record.slice(body.length) };
    });
  }

  const delimiterOf = (header) => [",", "\t", ";"].find((mark) => header.replace(/"(?:[^"]|"")*"/g, "").includes(mark));

  function cellsOf(record, delimiter) {
    const cells = record.match(new RegExp(`(?:[ ]*"(?:[^"]|"")*"[ ]*|[^${delimiter}]*)(?:${delimiter}|$)`, "g")) || [];
    if (cells.length > 1 && !record.endsWith(delimiter)) cells.pop();
    return cells.map((cell) => (cell.endsWith(delimiter) ? cell.slice(0, -1) : cell));
  }

  function bare(cell) {
    const text = cell.trim();
    return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text;
  }

  /** Part a title into run and metric at the last separator; a minimum or maximum is marked at the end. */
  function titleOf(title) {
    const extreme = /__(?:MIN|MAX)$/.exec(title)?.[0] || "";
    const text = extreme ? title.slice(0, -extreme.length) : title;
    const at = text.lastIndexOf(" - ");
    return at < 0 ? { run: "", key: text, extreme } : { run: text.slice(0, at + 3), key: text.slice(at + 3), extreme };
  }

  /** Put columns of one run and one statistic together; the second of two columns of one name is of the second run. */
  function grouped(columns) {
    const groups = [];
    for (const column of columns) {
      const same = ({ run, extreme }) => run === column.run && extreme === column.extreme;
      const found = groups.find((group) => same(group[0]) && group.every(({ key }) => key !== column.key));
      if (found) found.push(column);
      else groups.push([column]);
    }
    return groups;
  }

  function like(cell, text, delimiter) {
    const quoted = cell.trim().startsWith('"') || [delimiter, '"', "\n"].some((mark) => text.includes(mark));
    return quoted ? `"${text.replaceAll('"', '""')}"` : text;
  }

  // Names, one a line.

  function readNames(text) {
    const lines = text.split(/\r?\n/);
    const names = [...new Set(lines.map((line) => line.trim()).filter(Boolean))];
    return {
      kind: "names", rows: [new Map(names.map((name) => [name, null]))], whole: false, named: true,
      write: (run) => lines.map((line) => {
        const name = line.trim();
        return name ? line.replace(name, () => run.move(name).output) : line;
      }).join("\n"),
    };
  }
})(window.rlmetricsTranslator);
