"use strict";
// Elements of the page, and how it writes numbers.

const $ = (id) => document.getElementById(id);
const SHOWN_AT_ONCE = 100;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value !== false && value !== null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.map((each) => (typeof each === "string" ? visible(each) : each)));
  return made;
}

// `text` with a name in the place of each character that would end a line or turn the
// direction of what follows.
function visible(text) {
  return text.replace(/[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (each) => `⟨U+${each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

// A path, which a narrow column breaks between its parts.
function pathText(path) {
  return element("span", {}, ...path.split(/(?<=\/)/).flatMap((part) => [part, element("wbr")]));
}

function button(text, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, text);
}

// What `make` makes of the items around the one at `at`. `fold(label, unfold)` makes an
// element in the place of the other ones, which a call of `unfold` replaces.
function someOf(items, make, fold, { count = SHOWN_AT_ONCE, at = 0 } = {}) {
  const begin = Math.max(at, 0) - (Math.max(at, 0) % count);
  const folded = (some, where) => {
    if (some.length === 0) return [];
    const row = fold(`${some.length.toLocaleString("en")} more${where}`, () => row.replaceWith(...someOf(some, make, fold, { count, at: where ? some.length - 1 : 0 })));
    return [row];
  };
  return [...folded(items.slice(0, begin), " before"), ...items.slice(begin, begin + count).map(make), ...folded(items.slice(begin + count), "")];
}

// A list of names and values, without those that have no value.
function facts(pairs) {
  const list = element("dl");
  for (const [name, value] of pairs) if (value) list.append(element("dt", {}, name), element("dd", {}, value));
  return list;
}

// A table with a row of cells for each item; rows of a long one are drawn when asked for.
function table(head, items, { kind = "times", row = (cells) => cells } = {}) {
  const cells = (name, attributes, values) => values.map((each) => element(name, attributes, each));
  const folded = (label, unfold) => element("tr", {}, element("td", {}, button(label, unfold, { class: "link" })));
  return element("div", { class: "scrolled" }, element("table", { class: kind }, element("thead", {}, element("tr", {}, ...cells("th", { scope: "col" }, head))),
    element("tbody", {}, ...someOf(items, (item) => element("tr", {}, ...cells("td", {}, row(item))), folded))));
}

function time(seconds) {
  if (seconds === null) return "–";
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  return seconds >= 1e-3 ? `${(seconds * 1e3).toFixed(1)} ms` : `${(seconds * 1e6).toFixed(0)} µs`;
}

// Addresses are typed, too: one that is not encoded stays as it is.
function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

// A run, or a pass in it, that was running when its process ended, did not end.
const ending = (status) => (status === "running" ? "not ended" : status);

// The text of an error. Of its stack it shows the frames in the user's code, and the last;
// a click unfolds the other ones, and the errors that were raised because of it.
function errorText(error) {
  const [first, ...others] = error.trimEnd().split(/\n+(?=The above exception was the direct cause)/);
  const more = others.length === 0 ? [] : [button(`${plural(others.length, "error")} raised because of it`, () => more[0].replaceWith(`\n${visible(others.join("\n\n"))}`), { class: "link" })];
  return element("pre", { tabindex: "0" }, ...stack(first), ...more);
}

function stack(error) {
  const parts = [];
  for (const line of error.split("\n")) {
    const last = parts.at(-1), file = /^ {2}File "([^"]*)", line/.exec(line);
    if (file) parts.push({ lines: [line], isOwn: !/[\\/]passgen_(?:runtime|tools)[\\/]|^<frozen /.test(file[1]), isFrame: true });
    else if (last?.isFrame && line.startsWith("  ")) last.lines.push(line);
    else {
      if (last?.isFrame) last.isOwn = true;
      parts.push({ lines: [line], isOwn: true });
    }
  }
  const shown = [];
  let hidden = [];
  const flush = () => {
    if (hidden.length === 0) return;
    const text = hidden.join("\n"), count = hidden.filter((each) => each.startsWith("  File ")).length;
    const folded = button(`${plural(count, "frame")} of the pass manager`, () => folded.replaceWith(visible(text)), { class: "link" });
    shown.push("  ", folded, "\n");
    hidden = [];
  };
  for (const { lines, isOwn } of parts) {
    if (!isOwn) { hidden.push(...lines); continue; }
    flush();
    shown.push(`${lines.join("\n")}\n`);
  }
  flush();
  return shown;
}
