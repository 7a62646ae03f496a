// Scores of search results: the page with the heading that is most like the query comes
// first. Below a title are the names that it is about, such as a command or a class, and
// in a heading of a section they follow a colon. Sphinx puts this file into its search, as
// `Scorer`.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([page, title, , , score, , kind]) => {
    if (kind === "object") return score;
    const query = new URLSearchParams(location.search).get("q") || "";
    const [main, section] = title.split(" > ");
    const likeness = section
      ? 0.55 * Scorer.likeness(query, section)
      : Math.max(
          Scorer.likeness(query, main),
          ...Scorer.phrases(page).map((phrase) => Scorer.likeness(query, phrase)),
          ...Scorer.sections(page).map((name) => 0.5 * Scorer.likeness(query, name)),
        );
    const isReference = /^(reference|lint)\//.test(page);
    return score + 100 * likeness - (isReference ? 10 : 0);
  },

  // The headings on a page.
  sections: (page) =>
    Scorer.textsOf(Search._index.alltitles, ([number]) => Scorer.isOf(page, number)),

  // What people call the subject of a page, in search_words.py; names of the API have an
  // anchor.
  phrases: (page) =>
    Scorer.textsOf(
      Search._index.indexentries,
      ([number, anchor]) => !anchor && Scorer.isOf(page, number),
    ),

  textsOf: (placesByText, holds) =>
    Object.keys(placesByText).filter((text) => placesByText[text].some(holds)),

  isOf: (page, number) => Search._index.docnames[number] === page,

  // How many words a query and a heading, or a part of it, share: from 0 to 1. Words that
  // the heading lacks count more than those that it has besides.
  likeness: (query, heading) => {
    const [topic, names = ""] = heading.split(": ");
    const asked = Scorer.words(query);
    const shares = [heading, topic, ...names.split(", ")].map((part) => {
      const words = Scorer.words(part);
      const common = [...asked].filter((word) => words.has(word)).length;
      const besides = words.size - common;
      return common / (asked.size + 0.1 * besides);
    });
    return Math.max(...shares);
  },

  // Flags lose their dashes and words their endings.
  words: (text) => {
    const stemmer = new Stemmer();
    const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];
    const meant = words.filter((word) => !stopwords.has(word));
    return new Set((meant.length ? meant : words).map((word) => stemmer.stemWord(word)));
  },
};
