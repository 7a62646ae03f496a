// What differs between two lines of an operation, by name: "operand 2, attribute overflow".

const OPENING = "([{<", CLOSING = ")]}>";

// The names of the parts in which two lines differ; none if they are two operations, or if
// the syntax of the operation has no name for what differs.
function changedParts(oldLine, newLine) {
  const name = operationName(oldLine);
  if (name === null || name !== operationName(newLine)) return [];
  const old = partsOf(oldLine), now = partsOf(newLine);
  const types = old.types.join(" ") === now.types.join(" ") ? [] : ["type"];
  return [...changedOperands(old.operands, now.operands), ...changedAttributes(old.attributes, now.attributes), ...types];
}

function changedOperands(old, now) {
  if (old.length !== now.length) return [`operands: ${old.length} → ${now.length}`];
  const places = now.map((value, place) => (value === old[place] ? null : place + 1)).filter((place) => place !== null);
  return places.length === 0 ? [] : [`operand${places.length > 1 ? "s" : ""} ${places.join(", ")}`];
}

function changedAttributes(old, now) {
  const keys = [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key));
  return keys.map((key) => `attribute ${key}${old.has(key) ? "" : " added"}${now.has(key) ? "" : " removed"}`);
}

// The operands, types and attributes in a line, as far as its syntax shows which they are.
function partsOf(line) {
  const all = tokens(line.replace(RESULTS, "")), shown = all.filter(({ text }) => text.trim());
  const found = { operands: [], types: [], attributes: new Map() };
  for (let at = 0; at < shown.length; at++) {
    const { text, kind } = shown[at];
    if (text === "{" && at + 1 < shown.length) at = readAttributes(shown, at + 1, found.attributes);
    else if (kind === "type") found.types.push(text);
    else if (kind === "value" && !isDefined(all, all.indexOf(shown[at]))) found.operands.push(text);
  }
  return found;
}

// Whether a line names a value of a region, as in "%i = 0" or "%x: i32".
function isDefined(all, at) {
  const [next, after] = all.slice(at + 1).map(({ text }) => text);
  return next === ":" || (!next?.trim() && after === "=");
}

// Reads the entries of a dictionary; returns the place of its end.
function readAttributes(shown, begin, attributes) {
  let key = null, value = [], depth = 0, at = begin;
  const end = () => { if (key !== null) attributes.set(key, value.join(" ")); key = null; value = []; };
  for (; at < shown.length; at++) {
    const { text } = shown[at];
    if (depth === 0 && text === "}") break;
    if (depth === 0 && text === ",") { end(); continue; }
    const isArrow = text === ">" && shown[at - 1].text === "-";
    if (OPENING.includes(text)) depth++;
    else if (CLOSING.includes(text) && !isArrow) depth--;
    if (key === null) key = text.replaceAll('"', "");
    else value.push(text);
  }
  end();
  return at;
}
