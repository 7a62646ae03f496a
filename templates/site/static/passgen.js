// Shows, in the index of passes, the rows that hold every word of the query and fit the
// other filters, and of each row the options that a word of the query is part of.
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
