// Lets names in a text break between their words only: after `-`, `_`, `.`, `/`, `=`, `,`, `:`.
for (const code of document.querySelectorAll("article :not(pre) > code")) {
  const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (texts.nextNode()) nodes.push(texts.currentNode);
  for (const node of nodes) {
    const words = node.data.split(/(?<=\w[-_./=,:]+)(?=\w)/);
    const breaks = words.flatMap((word) => [document.createElement("wbr"), word]);
    node.replaceWith(...breaks.slice(1));
  }
}
