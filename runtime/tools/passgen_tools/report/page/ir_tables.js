// IR as tables: a text, and the difference of two. A click on a name calls `onName`.

const CONTEXT_LINES = 3, LINES_AT_ONCE = 500;

function fold(label, unfold) {
  const row = element("tr", { class: "fold", tabindex: "0", role: "button", onclick: unfold }, element("td", { colspan: "2" }, label));
  row.addEventListener("keydown", (event) => { if (event.key === "Enter") unfold(); });
  return row;
}

class IRTables {
  constructor(onName) {
    this.onName = onName;
    this.isSideBySide = false;
  }

  text(text) {
    return this.table("ir", text.split("\n").map((line) => () => this.row("", "", tokens(line))));
  }

  difference(old, now) {
    const { lines, edits: found } = matchIR(old, now), makers = [], all = blocks(found);
    all.forEach(({ kind, edits }, index) => {
      if (kind === "changed") { makers.push(...(this.isSideBySide ? this.sideRows(edits, lines, now) : this.inlineRows(edits, lines, now))); return; }
      const same = edits.map(([, , j]) => () => this.sameRow(now[j]));
      const first = index === 0 ? 0 : CONTEXT_LINES, last = index === all.length - 1 ? 0 : CONTEXT_LINES;
      if (same.length <= first + last + 2) { makers.push(...same); return; }
      const hidden = same.slice(first, same.length - last);
      makers.push(...same.slice(0, first), () => this.folded(hidden), ...same.slice(same.length - last));
    });
    return this.table(this.isSideBySide ? "ir side" : "ir", makers);
  }

  // Rows of a long text are made when they are asked for.
  table(kind, makers) {
    return element("div", { class: kind, tabindex: "0" }, element("table", {}, element("tbody", {}, ...this.firstRows(makers))));
  }

  firstRows(makers) { return someOf(makers, (make) => make(), fold, { count: LINES_AT_ONCE }); }

  folded(hidden) {
    const row = fold(plural(hidden.length, "equal line"), () => row.replaceWith(...this.firstRows(hidden)));
    return row;
  }

  code(line) {
    return line.map(({ text, kind, isMarked }) => {
      const isName = kind && kind !== "comment";
      const span = element("span", { class: [kind, isName ? "t" : "", isMarked ? "word" : ""].join(" ").trim() }, text);
      if (isName) { span.title = "Which pass introduced it?"; span.addEventListener("click", () => this.onName(text.replace(/^([%^])old_/, "$1"))); }
      return span;
    });
  }

  // A cell with a line of IR, or none; it knows how far the line is indented. The parts that
  // changed are named beside the line, and are not copied with it.
  cell(kind, line, parts = []) {
    const cell = element("td", { class: kind, "data-parts": parts.join(", ") || null }, ...(line ? this.code(line) : []));
    cell.style.setProperty("--indent", `${/^ {0,40}/.exec(line?.[0]?.text ?? "")[0].length}ch`);
    return cell;
  }

  row(kind, mark, line, parts) {
    return element("tr", { class: kind }, element("td", { class: "mark" }, mark), this.cell("code", line, parts));
  }

  sameRow(line) {
    if (!this.isSideBySide) return this.row("", " ", tokens(line));
    return element("tr", {}, this.cell("half", tokens(line)), this.cell("half", tokens(line)));
  }

  // Removed and added lines, side by side: [line or null, line or null, changed parts].
  pairs(edits, old, now) {
    const removed = edits.filter(([kind]) => kind === "removed").map(([, i]) => old[i]);
    const added = edits.filter(([kind]) => kind === "added").map(([, , j]) => now[j]);
    return paired(removed, added).map(([left, right]) => (left !== null && right !== null ? [...words(left, right), changedParts(left, right)]
      : [left === null ? null : tokens(left), right === null ? null : tokens(right)]));
  }

  inlineRows(edits, old, now) {
    const pairs = this.pairs(edits, old, now);
    return [...pairs.filter(([line]) => line).map(([line]) => () => this.row("removed", "−", line)),
      ...pairs.filter(([, line]) => line).map(([, line, parts]) => () => this.row("added", "+", line, parts))];
  }

  sideRows(edits, old, now) {
    const half = (kind, line, parts) => this.cell(line ? `half ${kind}` : "half none", line, parts);
    return this.pairs(edits, old, now).map(([left, right, parts]) => () => element("tr", {}, half("removed", left), half("added", right, parts)));
  }
}
