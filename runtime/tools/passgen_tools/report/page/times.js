// The view of times: a flame chart over the pipeline, and tables.

function timesView(page) {
  const { record } = page, { data } = record;
  if (!data.hasTimes) return [element("p", { class: "quiet" }, "This report was made without times.")];
  const sum = Math.max(record.passes.reduce((total, each) => total + each.selfS, 0), 1e-12);
  const rows = data.passes.map((pass, index) => [record.passes[index], pass]).sort(([a], [b]) => b.selfS - a.selfS);
  const inner = (cell) => (data.nested.length > 0 ? [cell] : []);
  return [
    element("h2", {}, "Passes in time"), flame(page),
    element("h2", {}, "Threads and workers"), lanesView(page),
    element("h2", {}, "Passes by time"),
    table(["time", "share", ...inner("with inner passes"), "runs", "pass"], rows.slice(0, SHOWN_AT_ONCE).map(([{ timeS, selfS, isTimed, count }, pass]) =>
      [time(isTimed ? selfS : null), isTimed ? `${((100 * selfS) / sum).toFixed(1)}%` : "–", ...inner(time(isTimed ? timeS : null)), count.toLocaleString("en"), pathText(page.withRun(pass.run, pass.path))])),
    element("h2", {}, "Slowest pairs of pass and operation"),
    table(["time", "pass and operation"], slowest(data.executions.timeS, 20).map((index) => {
      const pass = data.passes[data.executions.pass[index]];
      return [time(data.executions.timeS[index]), page.link(index, page.withRun(pass.run, `${pass.argument || pass.name} on ${record.path(index)}`))];
    })),
  ];
}

// The places of the largest times.
function slowest(times, count) {
  const found = [];
  times.forEach((each, index) => {
    if (each === null || (found.length === count && each <= times[found.at(-1)])) return;
    let at = found.length;
    while (at > 0 && times[found[at - 1]] < each) at--;
    found.splice(at, 0, index);
    found.length = Math.min(found.length, count);
  });
  return found;
}

// The tree of pipelines and passes, each as wide as its time.
function flame(page) {
  const { record } = page;
  const root = { name: "all passes", time: 0, children: new Map() };
  record.data.passes.forEach(({ path, run }, index) => {
    const { selfS } = record.passes[index], name = record.runName(run);
    let node = root;
    root.time += selfS;
    for (const part of [...(name ? [name] : []), ...path.split("/")]) {
      if (!node.children.has(part)) node.children.set(part, { name: part, time: 0, children: new Map() });
      node = node.children.get(part);
      node.time += selfS;
    }
  });
  const box = element("div", { class: "flame" }), total = Math.max(root.time, 1e-12);
  let depth = 0;
  const draw = (node, left, level) => {
    depth = Math.max(depth, level);
    const width = (100 * node.time) / total;
    const rectangle = button(node.name, () => page.filter(node.name), { title: `${node.name}: ${time(node.time)}` });
    Object.assign(rectangle.style, { left: `${left}%`, width: `${width}%`, top: `${level * 23}px` });
    box.append(rectangle);
    for (const child of node.children.values()) { draw(child, left, level + 1); left += (100 * child.time) / total; }
  };
  draw(root, 0, 0);
  box.style.height = `${(depth + 1) * 23}px`;
  return box;
}
