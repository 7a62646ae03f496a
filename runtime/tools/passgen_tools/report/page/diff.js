// Differences between two sequences, and between words in lines that replace one another.

// Edits [kind, index of the old key, index of the new one], where kind is "same", "removed"
// or "added".
function diff(old, now) {
  const edits = [];
  let i = 0, j = 0;
  for (const [same, newSame] of [...align(old, now), [old.length, now.length]]) {
    while (i < same) edits.push(["removed", i++, null]);
    while (j < newSame) edits.push(["added", null, j++]);
    if (same < old.length) edits.push(["same", i++, j++]);
  }
  return edits;
}

// Blocks of equal lines, and of removed lines with the added lines in their place.
function blocks(edits) {
  const result = [];
  for (const edit of edits) {
    const kind = edit[0] === "same" ? "same" : "changed";
    if (result.length === 0 || result.at(-1).kind !== kind) result.push({ kind, edits: [] });
    result.at(-1).edits.push(edit);
  }
  return result;
}

// Removed and added lines as pairs: a line stands beside the one most like it, in order.
function paired(removed, added) {
  if (removed.length * added.length > 10000 || removed.length === 0 || added.length === 0) {
    return Array.from({ length: Math.max(removed.length, added.length) }, (_, i) => [removed[i] ?? null, added[i] ?? null]);
  }
  const sets = [removed, added].map((lines) => lines.map((line) => new Set(tokens(line).filter(({ text }) => text.trim()).map(({ text }) => text))));
  const likeness = (a, b) => (2 * [...a].filter((each) => b.has(each)).length) / Math.max(a.size + b.size, 1);
  // best[i][j]: the most likeness that removed lines from i and added ones from j can have.
  const best = Array.from({ length: removed.length + 1 }, () => new Float64Array(added.length + 1));
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--) {
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + likeness(sets[0][i], sets[1][j]) - 0.4);
    }
  }
  const pairs = [];
  let i = 0, j = 0;
  while (i < removed.length || j < added.length) {
    if (i < removed.length && (j === added.length || best[i][j] === best[i + 1][j])) pairs.push([removed[i++], null]);
    else if (j < added.length && (i === removed.length || best[i][j] === best[i][j + 1])) pairs.push([null, added[j++]]);
    else pairs.push([removed[i++], added[j++]]);
  }
  return pairs;
}

// The tokens of two lines, each marked if it is not in the other line; a space is marked
// between two marked tokens.
function words(oldLine, newLine) {
  const old = tokens(oldLine), now = tokens(newLine);
  if (old.length + now.length > 400) return [old, now];
  for (const [kind, i, j] of diff(old.map((each) => each.text), now.map((each) => each.text))) {
    if (kind === "removed") old[i].isMarked = true;
    if (kind === "added") now[j].isMarked = true;
  }
  for (const line of [old, now]) {
    line.forEach((each, at) => { if (!each.text.trim()) each.isMarked = Boolean(line[at - 1]?.isMarked && line[at + 1]?.isMarked); });
  }
  return [old, now];
}
