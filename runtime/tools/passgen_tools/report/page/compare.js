// The view of two runs: the passes of both in one list, and how their results differ.

class Comparison {
  constructor(page) {
    this.page = page;
    this.record = page.record;
    this.data = this.record.data.comparison;
    this.open = new Set();
    this.pairs = this.data.passes.flatMap(({ executions }, row) => executions.map((_, at) => `${row}.${at}`));
    this.selected = null; // "2.0": the first pair of executions of the third row
    this.drawDivergence();
  }

  drawDivergence() {
    const first = this.data.firstDivergence, box = $("divergence");
    if (this.data.inputsDiffer) box.append(element("p", {}, "The inputs differ, so later differences may come from them."));
    const suspects = this.data.passes.map((row, index) => [row, index]).filter(([row]) => this.hasOtherOptions(row));
    if (suspects.length > 0) {
      const links = someOf(suspects, ([row, index]) => button(this.name(row), () => this.unfold(index), { class: "link" }), foldedRows, { count: 12 });
      box.append(element("p", {}, "Passes with other options: ", ...links.flatMap((link) => [link, " "])));
    }
    if (first === null) { box.append("Both runs gave the same IR after every pass."); return; }
    const [old, now] = first.executions ?? [null, null];
    const row = first.pass === null ? null : this.data.passes[first.pass];
    const what = row === null ? `the input ${first.operation}` : `${this.name(row)} on ${first.operation}`;
    const why = row === null ? "Each pass does the same in both runs, as far as they can be compared."
      : old === null ? "Only run B has this pass there, and it changed the operation."
      : now === null ? "Only run A has this pass there, and it changed the operation."
      : this.hasOtherOptions(row) ? "Both runs gave it the same IR, and its options differ."
      : "Both runs gave it the same IR, and the results differ.";
    const target = row === null ? "input" : `${first.pass}.${row.executions.findIndex((pair) => pair[0] === old && pair[1] === now)}`;
    this.first = target;
    box.append(element("strong", {}, "First divergence: "), button(what, () => this.select(target), { class: "link" }), ` ${why}`);
  }

  hasOtherOptions({ passes: [one, other] }) {
    const { passes } = this.record.data;
    return one !== null && other !== null && passes[one].text !== passes[other].text;
  }

  // Shows the first difference of a pass, or opens its row if there is none.
  unfold(index) {
    if (this.data.passes[index].executions.length > 0) { this.select(`${index}.0`); return; }
    this.open.add(index);
    this.drawList();
  }

  name({ passes }) { return this.page.nameOf(passes[0] ?? passes[1]); }

  choose(key) { this.selected = key; }

  show() { this.select(this.selected ?? this.first ?? this.pairs[0]); }

  // The pairs of executions that the filter keeps.
  walked() {
    const wanted = $("filter").value.trim().toLowerCase();
    return this.pairs.filter((key) => {
      const [row, at] = key.split(".").map(Number), { passes, executions } = this.data.passes[row];
      const { path } = this.record.data.passes[passes[0] ?? passes[1]];
      return path.toLowerCase().includes(wanted) || this.path(executions[at]).toLowerCase().includes(wanted);
    });
  }

  // The list.

  drawList() {
    const { passes, hasTimes } = this.record.data;
    const wanted = $("filter").value.trim().toLowerCase();
    const rows = [this.columns("row columns", "", "", "A", "B")], header = new Headers(this.page, rows);
    this.data.passes.forEach((row, index) => {
      const one = passes[row.passes[0] ?? row.passes[1]], other = passes[row.passes[1] ?? row.passes[0]];
      const isPassWanted = !wanted || one.path.toLowerCase().includes(wanted);
      const shown = row.executions.map((pair, at) => [pair, at]).filter(([pair]) => isPassWanted || this.path(pair).toLowerCase().includes(wanted));
      if (!isPassWanted && shown.length === 0) return;
      header.of({ ...one, path: one.path.replace(/\[\d+\](?=\/)/g, "") });
      const isOpen = this.open.has(index) || (wanted && !isPassWanted);
      const only = row.passes[0] === null ? "only in B" : row.passes[1] === null ? "only in A" : "";
      const numDiffering = row.executions.length;
      const notes = [only, this.hasOtherOptions(row) ? "other options" : "", numDiffering ? `${only ? "changed" : "differs in"} ${numDiffering}` : ""];
      const isEqual = !only && !numDiffering && row.statistics.length === 0 && row.diagnostics.length === 0 && row.remarks.length === 0;
      const line = this.columns(`row pass ${isEqual ? "unchanged" : ""}`, `${isOpen ? "▾" : "▸"} ${this.name(row)}`, isEqual ? "equal" : notes.filter(Boolean).join(", "),
        ...row.passes.map((each, side) => (each === null ? "–" : !hasTimes ? `${this.record.passes[each].numChanged} changed` : row.timeS[side] === null ? "" : time(row.timeS[side]))));
      line.setAttribute("aria-expanded", String(isOpen));
      line.title = one.text === other.text ? one.text : `A: ${one.text}\nB: ${other.text}`;
      line.addEventListener("click", () => { if (!this.open.delete(index)) this.open.add(index); this.drawList(); });
      rows.push(line);
      if (!isOpen) return;
      rows.push(...someOf(shown, ([pair, at]) => this.operationRow(pair, `${index}.${at}`), foldedRows,
        { at: shown.findIndex(([, at]) => `${index}.${at}` === this.selected) }));
      for (const [name, ...values] of row.statistics) rows.push(this.columns("row fact", name, "statistic", ...values.map(String)));
      for (const [severity, message, ...values] of row.diagnostics) rows.push(this.columns("row fact", message, severity, ...values.map(String)));
      for (const [kind, name, ...values] of row.remarks) rows.push(this.columns("row fact", name, kind, ...values.map(String)));
      if (isEqual) rows.push(element("div", { class: "row anchor" }, "the same IR, statistics, diagnostics and remarks"));
    });
    if (rows.length === 1) rows.push(element("p", { class: "row quiet" }, "No pass or operation has this name."));
    $("passes").replaceChildren(...rows);
    this.page.isListed = true;
    this.page.markSelected("pair", this.selected);
  }

  columns(kind, name, note, a, b) {
    return element("div", { class: kind, role: "treeitem" }, element("span", { class: "name", title: name }, name), element("span", { class: "note" }, note),
      element("span", { class: "note number" }, a), element("span", { class: "note number" }, b));
  }

  path(pair) { return this.record.path(pair[0] ?? pair[1]); }

  // Whether both runs gave a pass the same IR, which it then made into different IR.
  diverges([old, now]) {
    const { before } = this.record.data.executions;
    return old !== null && now !== null && before[old] === before[now];
  }

  operationRow(pair, key) {
    const { executions, hasTimes } = this.record.data;
    const values = pair.map((each) => (each === null ? "–" : hasTimes ? time(executions.timeS[each]) : executions.after[each] === null ? "–" : this.page.sizes(executions.after[each], "")));
    const row = this.columns("row operation", this.path(pair), this.diverges(pair) ? "diverges" : "", ...values);
    row.dataset.pair = key;
    row.addEventListener("click", () => this.select(key));
    return row;
  }

  // The selected pair of executions.

  select(key) {
    this.selected = key ?? null;
    if (key === "input") this.drawInput();
    else {
      const [row, at] = (key ?? "").split(".").map(Number);
      const pair = this.data.passes[row]?.executions[at];
      if (pair === undefined) $("detail").replaceChildren(element("p", { class: "quiet" }, "The IR after each pass is the same in both runs."));
      else { this.open.add(row); this.drawDetail(this.data.passes[row], pair); }
    }
    this.page.setAddress(key ? `#compare=${key}` : "#view=compare");
    if (!this.page.isListed || !this.page.markSelected("pair", key)) this.drawList();
  }

  drawInput() {
    const { operation, ir } = this.data.firstDivergence;
    $("detail").replaceChildren(element("h2", {}, `The input ${operation}`),
      this.page.modes(["inline", "side by side"], () => this.drawInput(), []), this.legend("the input of A", "the input of B"),
      ...this.page.differences(operation, ...ir, ["only in B", "only in A"]));
  }

  drawDetail(row, pair) {
    const { page, record } = this, { passes, hasTimes } = record.data;
    const [old, now] = pair.map((each) => (each === null ? null : record.execution(each)));
    const one = old ?? now;
    const both = (value) => {
      const [a, b] = [old, now].map((each) => (each ? value(each) : ""));
      return old && now && a === b ? a : [a && `A ${a}`, b && `B ${b}`].filter(Boolean).join(", ");
    };
    const input = !old || !now ? "" : old.before === now.before ? "the same in both runs: the pass itself did something else" : "differs before the pass, too";
    const counts = (each) => page.counts(each.index).map(([name, value]) => `${value} ${name}`).join(", ");
    const names = old && now ? ["inline", "side by side", "A", "B"] : ["inline", "side by side"];
    const links = [old, now].map((each, side) => each && button(`what it did in ${"AB"[side]}`, () => page.show(each.index)));
    $("detail").replaceChildren(
      element("h2", {}, `${this.name(row)} on ${this.path(pair)}`),
      facts([
        ["pass", both((each) => passes[each.pass].text)],
        ["path", both((each) => passes[each.pass].path)],
        ["input", input],
        ["status", both((each) => (each.status === "succeeded" ? "" : ending(each.status)))],
        ["time", hasTimes ? both((each) => time(each.timeS)) : ""],
        ["operations", both((each) => (each.after === null ? "" : page.sizes(each.before, each.after, "→")))],
        ["statistics", both(counts)],
      ]),
      ...[old, now].flatMap((each, side) => (each ? page.messages(each.index) : []).map((text) => element("pre", { class: "message" }, `${"AB"[side]}: ${text}`))),
      page.modes(names, () => this.drawDetail(row, pair), links.filter(Boolean)),
      ...this.texts(one, old, now));
  }

  texts(one, old, now) {
    const { page, record } = this, path = record.path(one.index);
    if (page.mode === "A" || page.mode === "B") {
      const each = page.mode === "A" ? old : now;
      return [page.tables.text(record.text(each.after ?? each.before))];
    }
    if (!old || !now) {
      const run = old ? "A" : "B";
      return [this.legend(`before the pass, which only run ${run} has`, "after it"), ...page.differences(path, one.before, one.after)];
    }
    return [this.legend("A after the pass", "B after the pass"), ...page.differences(path, old.after, now.after, ["only in B", "only in A"])];
  }

  legend(removed, added) {
    return element("p", { class: "legend" }, element("span", { class: "removed" }, `− ${removed}`), " ", element("span", { class: "added" }, `+ ${added}`));
  }
}
