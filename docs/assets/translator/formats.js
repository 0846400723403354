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
    const tail = text.slice(end).trim() ? "\n" : text.slice(end);
    return {
      kind: found.length === 1 ? "a row (JSON)" : "rows (JSON)",
      rows: found.map(({ row }) => row), whole: found.length > 1, named: false,
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

  function readSteps(text) {
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
    return found.length ? console_(text, "console of verl", found, (name, value) => ` - ${name}:${value}`, "") : null;
  }

  function readDicts(text) {
    const found = [...text.matchAll(DICT)].map((dict) => {
      const fields = [...dict[0].matchAll(DICT_FIELD)].map((field) => [unquoted(field[1]), field[3]]);
      return { start: dict.index + 1, end: dict.index + dict[0].length - 1, row: new Map(fields) };
    });
    return found.length ? console_(text, "Python dicts", found, (name, value) => `${pythonText(name)}: ${value}`, ", ") : null;
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

  function readTable(text, name) {
    const records = recordsOf(text.replace(/^\ufeff/, ""));
    const delimiter = delimiterOf(records[0] || "");
    if (!delimiter || (!/\.[ct]sv$/i.test(name) && records.length < 2 && !/[/_]/.test(records[0]))) return null;
    const table = records.map((record) => cellsOf(record, delimiter));
    const header = table[0];
    if (header.length < 2 || (records.length > 1 && table[1].length !== header.length)) return null;
    const columns = header.map((cell) => titleOf(bare(cell)));
    const known = columns.map((column, place) => ({ ...column, place })).filter(({ key }) => !AXES.has(key));
    const groups = grouped(known);
    const values = (place) => table.slice(1).map((cells) => bare(cells[place] || "")).join("\n");
    const rows = groups.map((group) => new Map(group.map(({ key, place }) => [key, table.length > 1 ? values(place) : null])));
    return { kind: "table (CSV)", rows, whole: table.length > 2, named: table.length < 2, write: (run) => written(run, table, delimiter, columns, groups, lineEnd(text)) };
  }

  /** Return how the lines of a text end: as the first one does. */
  const lineEnd = (text) => /\r?\n/.exec(text)?.[0] ?? "\n";

  function written(run, table, delimiter, columns, groups, end) {
    const names = new Map();
    for (const group of groups) {
      const byKey = new Map(group.map((column) => [column.key, column]));
      for (const { old, name } of run.entries(new Map(group.map(({ key }) => [key, null])))) names.set(byKey.get(old).place, name);
    }
    const kept = columns.map((_, place) => place).filter((place) => AXES.has(columns[place].key) || names.has(place));
    const lines = table.map((cells, line) => kept.map((place) => {
      const { run: owner, key, extreme } = columns[place];
      if (AXES.has(key)) return cells[place];
      if (line) return run.converted(key, cells[place] ?? "", "csv");
      const name = names.get(place);
      return name === key ? cells[place] : like(cells[place], owner + name + extreme, delimiter);
    }).join(delimiter));
    return lines.map((line) => line + end).join("");
  }

  /** Return the records of a table; a quoted cell may hold line ends. */
  function recordsOf(text) {
    const found = [];
    for (const line of text.split(/\r?\n/)) {
      const last = found.length - 1;
      if (last >= 0 && (found[last].match(/"/g) || []).length % 2) found[last] += `\n${line}`;
      else found.push(line);
    }
    return found.filter((record) => record.trim());
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
