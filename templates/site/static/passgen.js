// Shows, in the index of passes, those rows that hold every word of the query.
document.addEventListener("DOMContentLoaded", () => {
  const query = document.getElementById("passgen-query");
  if (!query) return;
  const rows = [...document.querySelectorAll(".passgen-index tbody tr")];
  const count = document.getElementById("passgen-count");
  const show = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows)
      row.hidden = !words.every((word) => row.dataset.words.includes(word));
    const shown = rows.filter((row) => !row.hidden).length;
    count.textContent = `${shown} of ${rows.length}`;
  };
  query.addEventListener("input", show);
  show();
});
