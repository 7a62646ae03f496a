// The page: passes on the left, what the selected one did on the right.

class Page {
  constructor(record) {
    this.record = record;
    this.open = new Set();
    this.selected = null;
    this.mode = "inline";
    this.tables = new IRTables((text) => this.search(text));
    const { data } = record;
    $("run-line").append(...this.runLine(data.runs.at(-1)));
    this.showFailure();
    this.longestS = Math.max(...record.passes.map((each) => each.timeS), 1e-9);
    this.comparison = data.comparison ? new Comparison(this) : null;
    $("filter").addEventListener("input", () => this.filtered());
    $("all").addEventListener("change", () => this.filtered());
    for (const each of document.querySelectorAll("[data-view]")) {
      if (each.dataset.view === "compare") each.hidden = !this.comparison;
      if (each.dataset.view === "remarks") each.hidden = data.remarks.length === 0;
      each.addEventListener("click", () => this.view(each.dataset.view));
    }
    $("history-form").addEventListener("submit", (event) => { event.preventDefault(); this.find($("text").value); });
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  runLine(last) {
    const { data } = this.record;
    if (data.comparison) return [data.comparison.records.map((each, side) => `${"AB"[side]}: ${each}`).join(" · ")];
    const numRuns = (status) => data.runs.filter((each) => each.status === status).length;
    const others = ["failed", "running"].filter(numRuns).map((each) => `, ${numRuns(each)} ${ending(each)}`).join("");
    const state = data.runs.length > 1 ? plural(data.runs.length, "run") + others : ending(last?.status ?? "no run");
    const times = data.runs.map((each) => each.wallTimeS).filter((each) => each !== null);
    const total = times.length ? time(times.reduce((sum, each) => sum + each, 0)) : "";
    const pipeline = element("code", { title: last?.pipeline ?? "", onclick: () => $("run-line").classList.toggle("open") }, last?.pipeline ?? "");
    const source = last?.settings.dumps ? "· read from IR dumps, so passes that printed none are missing · " : "";
    return [[state, total].filter(Boolean).join(" in "), " ", source, pipeline];
  }

  showFailure() {
    const { data } = this.record;
    for (const [index, run] of data.runs.entries()) {
      if (run.status === "succeeded") continue;
      const what = run.status === "failed" ? "The run failed." : "The process ended while the run went on.";
      $("failure").append(element("strong", {}, this.withRun(index, what)));
      for (const each of this.record.notable) {
        const { pass, status } = this.record.execution(each);
        if (status === "succeeded" || data.passes[pass].run !== index) continue;
        const how = status === "failed" ? " failed on " : " was running on ";
        $("failure").append(" ", this.link(each, `${this.nameOf(pass)}${how}${this.record.path(each)}`));
      }
      if (run.error) $("failure").append(errorText(run.error));
      const outside = this.messages(null, index);
      if (outside.length) $("failure").append(element("pre", { tabindex: "0" }, outside.join("\n")));
      $("failure").hidden = false;
    }
  }

  nameOf(pass) { const { argument, name } = this.record.data.passes[pass]; return argument || name; }

  // `text` with the name of a run, if there are several.
  withRun(run, text) { const name = this.record.runName(run); return name ? `${name}: ${text}` : text; }

  link(index, text) {
    return button(text, () => this.show(index), { class: "link" });
  }

  // Shows an execution in the view of changes.
  show(index) {
    if (!this.isWanted(index)) $("filter").value = "";
    if (!this.record.isNotable(index)) $("all").checked = true;
    this.selected = index;
    this.view("changes");
  }

  view(name) {
    this.isComparing = name === "compare";
    for (const each of document.querySelectorAll("[data-view]")) each.setAttribute("aria-pressed", String(each.dataset.view === name));
    const hasList = name === "changes" || this.isComparing;
    this.isListed = false;
    $("list").hidden = $("detail").hidden = !hasList;
    $("all").parentElement.hidden = this.isComparing;
    $("list").classList.toggle("compare", this.isComparing);
    $("divergence").hidden = !this.isComparing;
    $("history").hidden = name !== "history";
    $("time").hidden = name !== "time";
    $("remarks").hidden = name !== "remarks";
    if (name === "remarks") { $("remarks").replaceChildren(...remarksView(this)); this.setAddress("#view=remarks"); }
    if (name === "time") { $("time").replaceChildren(...timesView(this)); this.setAddress("#view=time"); }
    if (name === "history") { this.find($("text").value); $("text").focus(); }
    if (!hasList) return;
    if (this.isComparing) this.comparison.show();
    else {
      this.selected ??= this.record.end ?? this.record.notable[0] ?? null;
      if (this.selected === null || this.isWanted(this.selected)) this.select(this.selected ?? -1);
      else { this.setAddress("#view=changes"); this.filtered(); }
    }
  }

  filter(text) { $("filter").value = text; this.view("changes"); }

  // Draws what the filter keeps: the detail of another execution is not shown beside it.
  filtered() {
    this.drawList();
    const { selected } = this.isComparing ? this.comparison : this;
    if (selected === null || selected === "input") return;
    const isShown = this.isComparing ? this.comparison.walked().includes(selected) : this.isWanted(selected);
    if (!isShown) $("detail").replaceChildren(element("p", { class: "quiet" }, "The filter hides what was selected. Enter selects the first that it keeps."));
    else if (this.isDetailHidden) this.stay(() => (this.isComparing ? this.comparison : this).select(selected));
    this.isDetailHidden = !isShown;
  }

  isWanted(index) {
    const { data } = this.record, wanted = $("filter").value.trim().toLowerCase();
    return data.passes[data.executions.pass[index]].path.toLowerCase().includes(wanted) || this.record.path(index).toLowerCase().includes(wanted);
  }

  // The executions that the list can show, from top to bottom.
  walked({ all = $("all").checked } = {}) {
    const { pass } = this.record.data.executions, key = `${all} ${$("filter").value}`;
    if (this.walk?.key === key) return this.walk.rows;
    const some = all ? [...pass.keys()] : this.record.notable;
    const rows = some.filter((each) => this.isWanted(each)).sort((a, b) => pass[a] - pass[b] || a - b);
    this.walk = { key, rows };
    return rows;
  }

  // The list of passes.

  drawList() {
    if (this.isComparing) { this.comparison.drawList(); return; }
    const { data, passes } = this.record;
    const wanted = $("filter").value.trim().toLowerCase(), all = $("all").checked;
    const isWanted = data.operations.map(({ path }) => path.toLowerCase().includes(wanted));
    const operationOf = data.executions.operation;
    const rows = [], header = new Headers(this, rows);
    data.passes.forEach((pass, index) => {
      const own = passes[index];
      const isPassWanted = !wanted || pass.path.toLowerCase().includes(wanted);
      const isOpen = this.open.has(index) || (wanted && !isPassWanted);
      if (wanted && !isPassWanted && !own.notable.some((each) => isWanted[operationOf[each]])
        && !(all && this.record.ofPass(index).some((each) => isWanted[operationOf[each]]))) return;
      header.of(pass);
      const bar = element("span", { class: "bar" });
      bar.style.width = `${(100 * own.timeS) / this.longestS}%`;
      const ended = own.notable.find((each) => this.record.status.has(each));
      rows.push(element("div", { class: `row pass ${this.record.status.get(ended) ?? (own.numChanged ? "" : "unchanged")}`, role: "treeitem", "aria-expanded": String(isOpen), title: pass.text,
        onclick: () => this.toggle(index) },
        element("span", { class: "name" }, `${isOpen ? "▾" : "▸"} ${this.nameOf(index)}`), element("span", { class: "bars" }, bar),
        element("span", { class: "note" }, this.outcome(own)),
        ...this.timeOf(own.isTimed ? own.timeS : null)));
      if (!isOpen) return;
      const uncounted = this.record.data.uncounted.filter(([each]) => each === index).map(([, name]) => name);
      if (uncounted.length) rows.push(element("div", { class: "row anchor" }, `counted nothing: ${uncounted.join(", ")}`));
      const shown = (all ? this.record.ofPass(index) : own.notable).filter((each) => isPassWanted || isWanted[operationOf[each]]);
      rows.push(...someOf(shown, (each) => this.operationRow(this.record.execution(each)), foldedRows, { at: shown.indexOf(this.selected) }));
      if (shown.length === 0) rows.push(element("div", { class: "row anchor" }, "no operation changed"));
    });
    if (rows.length === 0) rows.push(element("p", { class: "row quiet" }, "No pass or operation has this name."));
    $("passes").replaceChildren(...rows);
    this.isListed = true;
    this.markSelected("execution", this.selected);
  }

  outcome(pass) { return this.changesOf(pass) + (pass.numMissed ? `, ${pass.numMissed.toLocaleString("en")} missed` : ""); }

  changesOf({ count, numChanged, numUnknown, notable }) {
    const failed = notable.find((each) => this.record.status.has(each));
    if (failed !== undefined) return ending(this.record.status.get(failed));
    if (numChanged) return `changed ${numChanged} of ${count}`;
    if (!numUnknown) return `did nothing, ${count} unchanged`;
    return [count > numUnknown ? `${count - numUnknown} unchanged` : "", numUnknown ? `${numUnknown} not known` : ""].filter(Boolean).join(", ");
  }

  operationRow(execution) {
    const { data } = this.record;
    const isSkipped = execution.status === "skipped", isDone = isSkipped || execution.status === "succeeded";
    const state = !isDone ? execution.status : execution.hasChanged ? "" : "unchanged";
    return element("div", { class: `row operation ${state}`, role: "treeitem", "data-execution": execution.index, onclick: () => this.select(execution.index) },
      element("span", { class: "name" }, data.operations[execution.operation].path),
      element("span", { class: "note" }, execution.hasChanged ? this.sizes(execution.before, execution.after, "→") : isSkipped ? "skipped" : ""),
      ...this.timeOf(execution.timeS));
  }

  // The column of times, if there are any.
  timeOf(seconds) { return this.record.data.hasTimes ? [element("span", { class: "note time" }, time(seconds))] : []; }

  sizes(...states) {
    const between = states.pop();
    return states.map((each) => (each === null ? "none" : this.record.data.ir[each].numOperations.toLocaleString("en"))).join(` ${between} `);
  }

  toggle(index) {
    if (!this.open.delete(index)) this.open.add(index);
    this.drawList();
  }

  // Returns whether the row of the selected execution is in the list.
  markSelected(name, selected) {
    for (const row of $("passes").querySelectorAll("[aria-selected=true]")) row.removeAttribute("aria-selected");
    const row = $("passes").querySelector(`[data-${name}="${selected}"]`);
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest" });
    return row !== null;
  }

  // The selected execution.

  select(index) {
    const isKnown = index >= 0 && index < this.record.count;
    if (isKnown) {
      this.selected = index;
      this.open.add(this.record.data.executions.pass[index]);
      this.isDetailHidden = false;
      this.setAddress(`#execution=${index}`);
      this.drawDetail(this.record.execution(index));
    } else {
      this.setAddress("#view=changes");
      const text = this.record.count ? "No pass changed anything. Tick “unchanged too” to see all." : "No pass has run. The messages of the program say why.";
      $("detail").replaceChildren(element("p", { class: "quiet" }, text));
    }
    if (!this.isListed || !this.markSelected("execution", index)) this.drawList();
    return isKnown;
  }

  drawDetail(execution) {
    const { data } = this.record;
    const pass = data.passes[execution.pass], operation = data.operations[execution.operation];
    const counts = this.counts(execution.index).map(([name, value]) => `${value} ${name}`).join(", ");
    $("detail").replaceChildren(
      element("h2", {}, `${this.nameOf(execution.pass)} on ${operation.path}`),
      facts([
        ["run", this.record.runName(pass.run)],
        ["operation", operation.path === operation.name ? operation.name : `${operation.path} (${operation.name})`],
        ["location", operation.location],
        ["pass", pass.text === this.nameOf(execution.pass) ? "" : pass.text],
        ["path", pathText(pass.path)],
        ["status", execution.status === "succeeded" ? "" : ending(execution.status)],
        ["time", data.hasTimes ? time(execution.timeS) : ""],
        ["operations", execution.hasChanged ? this.sizes(execution.before, execution.after, "→") : ""],
        ["statistics", counts],
      ]),
      ...this.messages(execution.index).map((each) => element("pre", { class: "message" }, each)),
      this.modes(["inline", "side by side", "before", "after"], () => this.drawDetail(execution), [
        ...(execution.before === null ? [] : [button("copy IR before", (event) => this.copy(event.target, this.record.text(execution.before)))]),
        button("copy command", (event) => this.copy(event.target, this.command(execution))),
      ]),
      ...this.texts(execution));
  }

  counts(index) { return this.record.data.statistics.filter(([each]) => each === index).map(([, name, value]) => [name, value]); }

  // The diagnostics and remarks of an execution, or those of a run that are of none.
  messages(index, run = null) {
    const own = this.record.data.diagnostics.filter((each) => each.execution === index && (index !== null || each.run === run));
    const remarks = this.record.data.remarks.filter((each) => each.execution === index && (index !== null || each.run === run));
    return [...own.map((each) => `${each.location}: ${each.severity}: ${each.message}`), ...remarks.map((each) => `${each.location}: ${each.kind}: ${each.message}`)];
  }

  // Buttons for the ways to show a text, and others beside them.
  modes(names, draw, others) {
    if (!names.includes(this.mode)) [this.mode] = names;
    this.tables.isSideBySide = this.mode === "side by side";
    const choices = names.map((mode) => button(mode, () => { this.mode = mode; draw(); }, { "aria-pressed": String(mode === this.mode) }));
    return element("div", { class: "bar-of-buttons" }, element("span", { class: "choice", role: "group", "aria-label": "Show" }, ...choices), ...others);
  }

  texts(execution) {
    const { record } = this;
    const { before, after, status } = execution;
    if (this.mode === "before" || this.mode === "after" || !hasBoth(before, after)) {
      const ir = this.mode === "after" ? after ?? before : before ?? after;
      const shown = ir === before ? "before" : "after", missing = ir === before ? "after" : "before";
      const isMissing = status !== "running" && !hasBoth(before, after);
      const note = isMissing ? [element("p", { class: "quiet" }, `The IR ${missing} the pass is not ${this.isOfLog(execution) ? "in the log" : "known"}. This is the IR ${shown} it.`)] : [];
      return ir === null ? note : [...note, this.tables.text(record.text(ir))];
    }
    if (!execution.hasChanged) return [element("p", { class: "quiet" }, status === "failed" ? "The pass had changed nothing when it failed." : "The pass changed nothing."), this.tables.text(record.text(execution.before))];
    return this.differences(record.path(execution.index), execution.before, execution.after);
  }

  isOfLog({ pass }) { const { runs, passes } = this.record.data; return Boolean(runs[passes[pass].run].settings.dumps); }

  // The differences between two states of the operation at `path`, one inside by one.
  differences(path, old, now, labels = ["new", "removed"]) {
    const { ir } = this.record.data, parts = [], changed = this.record.differences(path, old, now);
    const lines = (each) => (each === null ? [] : ir[each].text.split("\n"));
    for (const [part, before, after] of changed.slice(0, 50)) {
      const title = before === null ? `${part}, ${labels[0]}` : after === null ? `${part}, ${labels[1]}` : part;
      if (title !== path) parts.push(element("h3", {}, title));
      parts.push(this.tables.difference(lines(before), lines(after)));
    }
    if (changed.length > 50) parts.push(element("p", { class: "quiet" }, `${changed.length - 50} more operations differ.`));
    return parts;
  }

  command(execution) {
    const { data } = this.record;
    const operation = data.operations[execution.operation];
    let pipeline = data.passes[execution.pass].text;
    if (operation.name !== "builtin.module") pipeline = `${operation.name}(${pipeline})`;
    const { command, dumps } = data.runs[data.passes[execution.pass].run].settings;
    const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
    const driver = (command ?? [dumps ? "mlir-opt" : "passgen-opt"]).map(quoted).join(" ");
    return `${driver} before.mlir --pass-pipeline=${quoted(`builtin.module(${pipeline})`)}`;
  }

  async copy(target, text) {
    const label = target.textContent;
    try { await navigator.clipboard.writeText(text); target.textContent = "copied"; }
    catch { target.textContent = "the browser refuses"; }
    setTimeout(() => { target.textContent = label; }, 1500);
  }

  // Shows the history of a text.
  search(text) {
    $("text").value = text;
    this.view("history");
  }

  find(text) {
    this.setAddress(`#text=${encodeURIComponent(text)}`);
    $("found").replaceChildren(...historyView(this, text));
  }

  // Keys and links.

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input[type=search]")) { this.inputKey(event); return; }
    if (event.key === "/") { event.preventDefault(); this.view(this.isComparing ? "compare" : "changes"); $("filter").focus(); }
    const step = { j: 1, k: -1 }[event.key];
    if (step) this.move(step);
    if (event.key === "Enter" && event.target === $("passes")) $("detail").focus();
  }

  inputKey({ key, target }) {
    if (key === "Escape") {
      if (target === $("filter") && target.value) { target.value = ""; this.filtered(); }
      target.blur();
    }
    if (key !== "Enter" || target !== $("filter")) return;
    const owner = this.isComparing ? this.comparison : this;
    const first = owner.walked()[0] ?? owner.walked({ all: true })[0];
    if (first === undefined) return;
    target.blur();
    owner.select(first);
  }

  // Steps through what the filter keeps. “Back” returns to what was shown before the steps.
  move(step) {
    const owner = this.isComparing ? this.comparison : this;
    const walked = owner.walked(), at = walked.indexOf(owner.selected);
    const next = walked[at < 0 ? 0 : at + step];
    if (next !== undefined) this.stay(() => owner.select(next));
  }

  // Shows what the address names, and what is worth seeing first if it names nothing.
  follow() {
    const [, key, value] = /^#(\w+)=(.*)$/.exec(location.hash) ?? [];
    this.stay(() => {
      if (key === "text") { $("text").value = decoded(value); this.view("history"); }
      else if (key === "view" && ["time", "remarks"].includes(value)) this.view(value);
      else if (key === "compare" && value && this.comparison) { this.comparison.choose(value); this.view("compare"); }
      else if (key === "execution" && Number(value) < this.record.count) this.show(Number(value));
      else this.view(this.comparison ? "compare" : "changes");
    });
  }

  // Lets the address name what is shown; “back” returns to what was shown before a click.
  // In the cell of a notebook there is none to change.
  setAddress(fragment) {
    if (location.protocol === "about:" || location.hash === fragment) return;
    if (this.staysInPlace) history.replaceState(null, "", fragment);
    else history.pushState(null, "", fragment);
  }

  // Shows something in the place of what is shown.
  stay(show) {
    this.staysInPlace = true;
    try { show(); } finally { this.staysInPlace = false; }
  }
}

function foldedRows(label, unfold) { return element("div", { class: "row more" }, button(label, unfold, { class: "link" })); }

// Headers of the list: the run, where there are several, and the anchors around passes.
class Headers {
  constructor(page, rows) { Object.assign(this, { page, rows, run: null, anchor: null }); }

  of({ path, run }) {
    const anchor = path.slice(0, path.lastIndexOf("/")), name = this.page.record.runName(run);
    if (name && run !== this.run && !this.page.isComparing) { this.add("run", name); this.anchor = null; }
    if (anchor !== this.anchor) this.add("anchor", anchor);
    Object.assign(this, { run, anchor });
  }

  add(kind, text) { this.rows.push(element("div", { class: `row ${kind}` }, element("span", { class: "name", title: text }, text))); }
}

readData($("data")).then((data) => { window.page = new Page(new Record(data)); document.body.dataset.ready = "yes"; });
