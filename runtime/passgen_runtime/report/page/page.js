// The page: passes on the left, what the selected one did on the right.

const $ = (id) => document.getElementById(id);
const SHOWN_AT_ONCE = 300, CONTEXT_LINES = 3;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value !== false && value !== null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

function time(seconds) {
  if (seconds === null) return "";
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  return seconds >= 1e-3 ? `${(seconds * 1e3).toFixed(1)} ms` : `${(seconds * 1e6).toFixed(0)} µs`;
}

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

class Page {
  constructor(record) {
    this.record = record;
    this.open = new Set();
    this.selected = null;
    this.mode = "inline";
    this.rows = [];
    const { data } = record;
    const last = data.runs.at(-1);
    $("run-line").textContent = [
      data.runs.length > 1 ? plural(data.runs.length, "run") : last?.status ?? "no run",
      last?.pipeline, time(last?.wallTimeS ?? null),
    ].filter(Boolean).join(" · ");
    this.showFailure();
    const totals = record.ofPass.map((each) => each.reduce((sum, { timeS }) => sum + (timeS ?? 0), 0));
    this.totals = totals;
    this.longest = Math.max(...totals, 1e-9);
    $("filter").addEventListener("input", () => this.drawList());
    $("all").addEventListener("change", () => this.drawList());
    for (const button of document.querySelectorAll("[data-view]")) {
      button.addEventListener("click", () => this.view(button.dataset.view));
    }
    $("history-form").addEventListener("submit", (event) => { event.preventDefault(); this.find($("text").value); });
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.follow());
    this.drawList();
    if (!this.follow()) this.select(record.executions.findIndex((each) => each.hasChanged || each.status !== "succeeded"));
  }

  showFailure() {
    const { data, executions } = this.record;
    const failed = data.runs.filter((run) => run.status !== "succeeded");
    if (failed.length === 0) return;
    const ended = executions.filter((each) => each.status !== "succeeded");
    for (const run of failed) {
      const what = run.status === "failed" ? "The run failed." : "The process ended while the run went on.";
      $("failure").append(what);
      if (run.error) $("failure").append(element("pre", {}, run.error));
    }
    for (const each of ended) {
      const how = each.status === "failed" ? " failed on " : " was running on ";
      $("failure").append(" ", this.link(each, `${data.passes[each.pass].argument}${how}${data.operations[each.operation].path}`));
    }
    $("failure").hidden = false;
  }

  link(execution, text) {
    return element("button", { type: "button", class: "link", onclick: () => { this.view("changes"); this.select(execution.index); } }, text);
  }

  view(name) {
    for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === name));
    $("list").hidden = $("detail").hidden = name !== "changes";
    $("history").hidden = name !== "history";
    $("time").hidden = name !== "time";
    if (name === "time") this.drawTime();
    if (name === "history") $("text").focus();
  }

  // The list of passes.

  drawList() {
    const { data, ofPass } = this.record;
    const wanted = $("filter").value.trim().toLowerCase(), all = $("all").checked;
    const rows = [];
    let lastAnchor = null;
    data.passes.forEach((pass, index) => {
      const name = pass.argument || pass.name;
      const isPassWanted = !wanted || pass.path.toLowerCase().includes(wanted);
      const shown = ofPass[index].filter((each) => (all || each.hasChanged || each.status !== "succeeded")
        && (isPassWanted || data.operations[each.operation].path.toLowerCase().includes(wanted)));
      if (wanted && !isPassWanted && shown.length === 0) return;
      const anchor = pass.path.slice(0, pass.path.lastIndexOf("/"));
      if (anchor !== lastAnchor) rows.push(element("div", { class: "row anchor" }, element("span", { class: "name", title: anchor }, anchor)));
      lastAnchor = anchor;
      const numChanged = ofPass[index].filter((each) => each.hasChanged).length;
      const isOpen = this.open.has(index) || (wanted && !isPassWanted);
      const bar = element("span", { class: "bar" });
      bar.style.width = `${(100 * this.totals[index]) / this.longest}%`;
      const status = ofPass[index].find((each) => each.status !== "succeeded")?.status ?? (numChanged ? "" : "unchanged");
      const row = element("div", { class: `row pass ${status}`, role: "treeitem", "aria-expanded": String(isOpen), title: pass.text,
        onclick: () => { this.toggle(index); } },
        element("span", { class: "name" }, `${isOpen ? "▾" : "▸"} ${name}`, bar),
        element("span", { class: "note" }, numChanged ? `changed ${numChanged} of ${ofPass[index].length}` : `${ofPass[index].length} unchanged`),
        element("span", { class: "note" }, data.hasTimes ? time(this.totals[index]) : ""));
      rows.push(row);
      if (!isOpen) return;
      for (const each of shown.slice(0, SHOWN_AT_ONCE)) rows.push(this.operationRow(each));
      if (shown.length > SHOWN_AT_ONCE) rows.push(element("div", { class: "row anchor" }, `${shown.length - SHOWN_AT_ONCE} more: filter by name`));
      if (shown.length === 0) rows.push(element("div", { class: "row anchor" }, "no operation changed"));
    });
    if (rows.length === 0) rows.push(element("p", { class: "row quiet" }, "No pass or operation has this name."));
    $("passes").replaceChildren(...rows);
    this.markSelected();
  }

  operationRow(execution) {
    const { data } = this.record;
    const state = execution.status !== "succeeded" ? execution.status : execution.hasChanged ? "" : "unchanged";
    const row = element("div", { class: `row operation ${state}`, role: "treeitem", "data-execution": execution.index,
      onclick: () => this.select(execution.index) },
      element("span", { class: "name" }, data.operations[execution.operation].path),
      element("span", { class: "note" }, this.sizes(execution)),
      element("span", { class: "note" }, data.hasTimes ? time(execution.timeS) : ""));
    return row;
  }

  sizes({ before, after, hasChanged }) {
    const { ir } = this.record.data;
    return hasChanged ? `${ir[before].numOperations} → ${ir[after].numOperations}` : "";
  }

  toggle(index) {
    if (!this.open.delete(index)) this.open.add(index);
    this.drawList();
  }

  markSelected() {
    for (const row of $("passes").querySelectorAll("[data-execution]")) {
      const isSelected = Number(row.dataset.execution) === this.selected;
      row.setAttribute("aria-selected", String(isSelected));
      if (isSelected) row.scrollIntoView({ block: "nearest" });
    }
  }

  // The selected execution.

  select(index, { setsHash = true } = {}) {
    const execution = this.record.executions[index];
    if (execution === undefined) {
      $("detail").replaceChildren(element("p", { class: "quiet" }, "No pass changed anything. Tick “unchanged too” to see all."));
      return false;
    }
    this.selected = index;
    this.open.add(execution.pass);
    this.drawList();
    if (setsHash) history.replaceState(null, "", `#execution=${index}`);
    this.drawDetail(execution);
    return true;
  }

  drawDetail(execution) {
    const { data } = this.record;
    const pass = data.passes[execution.pass], operation = data.operations[execution.operation];
    const facts = element("dl");
    const fact = (name, value) => value && facts.append(element("dt", {}, name), element("dd", {}, value));
    fact("operation", `${operation.path} (${operation.name})`);
    fact("location", operation.location);
    fact("pass", pass.path);
    fact("status", execution.status === "succeeded" ? "" : execution.status);
    if (data.hasTimes) fact("time", time(execution.timeS));
    fact("operations", this.sizes(execution));
    const counts = data.statistics.filter(([index]) => index === execution.index);
    fact("statistics", counts.map(([, name, value]) => `${value} ${name}`).join(", "));
    const messages = data.diagnostics.filter((each) => each.execution === execution.index);
    const said = messages.map((each) => element("pre", {}, `${each.location}: ${each.severity}: ${each.message}`));
    const modes = ["inline", "side by side", "before", "after"].map((mode) => element("button", { type: "button", "aria-pressed": String(mode === this.mode),
      onclick: () => { this.mode = mode; this.drawDetail(execution); } }, mode));
    const copies = [["copy IR before", () => this.record.text(execution.before)], ["copy command", () => this.command(execution)]]
      .map(([label, text]) => element("button", { type: "button", onclick: (event) => this.copy(event.target, text()) }, label));
    $("detail").replaceChildren(
      element("h2", {}, `${pass.text} on ${operation.path}`), facts, ...said,
      element("div", { class: "bar-of-buttons" }, ...modes, ...copies),
      ...this.texts(execution));
  }

  texts(execution) {
    const { record } = this;
    if (this.mode === "before" || this.mode === "after" || execution.after === null) {
      const ir = this.mode === "after" && execution.after !== null ? execution.after : execution.before;
      return [this.irTable(record.text(ir).split("\n").map((line) => ["", tokens(line)]))];
    }
    if (!execution.hasChanged) return [element("p", { class: "quiet" }, "The pass changed nothing."), this.irTable(record.text(execution.before).split("\n").map((line) => ["", tokens(line)]))];
    const changed = record.changedParts(execution);
    const parts = [], own = record.data.operations[execution.operation].path;
    for (const [path, old, now] of changed.slice(0, 50)) {
      if (path !== own) parts.push(element("h3", {}, old === null ? `${path}, new` : now === null ? `${path}, removed` : path));
      const lines = (ir) => (ir === null ? [] : record.data.ir[ir].text.split("\n"));
      parts.push(this.diffTable(lines(old), lines(now)));
    }
    if (changed.length > 50) parts.push(element("p", { class: "quiet" }, `${changed.length - 50} more changed operations: see “before” and “after”.`));
    return parts;
  }

  command(execution) {
    const { data } = this.record;
    const operation = data.operations[execution.operation];
    let pipeline = data.passes[execution.pass].text;
    if (operation.name !== "builtin.module") pipeline = `${operation.name}(${pipeline})`;
    return `passgen-opt before.mlir --pass-pipeline='builtin.module(${pipeline.replaceAll("'", "'\\''")})'`;
  }

  async copy(button, text) {
    const label = button.textContent;
    try { await navigator.clipboard.writeText(text); button.textContent = "copied"; }
    catch { button.textContent = "the browser refuses"; }
    setTimeout(() => { button.textContent = label; }, 1500);
  }

  // IR as tables.

  code(line) {
    return line.map(({ text, kind, isMarked }) => {
      const isClickable = kind && kind !== "comment";
      const span = element("span", { class: [kind, isClickable ? "t" : "", isMarked ? "word" : ""].join(" ").trim() }, text);
      if (isClickable) { span.title = "Which pass introduced it?"; span.addEventListener("click", () => { this.view("history"); $("text").value = text; this.find(text); }); }
      return span;
    });
  }

  irTable(lines) {
    const rows = lines.map(([mark, line]) => element("tr", {}, element("td", { class: "mark" }, mark), element("td", {}, ...this.code(line))));
    return element("div", { class: "ir", tabindex: "0" }, element("table", {}, element("tbody", {}, ...rows)));
  }

  diffTable(old, now) {
    const isSide = this.mode === "side by side";
    const body = element("tbody");
    const all = blocks(diff(old, now));
    all.forEach((block, index) => {
      if (block.kind === "changed") { body.append(...(isSide ? this.sideRows : this.inlineRows).call(this, block.edits, old, now)); return; }
      const lines = block.edits.map(([, i]) => i);
      const first = index === 0 ? 0 : CONTEXT_LINES, last = index === all.length - 1 ? 0 : CONTEXT_LINES;
      if (lines.length <= first + last + 2) { body.append(...lines.map((i) => this.sameRow(old[i], isSide))); return; }
      const hidden = lines.slice(first, lines.length - last);
      body.append(...lines.slice(0, first).map((i) => this.sameRow(old[i], isSide)));
      const fold = element("tr", { class: "fold", tabindex: "0" }, element("td", { colspan: isSide ? "2" : "2" }, `${hidden.length} equal lines`));
      const unfold = () => fold.replaceWith(...hidden.map((i) => this.sameRow(old[i], isSide)));
      fold.addEventListener("click", unfold);
      fold.addEventListener("keydown", (event) => { if (event.key === "Enter") unfold(); });
      body.append(fold, ...lines.slice(lines.length - last).map((i) => this.sameRow(old[i], isSide)));
    });
    return element("div", { class: isSide ? "ir side" : "ir", tabindex: "0" }, element("table", {}, body));
  }

  sameRow(line, isSide) {
    const code = () => this.code(tokens(line));
    return isSide ? element("tr", {}, element("td", { class: "half" }, ...code()), element("td", { class: "half" }, ...code()))
      : element("tr", {}, element("td", { class: "mark" }, " "), element("td", {}, ...code()));
  }

  pairs(edits, old, now) {
    const removed = edits.filter(([kind]) => kind === "removed").map(([, i]) => old[i]);
    const added = edits.filter(([kind]) => kind === "added").map(([, , j]) => now[j]);
    const isPaired = (index) => index < removed.length && index < added.length;
    const lines = Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => isPaired(index) ? words(removed[index], added[index])
      : [index < removed.length ? tokens(removed[index]) : null, index < added.length ? tokens(added[index]) : null]);
    return lines;
  }

  inlineRows(edits, old, now) {
    const row = (kind, mark, line) => element("tr", { class: kind }, element("td", { class: "mark" }, mark), element("td", {}, ...this.code(line)));
    const pairs = this.pairs(edits, old, now);
    return [...pairs.filter(([line]) => line).map(([line]) => row("removed", "−", line)), ...pairs.filter(([, line]) => line).map(([, line]) => row("added", "+", line))];
  }

  sideRows(edits, old, now) {
    const half = (kind, line) => element("td", { class: line ? `half ${kind}` : "half" }, ...(line ? this.code(line) : []));
    return this.pairs(edits, old, now).map(([left, right]) => element("tr", {}, half("removed", left), half("added", right)));
  }

  // History and time.

  find(text) {
    if (!text) { $("found").replaceChildren(); return; }
    const { data } = this.record;
    const found = this.record.history(text);
    const entries = found.slice(0, SHOWN_AT_ONCE).map(({ path, events }) => element("div", { class: "found" }, element("code", {}, path),
      element("ol", {}, ...events.map(({ kind, execution }) => element("li", {}, this.link(execution, `${data.passes[execution.pass].text} ${kind}`))))));
    const count = found.length === 0 ? "No pass introduced, removed or touched it." : plural(found.length, "operation");
    $("found").replaceChildren(element("p", { class: "quiet" }, count), ...entries);
    history.replaceState(null, "", `#text=${encodeURIComponent(text)}`);
  }

  drawTime() {
    const { data, executions } = this.record;
    if (!data.hasTimes) { $("time").replaceChildren(element("p", { class: "quiet" }, "This report was made without times.")); return; }
    const rows = data.passes.map((pass, index) => [this.totals[index], pass, index]).sort((a, b) => b[0] - a[0]);
    const total = Math.max(this.totals.reduce((a, b) => a + b, 0), 1e-12);
    const table = (head, body) => element("table", { class: "times" }, element("tr", {}, ...head.map((each) => element("th", { scope: "col" }, each))), ...body);
    const cells = (...values) => element("tr", {}, ...values.map((each) => element("td", {}, each)));
    const slowest = [...executions].sort((a, b) => (b.timeS ?? 0) - (a.timeS ?? 0)).slice(0, 20);
    $("time").replaceChildren(element("h2", {}, "Passes in time"), this.flame(),
      element("h2", {}, "Passes by time"), table(["time", "share", "runs", "pass"], rows.map(([seconds, pass, index]) =>
        cells(time(seconds), `${((100 * seconds) / total).toFixed(1)}%`, String(this.record.ofPass[index].length), pass.path))),
      element("h2", {}, "Slowest pairs of pass and operation"), table(["time", "pass and operation"], slowest.map((each) =>
        cells(time(each.timeS), this.link(each, `${data.passes[each.pass].argument} on ${data.operations[each.operation].path}`)))));
  }

  // The tree of pipelines and passes, each as wide as its time.
  flame() {
    const root = { name: "all passes", time: 0, children: new Map() };
    this.record.data.passes.forEach((pass, index) => {
      let node = root;
      root.time += this.totals[index];
      for (const part of pass.path.split("/")) {
        if (!node.children.has(part)) node.children.set(part, { name: part, time: 0, children: new Map(), pass: index });
        node = node.children.get(part);
        node.time += this.totals[index];
      }
    });
    const box = element("div", { class: "flame" });
    let depth = 0;
    const draw = (node, left, level) => {
      depth = Math.max(depth, level);
      const width = (100 * node.time) / Math.max(root.time, 1e-12);
      const rectangle = element("button", { type: "button", title: `${node.name}: ${time(node.time)}`, onclick: () => { $("filter").value = node.name; this.view("changes"); this.drawList(); } }, node.name);
      Object.assign(rectangle.style, { left: `${left}%`, width: `${width}%`, top: `${level * 23}px` });
      box.append(rectangle);
      for (const child of node.children.values()) { draw(child, left, level + 1); left += (100 * child.time) / Math.max(root.time, 1e-12); }
    };
    draw(root, 0, 0);
    box.style.height = `${(depth + 1) * 23}px`;
    return box;
  }

  // Keys and links.

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input")) { if (event.key === "Escape") event.target.blur(); return; }
    if (event.key === "/") { event.preventDefault(); this.view("changes"); $("filter").focus(); }
    const step = { j: 1, k: -1 }[event.key];
    if (step) this.move(step);
    if (event.key === "Enter" && event.target === $("passes")) $("detail").focus();
  }

  move(step) {
    const shown = this.record.executions.filter((each) => each.hasChanged || each.status !== "succeeded" || $("all").checked).map((each) => each.index);
    const at = shown.indexOf(this.selected);
    const next = shown[at < 0 ? 0 : at + step];
    if (next !== undefined) this.select(next);
  }

  follow() {
    const [key, value] = location.hash.slice(1).split("=");
    if (key === "text" && value) { this.view("history"); $("text").value = decodeURIComponent(value); this.find($("text").value); return true; }
    return key === "execution" && this.select(Number(value), { setsHash: false });
  }
}

readData($("data")).then((data) => { window.page = new Page(new Record(data)); document.body.dataset.ready = "yes"; });
