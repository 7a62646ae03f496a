// Scores of search results: a page whose title holds what was searched for comes first.
// Titles have the form "Lint specs: passgen lint"; after the colon are names, such as a
// command or a class. Sphinx puts this file into its search, as `Scorer`.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([, title, , , score, , kind]) => {
    if (kind === "object") return score;
    const query = (new URLSearchParams(location.search).get("q") || "").trim().toLowerCase();
    const sections = title.toLowerCase().split(" > ");
    const [topic, names = ""] = sections.at(-1).split(": ");
    const isName = [topic, ...names.split(", ")].includes(query);
    const padded = ` ${sections.at(-1).replace(/[^\p{L}\p{N}_+-]+/gu, " ")} `;
    const isPart = query && padded.includes(` ${query} `);
    const bonus = isName ? 100 : isPart ? 40 + (40 * query.length) / title.length : 0;
    return score + (sections.length > 1 ? bonus / 2 : bonus);
  },
};
