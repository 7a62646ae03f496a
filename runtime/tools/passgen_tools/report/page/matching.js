// The matching of two texts of IR: the lines that stayed, whatever values are called. It is
// the one of ir_text.py, line_pairs.py and matching.py, which the terminal's diff of IR uses.

const NAME = /"(?:[^"\\]|\\.)*"?|([%^][\w$.-]+)/g;
const RESULTS = /^\s*%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* = /;
const OPERATION = /^(?:[%:\d, ]*= )?"?([\w$.]+)/;
const NUM_ROUNDS = 3;

// The lines of a text, in which values and blocks are known by numbers.
class IRText {
  constructor(lines) {
    Object.assign(this, { names: [], values: [], defined: [], valueNames: [], origins: [], arguments: [], pieces: [], around: [0], known: [new Map()] });
    for (const [line, place, region] of this.read(lines)) this.values[line][place] = this.find(this.names[line][place], region);
    this.nameless = this.pieces.map((pieces, line) => weave(pieces, this.names[line].map((name) => name[0])).trim());
  }

  // Reads the lines; returns which names were not known yet, with their regions.
  read(lines) {
    const late = [];
    let region = 0, depth = 0;
    lines.forEach((line, number) => {
      const content = line.trim();
      if (content.startsWith("}") && region > 0) { region = this.around[region]; depth--; }
      this.split(line);
      const numResults = RESULTS.exec(line)?.[0].split("%").length - 1 || 0;
      const isLabel = content.startsWith("^"), opens = content.endsWith("{"), inner = this.around.length;
      if (opens) { this.around.push(region); this.known.push(new Map()); }
      this.names[number].forEach((name, place) => {
        let value;
        if (place < numResults) value = this.define(name, region, number, null);
        else if (isLabel && (place === 0 || name[0] === "%")) value = this.define(name, region, number, depth);
        else {
          value = this.find(name, region);
          // An operation names the arguments of its region.
          if (value === null && opens && name[0] === "%") value = this.known[inner].get(name) ?? this.define(name, inner, number, depth + 1);
        }
        if (value === null) late.push([number, place, region]);
        this.values[number].push(value);
      });
      if (opens) { region = inner; depth++; }
    });
    return late;
  }

  split(line) {
    const pieces = [], names = [];
    let end = 0;
    for (const { 0: text, 1: name, index } of line.matchAll(NAME)) {
      if (name === undefined) continue;
      pieces.push(line.slice(end, index));
      names.push(name);
      end = index + text.length;
    }
    this.pieces.push([...pieces, line.slice(end)]);
    this.names.push(names);
    this.values.push([]);
    this.defined.push([]);
  }

  define(name, region, line, depth) {
    const value = this.origins.length;
    this.known[region].set(name, value);
    this.arguments.push(depth === null ? null : `argument ${depth} ${this.defined[line].length}`);
    this.valueNames.push(name);
    this.origins.push(line);
    this.defined[line].push(value);
    return value;
  }

  // What has a name in a region, or else in one around it.
  find(name, region) {
    while (region > 0 && !this.known[region].has(name)) region = this.around[region];
    return this.known[region].get(name) ?? null;
  }

  // A key of each line, which is equal for equal computations. `ids` says what values are,
  // where that is known; `numbers` has those of keys, in both texts.
  keys(ids, numbers) {
    const known = ids.map((id, value) => id ?? this.arguments[value]);
    return this.nameless.map((nameless, line) => {
      const own = this.defined[line];
      const key = [nameless, ...this.values[line].map((value, place) => (value === null ? this.names[line][place] : own.includes(value) ? "" : known[value] ?? "?"))].join("\0");
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      own.forEach((value, place) => { known[value] ??= `result ${numbers.get(key)} ${place}`; });
      return key;
    });
  }

  // The lines with other names of all values and blocks.
  renamed(names) {
    return this.pieces.map((pieces, line) => weave(pieces, this.values[line].map((value, place) => (value === null ? this.names[line][place] : names[value]))));
  }
}

// A line of the texts around names, and other names.
function weave(pieces, names) {
  let line = pieces[0];
  for (let place = 0; place < names.length; place++) line += names[place] + pieces[place + 1];
  return line;
}

// The lines of `before` with the names that their values have in `after`, and edits [kind,
// index of the old line, index of the new one], where kind is "same", "removed" or "added".
function matchIR(before, after) {
  const old = new IRText(before), now = new IRText(after);
  let pairs = new Map(), hints = new Map();
  for (let round = 0; round < NUM_ROUNDS; round++) {
    const numbers = new Map(), [ids, newIds] = identities(old, now, pairs);
    const earlier = pairs;
    pairs = pairLines(old, now, old.keys(ids, numbers), now.keys(newIds, numbers), hints);
    if (pairs.size === earlier.size && [...pairs].every(([line, other]) => earlier.get(line) === other)) break;
    hints = pairsByUse(old, now, pairs);
  }
  const [ids, newIds] = identities(old, now, pairs);
  const keys = old.renamed(ids.map((id, value) => id ?? `old ${value}`)), newKeys = now.renamed(newIds.map((id, value) => id ?? `new ${value}`));
  const nameOf = new Map(newIds.map((id, value) => [id, now.valueNames[value]])), taken = new Set(now.names.flat());
  const freeName = (name) => (taken.has(name) ? `${name[0]}old_${name.slice(1)}` : name);
  return { lines: old.renamed(ids.map((id, value) => (id === null ? freeName(old.valueNames[value]) : nameOf.get(id)))), edits: diff(keys, newKeys) };
}

// What the values of both texts are, if they are in both.
function identities(old, now, pairs) {
  const ids = old.origins.map(() => null), newIds = now.origins.map(() => null);
  for (const [line, newLine] of pairs) {
    const own = old.defined[line], newOwn = now.defined[newLine];
    if (own.length === newOwn.length) own.forEach((value, place) => { ids[value] = newIds[newOwn[place]] = `value ${newOwn[place]}`; });
  }
  return [ids, newIds];
}

// Pairs of lines whose values are used in the same place of paired lines.
function pairsByUse(old, now, pairs) {
  const found = new Map(), taken = new Set();
  for (const [line, newLine] of [...pairs].sort(([a], [b]) => a - b)) {
    const uses = old.values[line], newUses = now.values[newLine];
    if (uses.length !== newUses.length) continue;
    uses.forEach((value, place) => {
      if (value === null || newUses[place] === null) return;
      const origin = old.origins[value], newOrigin = now.origins[newUses[place]];
      if (origin === line || newOrigin === newLine || found.has(origin) || taken.has(newOrigin)) return;
      found.set(origin, newOrigin);
      taken.add(newOrigin);
    });
  }
  return found;
}

// Pairs of lines that compute the same, or else stand for one another.
function pairLines(old, now, keys, newKeys, hints) {
  // Wherever they are: an operation that has moved computes the same values.
  const found = new Map(uniquePairs(keys, newKeys, [0, keys.length], [0, newKeys.length])), taken = new Set(found.values());
  const add = ([line, newLine]) => { found.set(line, newLine); taken.add(newLine); };
  for (const [line, newLine] of hints) if (!found.has(line) && !taken.has(newLine) && old.nameless[line] === now.nameless[newLine]) add([line, newLine]);
  let gaps = [[[0, keys.length], [0, newKeys.length]]];
  for (const form of [(text) => text, (text) => OPERATION.exec(text)?.[1] ?? text]) {
    const tags = old.nameless.map((text, line) => found.get(line) ?? form(text)), newTags = now.nameless.map((text, line) => (taken.has(line) ? line : form(text)));
    gaps = gaps.flatMap(([part, newPart]) => {
      const same = align(tags, newTags, part, newPart);
      same.forEach(add);
      return gapsBetween(same, part, newPart);
    });
  }
  const range = ([begin, end]) => Array.from({ length: end - begin }, (_, place) => begin + place);
  for (const [part, newPart] of gaps) {
    const rest = range(part).filter((line) => !found.has(line)), others = range(newPart).filter((line) => !taken.has(line));
    if (rest.length === others.length) rest.forEach((line, place) => add([line, others[place]])); // operations in the place of others
  }
  return found;
}
