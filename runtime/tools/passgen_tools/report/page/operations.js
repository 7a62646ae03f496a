// The operations of a run: how many of each name each pass created and erased.

const LINE_OF_OPERATION = /^("[\w$.-]+"|[A-Za-z_][\w$]*(?:\.[\w$]+)*)(.*)$/;
const REGION = /^(?: -?\d+)? \{$/; // what follows a word such as “case” that begins a region

// The name of the operation that a line begins, or null.
function operationName(line) {
  const [, name, rest] = LINE_OF_OPERATION.exec(line.trimStart().replace(RESULTS, "")) ?? [];
  if (name === undefined || (REGION.test(rest) && !name.includes(".") && name !== "module")) return null;
  return name.replaceAll('"', "");
}

function addCounts(counts, others, sign = 1) {
  for (const [name, count] of others) counts.set(name, (counts.get(name) ?? 0) + sign * count);
  return counts;
}

class OperationCounts {
  constructor(record) { Object.assign(this, { record, known: new Map() }); }

  // How many operations of each name a state of the IR has, without those in its children.
  own(ir) {
    if (ir === null) return new Map();
    if (!this.known.has(ir)) {
      const names = this.record.data.ir[ir].text.split("\n").map(operationName).filter((name) => name !== null);
      this.known.set(ir, addCounts(new Map(), names.map((name) => [name, 1])));
    }
    return this.known.get(ir);
  }

  all(ir) {
    const counts = new Map(), rest = [ir];
    for (let each = rest.pop(); each !== undefined; each = rest.pop()) {
      addCounts(counts, this.own(each));
      rest.push(...this.record.data.ir[each].children.map(([, child]) => child));
    }
    return counts;
  }

  // What each execution created and erased, without the passes that it ran itself.
  byExecution() {
    const found = new Map();
    for (const { index, differences } of this.record.changesOf()) {
      const counts = new Map();
      for (const [, old, now] of differences) addCounts(addCounts(counts, this.own(now)), this.own(old), -1);
      found.set(index, counts);
    }
    const whole = new Map([...found].map(([index, counts]) => [index, new Map(counts)]));
    for (const [inner, outer] of this.record.data.nested) {
      if (whole.has(inner) && found.has(outer)) addCounts(found.get(outer), whole.get(inner), -1);
    }
    return found;
  }
}

// A table of each run: operations by passes.
function operationsView(page) {
  const { record } = page, { data } = record;
  const counts = new OperationCounts(record), columns = new Map();
  for (const [index, changed] of counts.byExecution()) {
    const pass = data.executions.pass[index], some = [...changed].filter(([, count]) => count !== 0);
    if (some.length === 0) continue;
    if (!columns.has(pass)) columns.set(pass, new Map());
    for (const [name, count] of some) {
      const cells = columns.get(pass);
      if (!cells.has(name)) cells.set(name, []);
      cells.get(name).push([index, count]);
    }
  }
  const isUncertain = record.changesOf().some(({ isCertain }) => !isCertain);
  const note = isUncertain ? ["The log does not show the IR before each pass, so a number may include what an earlier pass did."] : [];
  return [...note.map((text) => element("p", { class: "quiet" }, text)),
    ...someOf([...data.runs.entries()], ([index, run]) => runTable(page, counts, columns, index, run), foldedRows)];
}

function runTable(page, counts, columns, index, run) {
  const passes = [...columns.keys()].filter((pass) => page.record.data.passes[pass].run === index).sort((a, b) => a - b);
  const [before, after] = [run.before, run.after].map((ir) => (ir === null ? null : counts.all(ir)));
  const names = new Set([...(before ?? new Map()).keys(), ...(after ?? new Map()).keys(), ...passes.flatMap((pass) => [...columns.get(pass).keys()])]);
  const number = (all, name) => (all === null ? "–" : (all.get(name) ?? 0).toLocaleString("en"));
  const row = (name) => [
    button(name, () => page.search(name), { class: "link", title: "Which passes introduced it?" }), number(before, name),
    ...passes.map((pass) => changeCell(page, columns.get(pass).get(name) ?? [])), number(after, name)];
  const heads = passes.map((pass) => element("span", { title: page.record.data.passes[pass].path }, page.nameOf(pass)));
  const heading = page.record.runName(index);
  const text = passes.length ? "Operations that passes created and erased" : "No pass created or erased an operation";
  return element("div", { class: "operations-of-run" }, element("h3", {}, heading ? `${heading}: ${text}` : text),
    names.size ? table(["operation", "before", ...heads, "after"], [...names].sort(), { kind: "operations", row }) : element("p", { class: "quiet" }, "The IR is not known."));
}

// What a pass created and erased of a name, with a link to where it did so first.
function changeCell(page, changes) {
  if (changes.length === 0) return "";
  const sum = (some) => some.reduce((total, [, count]) => total + Math.abs(count), 0).toLocaleString("en");
  const created = changes.filter(([, count]) => count > 0), erased = changes.filter(([, count]) => count < 0);
  const text = [created.length ? `+${sum(created)}` : "", erased.length ? `−${sum(erased)}` : ""].filter(Boolean).join(" ");
  const [[first]] = changes;
  const where = changes.length === 1 ? page.record.path(first) : `${plural(changes.length, "operation")}, first in ${page.record.path(first)}`;
  return button(text, () => page.show(first), { class: "link", title: `in ${where}` });
}
