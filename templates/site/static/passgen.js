// Excerpts of search results are fetched, which browsers refuse for files without a server.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// Filters the index of passes: shows the rows that contain every word of the query and
// match the other filters, and in each row the options that contain a word of the query.
document.addEventListener("DOMContentLoaded", () => {
  const query = document.getElementById("passgen-query");
  if (!query) return;
  const rows = [...document.querySelectorAll(".passgen-index tbody tr")];
  const count = document.getElementById("passgen-count");
  const group = document.getElementById("passgen-group");
  const anchor = document.getElementById("passgen-anchor");
  const current = document.getElementById("passgen-current");
  const show = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ dataset }) =>
      words.every((word) => dataset.words.includes(word)) &&
      (!group?.value || dataset.group === group.value) &&
      (!anchor.value || dataset.anchor === anchor.value) &&
      !(current?.checked && dataset.state === "deprecated");
    for (const row of rows) {
      row.hidden = !fits(row);
      for (const option of row.querySelectorAll(".passgen-option"))
        option.hidden = !words.some((word) => option.textContent.toLowerCase().includes(word));
    }
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = `${shown} of ${rows.length}`;
  };
  for (const each of [query, group, anchor, current]) each?.addEventListener("input", show);
  show();
});

// Makes the links "Run it" open the playground in a frame below the IR that it runs: that
// of the link, the first IR on a page about a pass, elsewhere the last IR above the link.
document.addEventListener("DOMContentLoaded", () => {
  const frameOf = (link) => Object.assign(document.createElement("iframe"), { className: "passgen-playground", title: "Playground", src: link.href });
  const page = document.querySelector(".passgen-page a");
  page?.parentElement.after(frameOf(page));
  const blocks = [...document.querySelectorAll("article .highlight-mlir")];
  for (const link of document.querySelectorAll(".passgen-run a")) {
    const paragraph = link.parentElement;
    const isAbove = (block) => block.compareDocumentPosition(link) & Node.DOCUMENT_POSITION_FOLLOWING;
    const block = "first" in link.dataset ? blocks[0] : blocks.findLast(isAbove);
    const own = link.dataset.ir;
    if (!(own ?? block) || !link.dataset.pipeline) continue;
    if (own === undefined) block.after(paragraph);
    const state = { ir: own ?? block.querySelector("pre").textContent.trimEnd(), pipeline: link.dataset.pipeline };
    link.href += `#${encodeURIComponent(JSON.stringify(state))}`;
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      const open = document.querySelector(".passgen-playground");
      const isOwn = open?.previousElementSibling === paragraph;
      open?.remove(); // each playground runs a Python interpreter
      if (isOwn) return;
      paragraph.after(frameOf(link));
    });
  }
});
