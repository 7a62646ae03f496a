// The data of the page, which docs/how-to/report.md describes, and what follows from it.

async function readData(element) {
  const text = atob(element.textContent.trim()), bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  const inflation = new DecompressionStream("deflate"), writer = inflation.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const decoder = new TextDecoder(), parts = [];
  for await (const part of inflation.readable) parts.push(decoder.decode(part, { stream: true }));
  await written;
  const data = JSON.parse(parts.join(""));
  data.executions.beginS = begins(data.executions);
  return data;
}

// The page has begins as microseconds after the end before.
function begins({ beginS, timeS }) {
  let end = 0;
  return beginS.map((gap, index) => {
    if (gap === null) return null;
    const begin = end + gap;
    end = begin + Math.floor(timeS[index] * 1e6 + 0.5);
    return begin / 1e6;
  });
}

// A log of dumps may not show the IR before or after a pass.
const hasBoth = (before, after) => before !== null && after !== null;
const isChange = (before, after) => hasBoth(before, after) && before !== after;

class Record {
  constructor(data) {
    this.data = data;
    const { pass, timeS, before, after } = data.executions;
    this.count = pass.length;
    this.status = new Map(data.unsuccessful);
    this.skipped = new Set(data.skipped);
    this.outermost = new Set(data.outermost);
    // Of each pass: how often it ran, for how long, with and without the passes that it
    // ran itself, and the executions worth showing.
    this.passes = data.passes.map(() => ({ count: 0, timeS: 0, selfS: 0, isTimed: false, numChanged: 0, numUnknown: 0, numMissed: 0, notable: [] }));
    this.notable = [];
    for (let index = 0; index < this.count; index++) {
      const own = this.passes[pass[index]];
      own.count++;
      own.timeS += timeS[index] ?? 0;
      own.selfS += timeS[index] ?? 0;
      const hasChanged = isChange(before[index], after[index]);
      if (timeS[index] !== null) own.isTimed = true;
      if (hasChanged) own.numChanged++;
      if (!hasBoth(before[index], after[index])) own.numUnknown++;
      if (hasChanged || this.status.has(index)) { own.notable.push(index); this.notable.push(index); }
    }
    for (const { kind, execution } of data.remarks) if (kind === "missed" && execution !== null) this.passes[pass[execution]].numMissed++;
    for (const [inner, outer] of data.nested) this.passes[pass[outer]].selfS -= timeS[inner] ?? 0;
  }

  // A row of the table of executions.
  execution(index) {
    const columns = this.data.executions, before = columns.before[index], after = columns.after[index];
    return { index, pass: columns.pass[index], operation: columns.operation[index], status: this.status.get(index) ?? (this.skipped.has(index) ? "skipped" : "succeeded"),
      timeS: columns.timeS[index], before, after, hasChanged: isChange(before, after) };
  }

  path(index) { return this.data.operations[this.data.executions.operation[index]].path; }

  run(index) { return this.data.passes[this.data.executions.pass[index]].run; }

  // Whether an execution is shown though the unchanged ones are not.
  isNotable(index) { return this.execution(index).hasChanged || this.status.has(index); }

  // All executions of a pass, unchanged ones too.
  ofPass(pass) {
    const found = [], column = this.data.executions.pass;
    for (let index = 0; index < this.count; index++) if (column[index] === pass) found.push(index);
    return found;
  }

  // "A: a.db" of two records, "run 2" of several runs in one, "" if there is one run.
  runName(run) {
    const { runs, comparison } = this.data;
    if (!comparison) return runs.length > 1 ? `run ${run + 1}` : "";
    const side = comparison.runs.some(([first]) => first === run) ? 0 : 1;
    const number = comparison.runs.length > 1 ? `, run ${comparison.runs.findIndex((pair) => pair[side] === run) + 1}` : "";
    return `${"AB"[side]}: ${comparison.records[side]}${number}`;
  }

  // The whole text of a state of the IR.
  text(ir) {
    const { text, children } = this.data.ir[ir];
    if (children.length === 0) return text;
    const inside = children.map(([, child]) => this.text(child)).join("\n");
    const indented = inside.replace(/^(?=.)/gm, "  ");
    const at = text.lastIndexOf("{...}");
    const [head, tail] = at < 0 ? [text + " ", ""] : [text.slice(0, at), text.slice(at + 5)];
    return `${head}{\n${indented}\n}${tail}`;
  }

  innerPath(path, name) { return this.outermost.has(path) ? name : `${path}/${name}`; }

  // The states of the operation at `path` and of those inside, by path.
  parts(path, ir, found = new Map()) {
    found.set(path, ir);
    for (const [name, child] of this.data.ir[ir].children) this.parts(this.innerPath(path, name), child, found);
    return found;
  }

  // The operations that differ between two states of the one at `path`: [path, old, now].
  differences(path, old, now, found = []) {
    if (old === now) return found;
    const { ir } = this.data;
    const oldChildren = old === null ? [] : ir[old].children, newChildren = now === null ? [] : ir[now].children;
    if (oldChildren.length + newChildren.length === 0) { found.push([path, old, now]); return found; }
    const isSameShell = oldChildren.length > 0 && newChildren.length > 0 && ir[old].text === ir[now].text;
    if (!isSameShell) found.push([path, old, now]);
    const inside = (name) => this.innerPath(path, name);
    let at = 0;
    while (at < oldChildren.length && at < newChildren.length && oldChildren[at][0] === newChildren[at][0]) {
      if (oldChildren[at][1] !== newChildren[at][1]) this.differences(inside(oldChildren[at][0]), oldChildren[at][1], newChildren[at][1], found);
      at++;
    }
    const rest = new Map(newChildren.slice(at));
    for (const [name, child] of oldChildren.slice(at)) {
      this.differences(inside(name), child, rest.get(name) ?? null, found);
      rest.delete(name);
    }
    for (const [name, child] of rest) this.differences(inside(name), null, child, found);
    return found;
  }

  // The execution in which a run ended that did not succeed: the innermost one that failed,
  // or else was running.
  get end() {
    const outer = new Set(this.data.nested.filter(([inner]) => this.status.has(inner)).map(([, each]) => each));
    const ended = [...this.status].filter(([index]) => !outer.has(index));
    return (ended.find(([, status]) => status === "failed") ?? ended[0])?.[0];
  }

  // What each execution changed: its index, the operations that differ as [path, old, now],
  // and whether that is certain. If a log does not show the IR before the pass, these are
  // the operations that differ from what was seen of them last.
  changesOf() {
    if (this.changes) return this.changes;
    const { before, after } = this.data.executions;
    const showsAll = !before.includes(null);
    const seen = this.data.runs.map(() => new Map());
    this.changes = [];
    after.forEach((now, index) => {
      const old = before[index], path = this.path(index);
      if (now === null || (old === now && showsAll)) return;
      const isCertain = old !== null;
      const parts = showsAll ? new Map() : this.parts(path, now), known = seen[this.run(index)];
      const differences = isCertain ? this.differences(path, old, now) : this.differencesFrom(known, parts);
      for (const [each, ir] of parts) known.set(each, ir);
      if (differences.length) this.changes.push({ index, isCertain, differences });
    });
    return this.changes;
  }

  differencesFrom(known, parts) {
    const { ir } = this.data;
    return [...parts].map(([path, now]) => [path, known.get(path) ?? null, now])
      .filter(([, old, now]) => old === null || ir[old].text !== ir[now].text);
  }

  // For each operation at a location such as "a.mlir:3" or "a.mlir:3:1", or else the last
  // one that begins before it: the passes that changed it.
  historyAt(text) {
    const wanted = /^"?([^"]+?)"?:(\d+)(?::\d+)?$/.exec(text.trim());
    if (!wanted) return [];
    const near = [], name = text.trim().replaceAll('"', "");
    for (const { path, run, location } of this.data.operations) {
      const place = location?.replaceAll('"', ""), own = /([^\s("]+):(\d+):\d+/.exec(place ?? "");
      if (!own || !(own[1] === wanted[1] || own[1].endsWith(`/${wanted[1]}`)) || Number(own[2]) > Number(wanted[2])) continue;
      const isThere = `${own[0]}:`.includes(`${name}:`);
      near.push({ path, run, at: own[0], line: isThere ? Infinity : Number(own[2]), events: [] });
    }
    const line = near.reduce((most, each) => Math.max(most, each.line), 0);
    const found = near.filter((each) => each.line === line);
    const byPath = new Map(found.map((each) => [`${each.run} ${each.path}`, each]));
    for (const { index, isCertain, differences } of this.changesOf()) {
      const run = this.run(index);
      for (const [path, old, now] of differences) {
        const kind = old === null ? "introduced" : now === null ? "removed" : "changed";
        byPath.get(`${run} ${path}`)?.events.push({ kind, index, isCertain });
      }
    }
    return found;
  }

  // For each operation that a pass changed while it held `text`: who introduced the text,
  // changed the operation, and removed the text, with the numbers of occurrences.
  history(text) {
    const known = new Map();
    const count = (ir) => {
      if (ir === null) return 0;
      if (!known.has(ir)) known.set(ir, this.data.ir[ir].text.split(text).length - 1);
      return known.get(ir);
    };
    const found = new Map();
    for (const { index, isCertain, differences } of this.changesOf()) {
      const run = this.run(index);
      for (const [path, old, now] of differences) {
        const had = count(old), has = count(now);
        if (!had && !has) continue;
        const key = this.data.runs.length > 1 ? `${run} ${path}` : path;
        let entry = found.get(key);
        if (entry === undefined) found.set(key, entry = { path, run, events: [] });
        const kind = had && has ? (had === has ? "changedAround" : "counted") : has ? "introduced" : "removed";
        entry.events.push({ kind, index, isCertain, counts: Math.max(had, has) > 1 && had !== has ? [had, has] : null });
      }
    }
    return [...found.values()];
  }
}
