// The alignment of two sequences of keys: a long common subsequence, found fast. It is the
// one of alignment.py and subsequences.py, which the terminal's diff of IR uses.

const MAX_CELLS = 250_000;

// Pairs of places with equal keys, which increase in both sequences. Keys that both have
// once are paired first, then those between them. A part is [begin, end].
function align(old, now, part = [0, old.length], newPart = [0, now.length]) {
  const pairs = [], gaps = [[part, newPart]];
  while (gaps.length > 0) {
    let [[begin, end], [newBegin, newEnd]] = gaps.pop();
    while (begin < end && newBegin < newEnd && old[begin] === now[newBegin]) pairs.push([begin++, newBegin++]);
    while (begin < end && newBegin < newEnd && old[end - 1] === now[newEnd - 1]) pairs.push([--end, --newEnd]);
    const some = [begin, end], others = [newBegin, newEnd];
    const anchors = longestIncreasing(uniquePairs(old, now, some, others));
    const found = anchors.length > 0 ? anchors : commonSubsequence(old, now, some, others);
    for (const pair of found) pairs.push(pair);
    if (anchors.length > 0) for (const gap of gapsBetween(anchors, some, others)) gaps.push(gap);
  }
  return pairs.sort(([a], [b]) => a - b);
}

// What is between pairs, if there is something in both sequences.
function gapsBetween(pairs, [begin, end], [newBegin, newEnd]) {
  const gaps = [];
  let i = begin, j = newBegin;
  for (const [nextI, nextJ] of [...pairs, [end, newEnd]]) {
    if (nextI > i && nextJ > j) gaps.push([[i, nextI], [j, nextJ]]);
    i = nextI + 1;
    j = nextJ + 1;
  }
  return gaps;
}

// Pairs of the keys that both parts have once.
function uniquePairs(old, now, part, newPart) {
  const [places, newPlaces] = [[old, part], [now, newPart]].map(([keys, [begin, end]]) => {
    const found = new Map();
    for (let place = begin; place < end; place++) found.set(keys[place], found.has(keys[place]) ? null : place);
    return found;
  });
  return [...places].filter(([key, place]) => place !== null && (newPlaces.get(key) ?? null) !== null).map(([key, place]) => [place, newPlaces.get(key)]);
}

// The most pairs that increase in both places; they do in the first.
function longestIncreasing(pairs) {
  const chains = []; // Of each length, the one that ends at the least second place.
  for (const pair of pairs) {
    let low = 0, high = chains.length;
    while (low < high) {
      const half = (low + high) >> 1;
      if (chains[half].pair[1] < pair[1]) low = half + 1; else high = half;
    }
    chains[low] = { pair, rest: chains[low - 1] };
  }
  const found = [];
  for (let chain = chains.at(-1); chain; chain = chain.rest) found.push(chain.pair);
  return found.reverse();
}

// Pairs of the longest common subsequence; none if it would take long.
function commonSubsequence(old, now, [begin, end], [newBegin, newEnd]) {
  const keys = new Set(old.slice(begin, end)), newKeys = new Set(now.slice(newBegin, newEnd));
  const left = [], right = [], pairs = [];
  for (let place = begin; place < end; place++) if (newKeys.has(old[place])) left.push(place);
  for (let place = newBegin; place < newEnd; place++) if (keys.has(now[place])) right.push(place);
  if (left.length * right.length > MAX_CELLS) return [];
  // most[i][j]: the most pairs in `left` from i on and in `right` from j on.
  const most = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      most[i][j] = old[left[i]] === now[right[j]] ? most[i + 1][j + 1] + 1 : Math.max(most[i + 1][j], most[i][j + 1]);
    }
  }
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    if (old[left[i]] === now[right[j]]) pairs.push([left[i++], right[j++]]);
    else if (most[i + 1][j] >= most[i][j + 1]) i++;
    else j++;
  }
  return pairs;
}
