// Differences between two texts: by line, and by word in lines that replace one another.

const MAX_EDITS = 2000;

// Edits [kind, index of the old item, index of the new one] by Myers' algorithm, where kind is
// "same", "removed" or "added". Very different texts count as replaced.
function diff(old, now) {
  let begin = 0, oldEnd = old.length, newEnd = now.length;
  while (begin < oldEnd && begin < newEnd && old[begin] === now[begin]) begin++;
  while (oldEnd > begin && newEnd > begin && old[oldEnd - 1] === now[newEnd - 1]) { oldEnd--; newEnd--; }
  const edits = [];
  for (let i = 0; i < begin; i++) edits.push(["same", i, i]);
  for (const [kind, i, j] of middle(old, now, begin, oldEnd, newEnd)) edits.push([kind, i, j]);
  for (let i = oldEnd, j = newEnd; i < old.length; i++, j++) edits.push(["same", i, j]);
  return edits;
}

// Each step notes how far the diagonals -d to d have come, for the way back.
function middle(old, now, begin, oldEnd, newEnd) {
  const n = oldEnd - begin, m = newEnd - begin, most = Math.min(n + m, MAX_EDITS);
  const trace = [], zero = most + 1;
  const furthest = new Int32Array(2 * most + 3).fill(-1);
  furthest[zero + 1] = 0;
  for (let d = 0; d <= most; d++) {
    trace.push(furthest.slice(zero - d - 1, zero + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[zero + k - 1] < furthest[zero + k + 1]);
      let x = down ? furthest[zero + k + 1] : furthest[zero + k - 1] + 1;
      let y = x - k;
      while (x < n && y < m && old[begin + x] === now[begin + y]) { x++; y++; }
      furthest[zero + k] = x;
      if (x >= n && y >= m) return walkBack(trace, n, m, begin);
    }
  }
  const replaced = [];
  for (let i = 0; i < n; i++) replaced.push(["removed", begin + i, null]);
  for (let j = 0; j < m; j++) replaced.push(["added", null, begin + j]);
  return replaced;
}

function walkBack(trace, n, m, begin) {
  const edits = [];
  let x = n, y = m;
  for (let d = trace.length - 1; d >= 0 && (x > 0 || y > 0); d--) {
    const furthest = trace[d], zero = d + 1, k = x - y;
    const down = k === -d || (k !== d && furthest[zero + k - 1] < furthest[zero + k + 1]);
    const previousK = down ? k + 1 : k - 1;
    const previousX = d === 0 ? 0 : furthest[zero + previousK], previousY = d === 0 ? 0 : previousX - previousK;
    while (x > previousX && y > previousY) { x--; y--; edits.push(["same", begin + x, begin + y]); }
    if (d === 0) break;
    if (down) { y--; edits.push(["added", null, begin + y]); } else { x--; edits.push(["removed", begin + x, null]); }
  }
  return edits.reverse();
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

// What stands in angle brackets, in up to three of each other; an arrow is no bracket.
const INSIDE = [1, 2].reduce((inner) => String.raw`<(?:->|[^<>]|${inner})*>`, "<(?:->|[^<>])*>");
const TOKEN = new RegExp(String.raw`(?<comment>//.*)|(?<string>"(?:[^"\\]|\\.)*")|(?<value>%[\w$.#-]+)|(?<symbol>@[\w$.-]+|\^\w+|#[\w$.]+)|(?<type>![\w$.]+(?:${INSIDE})?|\b(?:[su]?i\d+|f\d+|bf16|index|none)\b|\b(?:tensor|memref|vector|tuple|complex)${INSIDE})|(?<op>\b[a-z_][\w$]*\.[\w$.]+|\b(?:module|func|return)\b)|[\w$.]+|\s+|[^\w\s]`, "gu");

function tokens(line) {
  if (line.length > 5000) return [{ text: line, kind: "" }];
  return Array.from(line.matchAll(TOKEN), (match) => {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined) ?? "";
    return { text: match[0], kind };
  });
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
