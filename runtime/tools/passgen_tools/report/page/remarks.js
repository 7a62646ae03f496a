// The view of remarks: what passes did not do, counted by reason, and what else they said.

const REMARK_KINDS = ["missed", "failed", "passed", "analysis"];
const FEW_REMARKS = 10; // fewer than these are shown without a click

function remarksView(page) {
  const groups = new Map();
  for (const remark of page.record.data.remarks) {
    const key = JSON.stringify([remark.kind, remark.category, remark.name]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(remark);
  }
  const sorted = [...groups.values()].sort((a, b) => b.length - a.length);
  return REMARK_KINDS.flatMap((kind) => {
    const some = sorted.filter(([{ kind: other }]) => other === kind);
    const total = some.reduce((sum, remarks) => sum + remarks.length, 0);
    return total === 0 ? [] : [element("h2", {}, `${kind[0].toUpperCase()}${kind.slice(1)}: ${total.toLocaleString("en")}`), ...someOf(some, (remarks) => remarkGroup(page, remarks), foldedRows)];
  });
}

// The remarks of one reason, which unfold.
function remarkGroup(page, remarks) {
  const [{ category, name, fields }] = remarks;
  const group = element("details", { class: "remarks" }, element("summary", {}, element("span", { class: "count" }, countsOf(page, remarks)), " ", element("strong", {}, category), " ", name));
  group.open = page.record.data.remarks.length < FEW_REMARKS;
  const fill = () => group.append(...(fields.advice ? [element("p", { class: "quiet" }, String(fields.advice))] : []), ...someOf(remarks, (remark) => remarkRow(page, remark), foldedRows));
  if (group.open) fill();
  else group.addEventListener("toggle", fill, { once: true });
  return group;
}

// "3", or "A 3, B 1" of two records.
function countsOf(page, remarks) {
  const { comparison } = page.record.data;
  if (!comparison) return remarks.length.toLocaleString("en");
  return [0, 1].map((side) => `${"AB"[side]} ${remarks.filter(({ run }) => comparison.runs.some((pair) => pair[side] === run)).length.toLocaleString("en")}`).join(", ");
}

function remarkRow(page, { run, execution, operation, location, message }) {
  const where = page.withRun(run, operation ?? (execution === null ? "" : page.record.path(execution)));
  return element("div", { class: "remark" }, execution === null ? where : page.link(execution, where), element("span", { class: "quiet" }, location), element("span", {}, message));
}
