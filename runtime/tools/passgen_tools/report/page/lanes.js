// Lanes of the view of times: what each thread or worker did, from left to right.

const MIN_SHARE = 1 / 250; // of the width; shorter passes are drawn as one block
const MIN_LABEL_SHARE = 1 / 25;
const MAX_DEPTH = 20;

function lanesView(page) {
  const lanes = lanesOf(page.record), box = element("div", { class: "lanes" });
  const { beginS, timeS } = page.record.data.executions;
  let last = 0;
  for (const { rows } of lanes) for (const row of rows) for (const index of row) last = Math.max(last, beginS[index] + timeS[index]);
  const draw = (from, to) => {
    const isWhole = from === 0 && to === last, zoom = (begin, end) => draw(Math.max(begin - (end - begin) / 10, 0), Math.min(end + (end - begin) / 10, last));
    box.replaceChildren(
      element("div", { class: "lane-scale quiet" }, element("span", {}, time(from)), isWhole ? "" : button("the whole time", () => draw(0, last), { class: "link" }), element("span", {}, time(to))),
      ...someOf(lanes, (lane) => laneRow(page, lane, from, to, zoom), foldedRows));
  };
  draw(0, last);
  return box;
}

// The executions of each thread or worker of each run by their time, those inside others in
// rows of their own.
function lanesOf(record) {
  const { thread, beginS } = record.data.executions, around = new Map(record.data.nested), found = new Map();
  const depths = [];
  thread.forEach((number, index) => {
    const outer = around.get(index), depth = outer === undefined ? 0 : Math.min((depths[outer] ?? 0) + 1, MAX_DEPTH);
    depths[index] = depth;
    if (number === null) return;
    const run = record.run(index), key = `${run} ${number}`;
    if (!found.has(key)) found.set(key, { run, number, rows: [] });
    (found.get(key).rows[depth] ??= []).push(index);
  });
  const order = ({ number }) => (number >= 0 ? number : 1e9 - number);
  const lanes = [...found.values()].sort((a, b) => a.run - b.run || order(a) - order(b));
  for (const lane of lanes) lane.rows = lane.rows.filter(Boolean).map((row) => row.sort((a, b) => beginS[a] - beginS[b]));
  return lanes;
}

function laneRow(page, { run, number, rows }, from, to, zoom) {
  const name = number >= 0 ? `thread ${number}` : `worker ${-number}`;
  return element("div", { class: "lane" }, element("span", { class: "lane-name" }, page.withRun(run, name)),
    element("div", { class: "lane-rows" }, ...rows.map((row) =>
      element("div", { class: "lane-row" }, ...blocksOf(page.record, row, from, to).map((block) => laneBlock(page, block, from, to, zoom))))));
}

// What is drawn of a row: passes, and blocks of those that are too short to be seen alone.
function blocksOf(record, row, from, to) {
  const { beginS, timeS } = record.data.executions, found = [], most = (to - from) * MIN_SHARE;
  for (const index of row) {
    const begin = beginS[index], end = begin + timeS[index], block = found.at(-1);
    if (end < from || begin > to) continue;
    if (block && end - block.begin < most) { block.end = Math.max(block.end, end); block.count++; } else found.push({ index, begin, end, count: 1 });
  }
  return found;
}

function laneBlock(page, { index, begin, end, count }, from, to, zoom) {
  const { record } = page, pass = page.nameOf(record.data.executions.pass[index]), share = (seconds) => Math.min(Math.max((seconds - from) / Math.max(to - from, 1e-12), 0), 1);
  const left = share(begin), width = share(end) - left, at = `from ${time(begin)} on`;
  const title = count === 1 ? `${pass} on ${record.path(index)}: ${time(end - begin)}, ${at}` : `${count.toLocaleString("en")} passes in ${time(end - begin)}, ${at}`;
  const block = button(count === 1 && width > MIN_LABEL_SHARE ? pass : "", () => (count === 1 ? page.show(index) : zoom(begin, end)), { title: visible(title), "aria-label": visible(title), class: [record.isNotable(index) || count > 1 ? "" : "unchanged", width < MIN_SHARE ? "short" : ""].join(" ") });
  Object.assign(block.style, { left: `min(${100 * left}%, 100% - 2px)`, width: `${100 * width}%` });
  return block;
}
