// The field above a table of passes shows the rows that have all of its words.
for (const field of document.querySelectorAll(".pass-filter")) {
  const rows = field.closest("section").querySelectorAll("tbody tr");
  field.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}
