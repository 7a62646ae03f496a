// The tokens of a line of IR, each with the name of its color; IR_TOKENS is before this text.

const TOKEN = new RegExp(IR_TOKENS.map(([kind, pattern]) => (kind ? `(?<${kind}>${pattern})` : pattern)).join("|"), "gu");

function tokens(line) {
  if (line.length > 5000) return [{ text: line, kind: "" }];
  return Array.from(line.matchAll(TOKEN), (match) => {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined) ?? "";
    return { text: match[0], kind };
  });
}
