/**
 * The page: reads what is pasted or dropped, asks who logged it, and shows the answer.
 */
"use strict";

(function (T) {
  const PAUSE_MS = 250;

  class TranslatorPage {
    constructor(root) {
      this._root = root;
      this._at = (name) => root.querySelector(`[data-rlm=${name}]`);
      this._input = this._at("input");
      this._file = "";
      this._text = null;
      this._turn = 0;
      this._isTargetChosen = false;
      this._from = new T.Chooser(this._at("from"), () => this._update());
      this._to = new T.Chooser(this._at("to"), () => {
        this._isTargetChosen = true;
        this._update();
      });
      this._listen();
      this._fromAddress();
      this._update();
    }

    _listen() {
      this._input.addEventListener("input", () => this._later());
      this._at("file").addEventListener("change", (event) => this._take(event.target.files[0]));
      this._at("copy").addEventListener("click", () => this._copy());
      this._at("download").addEventListener("click", () => this._download());
      for (const button of this._root.querySelectorAll("[data-example]")) {
        button.addEventListener("click", () => this._example(button.dataset));
      }
      const zone = this._at("zone");
      zone.addEventListener("dragover", (event) => event.preventDefault());
      zone.addEventListener("drop", (event) => {
        event.preventDefault();
        if (event.dataTransfer.files.length) this._take(event.dataTransfer.files[0]);
      });
      window.addEventListener("hashchange", () => {
        if (this._fromAddress()) this._update();
      });
    }

    /** Take source, target and keys from the address: `#from=…&to=…&keys=…`; tell whether there are any. */
    _fromAddress() {
      const said = new URLSearchParams(location.hash.slice(1));
      if (said.has("keys")) this._input.value = said.get("keys");
      for (const [name, chooser] of [["from", this._from], ["to", this._to]]) {
        const source = said.has(name) && T.parseSource(said.get(name));
        if (source) chooser.source = source;
        if (source && name === "to") this._isTargetChosen = true;
      }
      return ["from", "to", "keys"].some((name) => said.has(name));
    }

    _example({ from, to, example }) {
      this._file = "";
      this._text = null;
      this._from.source = T.parseSource(from);
      this._to.source = T.parseSource(to);
      this._isTargetChosen = true;
      this._input.value = example;
      this._update();
    }

    async _take(file) {
      if (!file) return;
      // Other ways to read a file leave out the mark at its beginning.
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await file.arrayBuffer());
      if (text.includes("\0")) {
        const command = `rlmetrics translate ${quoted(file.name)}`;
        this._turn += 1;
        return this._show({ said: T.t("{name} is no text. The command line reads it: {command}", { name: file.name, command }) });
      }
      this._file = file.name;
      // A field for text has one kind of line end, a file has its own.
      this._text = this._input.value = text;
      this._update();
    }

    _later() {
      this._file = "";
      this._text = null;
      clearTimeout(this._timer);
      this._timer = setTimeout(() => this._update(), PAUSE_MS);
    }

    /** Answer anew; an answer that another one has overtaken is dropped. */
    async _update() {
      const turn = ++this._turn;
      this._root.setAttribute("aria-busy", "true");
      let answer;
      try {
        answer = await this._answer();
      } catch (error) {
        answer = { said: error instanceof T.NamesError ? error.message : T.t("This text cannot be translated: {error}", { error: error.message }) };
      }
      if (turn !== this._turn) return;
      this._show(answer);
      this._root.setAttribute("aria-busy", "false");
    }

    async _answer() {
      if (!this._input.value.trim()) return { said: "" };
      const doc = T.read(this._text ?? this._input.value, this._file);
      const keys = T.namesIn(doc);
      let source = this._from.source;
      let said = "";
      if (!source) {
        const found = await T.detect(keys, doc.whole);
        if (!found.chosen) return { said: ambiguous(found, keys), groups: found.groups };
        source = T.candidateSource(found.chosen);
        said = chosenWords(found, keys);
      }
      if (!this._isTargetChosen) this._to.source = T.newest(source);
      const target = this._to.source || T.newest(source);
      const map = await T.mapBetween(source, target);
      await T.prepare(map, keys);
      const run = new T.Run(map, doc.rows);
      return { said, doc, map, run, text: doc.write(run), command: command(source, target, this._file) };
    }

    _show({ said, doc, map, run, groups = [], text = "", command: line = "" }) {
      const moves = run ? run.moves.filter((move) => !doc.isBoard || move.row) : [];
      const heading = map ? `${T.spokenName(map.from)} → ${T.spokenName(map.to)}. ` : "";
      this._at("detected").textContent = said;
      this._candidates(groups);
      this._at("status").textContent = run ? `${heading}${T.countWords(moves)}` : "";
      const { rows, causes } = run ? T.tableOf(moves, map, this._root.dataset.root) : { rows: [], causes: [] };
      this._at("rows").replaceChildren(...rows);
      this._at("causes").replaceChildren(...causes);
      this._at("table").hidden = !moves.length;
      this._at("result").hidden = !run;
      this._at("note").textContent = map && map.chosen.length
        ? T.t("The target is its {program}: a run has one trainer.", { program: map.chosen.join(", ") }) : "";
      this._at("output").value = this._written = text;
      this._at("account").replaceChildren(...(run ? T.accountLines(run, doc) : []).map(([words, names]) =>
        T.make("li", {}, `${words} `, ...names.flatMap((name) => [T.make("code", {}, name), " "]))));
      this._at("command").textContent = line;
    }

    /** Offer sources that fit equally well. */
    _candidates(groups) {
      const buttons = T.listed(groups).map((group) => {
        const button = T.make("button", { type: "button" }, T.groupName(group));
        button.addEventListener("click", () => {
          this._from.source = T.candidateSource(group[0]);
          this._update();
        });
        return T.make("li", {}, button);
      });
      this._at("candidates").replaceChildren(...buttons);
    }

    async _copy() {
      const output = this._at("output");
      try {
        await navigator.clipboard.writeText(output.value);
      } catch {
        // A page from a folder may not write to the clipboard by itself.
        output.select();
        document.execCommand("copy");
      }
      this._at("done").textContent = T.t("Copied.");
    }

    _download() {
      const address = URL.createObjectURL(new Blob([this._written], { type: "text/plain" }));
      const link = T.make("a", { href: address, download: translatedName(this._file) });
      link.click();
      URL.revokeObjectURL(address);
      this._at("done").textContent = T.t("Saved.");
    }
  }

  function translatedName(file) {
    const found = /^(.*?)(\.\w+)?$/.exec(file || "translated.txt");
    return file ? `${found[1]}.translated${found[2] || ""}` : "translated.txt";
  }

  function ambiguous({ best, groups }, keys) {
    if (!best.length) return T.t("No described release logs any of these keys. Choose where they come from.");
    const left = groups.length - T.listed(groups).length;
    const more = left ? ` ${T.t("{count} more fit.", { count: left })}` : "";
    return `${T.t("Ambiguous: of {count} keys these explain the most. Choose one.", { count: keys.length })}${more}`;
  }

  function chosenWords({ best, chosen }, keys) {
    const name = T.spokenName(T.candidateSource(chosen));
    const values = { name, explained: chosen.explained.size, count: keys.length };
    const said = T.t("Taken to be {name}: it logs {explained} of {count} keys.", values);
    if (best.length < 2) return said;
    const oldest = T.candidateSource(best[best.length - 1]).release;
    return `${said} ${T.t("Releases from {oldest} on explain them alike.", { oldest })}`;
  }

  const quoted = (text) => (/[[ ]/.test(text) ? `'${text}'` : text);

  /** Return the command that does the same to a whole log. */
  function command(source, target, file) {
    const program = source.program || target.program;
    const words = ["rlmetrics translate", quoted(file || "LOG"), "--from", quoted(T.sourceName(source)), "--to", quoted(T.sourceName(target))];
    return [...words, ...(program ? ["--program", quoted(program)] : [])].join(" ");
  }

  /** Set up the page whose element has the data. */
  async function start() {
    const root = document.querySelector("[data-rlm-translator]");
    if (!root) return;
    T.data = { folder: root.dataset.folder, version: root.dataset.version };
    T.texts = JSON.parse(root.querySelector("[data-rlm=texts]").textContent);
    T.language = root.dataset.language;
    await T.load("sources");
    T.page = new TranslatorPage(root);
  }

  T.started = start();
})(window.rlmetricsTranslator);
