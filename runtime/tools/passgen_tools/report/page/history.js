// The view of history: the passes that introduced a text, changed what is around it, or
// removed it.

const EVENTS_AT_ONCE = 6;

// How the events of a history read, also where a log does not show the IR before the pass.
const EVENT_TEXTS = {
  introduced: [(pass) => `${pass} introduced it`, (pass) => `first seen after ${pass}`],
  changed: [(pass) => `${pass} changed it`, (pass) => `seen changed after ${pass}`],
  counted: [(pass) => `${pass} changed how often it occurs`, (pass) => `seen more or less often after ${pass}`],
  changedAround: [(pass) => `${pass} changed the operation around it`, (pass) => `the operation around it was seen changed after ${pass}`],
  removed: [(pass) => `${pass} removed it`, (pass) => `last seen before ${pass}`],
};

function historyView(page, text) {
  const quiet = (words) => element("p", { class: "quiet" }, words);
  if (!text) return [quiet("Find which passes introduced a text, changed an operation that has it, or removed it."), ...operationsView(page)];
  const found = [...page.record.historyAt(text), ...page.record.history(text)];
  const entries = someOf(found, ({ path, run, at, events }) =>
    element("div", { class: "found" }, element("code", {}, page.withRun(run, path)), at ? ` at ${at}` : "",
      events.length ? element("ol", {}, ...eventItems(page, events)) : quiet("No pass changed it.")), foldedRows);
  return [quiet(found.length === 0 ? "No pass introduced, removed or touched it." : plural(found.length, "operation")), ...entries];
}

// The first and last of many events; the other ones on a click.
function eventItems(page, events) {
  const { pass } = page.record.data.executions;
  const items = (some) => some.map(({ kind, index, isCertain, counts }) => {
    const [certain, uncertain] = EVENT_TEXTS[kind];
    return element("li", {}, page.link(index, (isCertain ? certain : uncertain)(page.nameOf(pass[index]))), counts ? ` (${counts[0]} → ${counts[1]})` : "");
  });
  if (events.length <= EVENTS_AT_ONCE) return items(events);
  const between = events.slice(1, -1);
  const more = element("li", {}, button(`${between.length} more`, () => more.replaceWith(...items(between))));
  return [...items(events.slice(0, 1)), more, ...items(events.slice(-1))];
}
