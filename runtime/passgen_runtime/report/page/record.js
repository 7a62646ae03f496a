"use strict";
// The record, read from the page: columns of `data`, which docs/how-to/report.md describes.

async function readData(element) {
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

class Record {
  constructor(data) {
    this.data = data;
    this.executions = data.executions.map((row, index) => {
      const [pass, operation, parent, status, beginS, timeS, before, after] = row;
      return { index, pass, operation, parent, status, beginS, timeS, before, after,
        hasChanged: after !== null && after !== before };
    });
    this.ofPass = data.passes.map(() => []);
    for (const each of this.executions) this.ofPass[each.pass].push(each);
    this.holding = new Map();
  }

  // The whole text of a state of the IR.
  text(ir) {
    const { text, children } = this.data.ir[ir];
    if (children.length === 0) return text;
    const inside = children.map(([, child]) => this.text(child)).join("\n");
    const indented = inside.split("\n").map((line) => (line ? "  " + line : line)).join("\n");
    const at = text.lastIndexOf("{...}");
    const [head, tail] = at < 0 ? [text + " ", ""] : [text.slice(0, at), text.slice(at + 5)];
    return `${head}{\n${indented}\n}${tail}`;
  }

  // The texts that a state of the IR consists of, by the path of their operation.
  parts(path, ir, into = new Map()) {
    into.set(path, ir);
    if (ir === null) return into;
    for (const [name, child] of this.data.ir[ir].children) {
      const isRoot = !path.includes("@") && !path.includes("/");
      this.parts(isRoot ? name : `${path}/${name}`, child, into);
    }
    return into;
  }

  // The operations that an execution changed: [path, ir before, ir after].
  changedParts(execution) {
    const path = this.data.operations[execution.operation].path;
    const before = this.parts(path, execution.before), after = this.parts(path, execution.after);
    const changed = [];
    for (const each of new Set([...before.keys(), ...after.keys()])) {
      const old = before.get(each) ?? null, now = after.get(each) ?? null;
      if (old === now) continue;
      const isShell = (ir) => ir === null || this.data.ir[ir].children.length > 0;
      const sameShell = old !== null && now !== null && isShell(old) && isShell(now)
        && this.data.ir[old].text === this.data.ir[now].text;
      if (!sameShell) changed.push([each, old, now]);
    }
    return changed;
  }

  holds(ir, text, key) {
    if (ir === null) return false;
    const memo = this.holding.get(key) ?? this.holding.set(key, new Map()).get(key);
    if (!memo.has(ir)) memo.set(ir, this.data.ir[ir].text.includes(text));
    return memo.get(ir);
  }

  // For each operation that ever held `text`: who introduced it, touched it and removed it.
  history(text) {
    this.holding.clear();
    const found = new Map();
    for (const execution of this.executions) {
      if (!execution.hasChanged) continue;
      for (const [path, old, now] of this.changedParts(execution)) {
        const had = this.holds(old, text, text), has = this.holds(now, text, text);
        if (!had && !has) continue;
        const entry = found.get(path) ?? { path, events: [] };
        found.set(path, entry);
        const kind = had && has ? "changed the operation around it" : has ? "introduced it" : "removed it";
        entry.events.push({ kind, execution });
      }
    }
    return [...found.values()];
  }
}
