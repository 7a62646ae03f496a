// The page of a playground: two texts, a worker that runs Python, and what a run gives.
const $ = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const ir = $("ir");
const pipeline = $("pipeline");
const failure = $("failure");
const plugins = JSON.parse(document.documentElement.dataset.plugins);
const DELAY_MS = 60;
const MAX_BYTES = 16e6; // of the texts in a link, which may be compressed a thousand times

const fail = (text) => {
  failure.textContent = text;
  failure.hidden = !text;
};
fail("");

// The worker: calls get a number, and wait until it answers, or is stopped.
let worker;
let waiting = new Map();
let numCalls = 0;

const call = (name, ...values) =>
  new Promise((resolve, reject) => {
    waiting.set(++numCalls, { resolve, reject });
    worker.postMessage({ id: numCalls, call: name, values });
  });

const ask = (...values) => call(...values).catch(() => null); // null if it was stopped

const showStep = (step, text) => {
  $("progress").value = step;
  $("progress").hidden = step > 3;
  $("status").textContent = text;
};

const start = async () => {
  worker?.terminate();
  for (const { reject } of waiting.values()) reject(new Error("stopped"));
  waiting = new Map();
  $("run").disabled = $("stop").disabled = true;
  showStep(0, "Starting");
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data: { id, step, text, result, error } }) => {
    if (step) return showStep(step, text);
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    return error === undefined ? resolve(result) : reject(new Error(error));
  };
  worker.onerror = ({ message }) => failToStart(message);
  try {
    await call("start", plugins);
    $("run").disabled = false;
    return true;
  } catch (error) {
    if (error.message !== "stopped") failToStart(error.message);
    return false;
  }
};

const failToStart = (message) => {
  showStep(4, "");
  fail(
    `Python has not started: ${message || "the worker does not load"}\n` +
      "The server has to send .mjs files as JavaScript, and its content policy, if any, has to allow " +
      "script-src 'self' 'wasm-unsafe-eval', worker-src 'self' and connect-src 'self'.",
  );
};
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
  if (!result) fail(`The content policy of the page refuses ${blockedURI} (${effectiveDirective}).`);
});

// The colors of IR.
const LINES_AT_ONCE = 100;
const colored = (line) => tokens(line).map(({ text, kind }) => (kind ? make("span", { className: kind }, text) : text));

// Long texts get their colors where they come into view.
const painter = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      painter.unobserve(target);
      target.paint();
    }
  },
  { root: $("view"), rootMargin: "600px" },
);

const painted = (text, paint) => {
  const lines = text.split("\n");
  const parts = [];
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const some = lines.slice(at, at + LINES_AT_ONCE);
    const part = make("span", {}, `${some.join("\n")}\n`);
    part.paint = () => part.replaceChildren(...some.flatMap(paint));
    if (at) painter.observe(part);
    else part.paint();
    parts.push(part);
  }
  return parts;
};

const irLine = (line) => [...colored(line), "\n"];
const diffLine = (line) => {
  const kind = { "+": "added", "-": "removed", "@": "hunk" }[line[0]] ?? "";
  const words = kind === "hunk" ? [line] : [line.slice(0, 1), ...colored(line.slice(1))];
  return [make("span", { className: `line ${kind}` }, ...words, "\n")];
};

// The lines of the field that are in view, drawn behind it.
let irLines = [];
const paintField = () => {
  const height = parseFloat(getComputedStyle(ir).lineHeight);
  const first = Math.floor(ir.scrollTop / height);
  const count = Math.ceil(ir.clientHeight / height) + 1;
  $("colors").replaceChildren(...irLines.slice(first, first + count).flatMap(irLine));
  $("colors").style.transform = `translate(${-ir.scrollLeft}px, ${first * height - ir.scrollTop}px)`;
};
new ResizeObserver(paintField).observe(ir);

// A run.
let result;
let view = "output";

// The view that was chosen last, here or on another visit; a browser may keep nothing.
let chosenView = null;
try {
  chosenView = localStorage.getItem("passgen-playground-view");
} catch {}
const chooseView = (name) => {
  view = chosenView = name;
  try {
    localStorage.setItem("passgen-playground-view", name);
  } catch {}
};

const run = async () => {
  if ($("run").disabled) return;
  $("run").disabled = true;
  $("stop").disabled = false;
  $("status").textContent = "Running";
  save();
  const begin = performance.now();
  try {
    const texts = { ir: ir.value, pipeline: pipeline.value };
    result = { ...JSON.parse(await call("run", texts.ir, texts.pipeline)), ...texts };
    const time_s = (performance.now() - begin) / 1000;
    const changed = new Set(result.passes.filter(({ diff }) => diff).map(({ path }) => path));
    const count = new Set(result.passes.map(({ path }) => path)).size; // a pass runs on many functions
    const changes = `${changed.size} of ${count} passes changed something`;
    $("status").textContent = result.code ? `Failed after ${time_s.toFixed(2)} s` : `${time_s.toFixed(2)} s: ${changes}`;
    showResult();
  } catch (error) {
    if (error.message === "stopped") return;
    fail(`Python has ended: ${error.message}`);
    await start();
    return;
  }
  $("stop").disabled = true;
  $("run").disabled = false;
};

const runAgain = () => {
  if ($("run").disabled) return;
  fail("");
  run();
};

const stop = async () => {
  if (await start()) $("status").textContent = "Stopped; ready";
};

// Output of other texts than those on the page is grey.
const showAge = () => {
  const isOld = result && (result.ir !== ir.value || result.pipeline !== pipeline.value);
  $("view").classList.toggle("old", Boolean(isOld));
};

const showResult = () => {
  showAge();
  const first = result.passes.some(({ diff }) => diff) ? "changes" : "output";
  const isShown = chosenView in VIEWS && (chosenView !== "messages" || result.messages);
  view = result.code ? "messages" : isShown ? chosenView : first;
  showLines();
  showView();
};

const VIEWS = {
  output: () => [make("pre", {}, ...(result.output ? painted(result.output, irLine) : ["No IR: see the diagnostics."]))],
  changes: () =>
    result.passes.map(({ text, operation, status, diff }) =>
      make(
        "details",
        { className: "change", open: Boolean(diff) },
        make("summary", {}, make("code", {}, text), ` on ${operation || "the module"}`, make("small", {}, diff ? "" : status === "succeeded" ? " no change" : ` ${status}`)),
        make("pre", {}, ...(diff ? painted(diff.trimEnd(), diffLine) : [])),
      ),
    ),
  messages: () => [make("pre", { className: "messages" }, ...(result.messages ? messageLines(result.messages) : ["No diagnostics."]))],
  reports: () => [make("pre", {}, result.reports.trim() || "No pass has run.")],
  report: () => {
    const frame = make("iframe", { title: "Report of the run" });
    frame.sandbox = "allow-scripts allow-forms";
    ask("report").then((page) => (frame.srcdoc = page ?? ""));
    return [frame];
  },
};

// Texts wrap; a line of a source and the caret below it do not, and scroll together.
const messageLines = (text) => {
  const lines = text.split("\n");
  const isCaret = (line) => /^\s*\^~*\s*$/.test(line ?? "");
  return lines.map((line, at) => {
    if (isCaret(line)) return "";
    if (isCaret(lines[at + 1])) return make("span", { className: "source", tabIndex: 0 }, `${line}\n${lines[at + 1]}\n`);
    return messageLine(line);
  });
};

const messageLine = (line) => {
  const place = line.match(/^input\.mlir:(\d+):(\d+): /);
  const kind = line.match(/^(?:\S+: )?(error|warning|remark|note): /)?.[1] ?? "";
  if (!place) return make("span", { className: kind }, `${line}\n`);
  const button = make("button", { type: "button", className: `place ${kind}` }, line);
  button.onclick = () => selectLine(Number(place[1]), Number(place[2]));
  return make("span", {}, button, "\n");
};

const selectLine = (line, column) => {
  const start = ir.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1) + column - 1;
  ir.focus();
  ir.setSelectionRange(start, start + 1);
  ir.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(ir).lineHeight));
};

const showView = () => {
  for (const tab of tabs) tab.setAttribute("aria-selected", tab.dataset.view === view);
  const count = result?.places.length ?? 0;
  document.querySelector("[data-view=messages]").textContent = count ? `Diagnostics (${count})` : "Diagnostics";
  $("view").replaceChildren(...(result ? VIEWS[view]() : []));
};
const tabs = [...document.querySelectorAll("[role=tab]")];
tabs.forEach((tab, index) => {
  tab.onclick = () => {
    chooseView(tab.dataset.view);
    showView();
  };
  tab.onkeydown = ({ key }) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!move) return;
    const next = tabs[(index + move + tabs.length) % tabs.length];
    next.focus();
    next.click();
  };
});

// The numbers of lines, with the diagnostics of the last run.
const showLines = () => {
  const places = new Map((result?.places ?? []).toReversed().map((place) => [place.line, place.severity]));
  irLines = ir.value.split("\n");
  const count = irLines.length;
  const numbers = [""]; // one text between two diagnostics: a node for each line is slow
  for (let line = 1; line <= count; line++) {
    const className = places.get(line);
    if (className) numbers.push(make("span", { className }, `${line}\n`), "");
    else numbers[numbers.length - 1] += `${line}\n`;
  }
  $("lines").replaceChildren(...numbers);
  $("lines").scrollTop = ir.scrollTop;
  paintField();
};
ir.onscroll = () => {
  $("lines").scrollTop = ir.scrollTop;
  paintField();
};
ir.oninput = () => {
  if (result) result.places = [];
  showLines();
  showAge();
};

// Completion and explanation of the pipeline, by the driver's own code.
let chosen = -1;
let timer;
const cursor = () => pipeline.selectionStart;

const assist = ({ opens = true } = {}) => {
  showAge();
  clearTimeout(timer);
  timer = setTimeout(async () => {
    if ($("run").disabled) return;
    const [text, place] = [pipeline.value, cursor()];
    const found = JSON.parse(await ask("assist", text, place));
    if (!found || text !== pipeline.value || place !== cursor()) return;
    showPass(found.pass);
    showCandidates(opens && document.activeElement === pipeline ? found : { candidates: [] });
  }, DELAY_MS);
};

const showCandidates = ({ fragment, candidates }) => {
  const others = candidates.filter((word) => word !== fragment);
  chosen = others.length ? 0 : -1;
  $("candidates").hidden = !others.length;
  pipeline.setAttribute("aria-expanded", String(others.length > 0));
  $("candidates").replaceChildren(
    ...others.map((word, index) => {
      const entry = make("li", { id: `candidate-${index}`, role: "option" }, word);
      entry.onpointerdown = (event) => {
        event.preventDefault();
        accept(word, fragment);
      };
      entry.accept = () => accept(word, fragment);
      return entry;
    }),
  );
  choose(chosen);
};

const choose = (number) => {
  const entries = [...$("candidates").children];
  chosen = entries.length ? (number + entries.length) % entries.length : -1;
  entries.forEach((entry, index) => entry.setAttribute("aria-selected", String(index === chosen)));
  entries[chosen]?.scrollIntoView({ block: "nearest" });
  if (chosen < 0) pipeline.removeAttribute("aria-activedescendant");
  else pipeline.setAttribute("aria-activedescendant", entries[chosen].id);
};

const accept = (word, fragment) => {
  pipeline.setRangeText(word, cursor() - fragment.length, cursor(), "end");
  assist({ opens: /[=({]$/.test(word) });
};

pipeline.oninput = () => assist();
pipeline.onclick = () => assist({ opens: false });
pipeline.onblur = () => showCandidates({ candidates: [] });
pipeline.onkeydown = (event) => {
  const moves = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.ctrlKey && event.key === " ") assist();
  else if (chosen < 0 || event.ctrlKey) return;
  else if (moves) choose(chosen + moves);
  else if (["Tab", "Enter"].includes(event.key)) $("candidates").children[chosen].accept();
  else if (event.key === "Escape") showCandidates({ candidates: [] });
  else return;
  event.preventDefault();
};
pipeline.onkeyup = ({ key }) => ["ArrowLeft", "ArrowRight", "Home", "End"].includes(key) && assist({ opens: false });

// The pass under the cursor: its options as a form, and its help.
const counted = (number, noun) => (number ? `${number} ${noun}${number === 1 ? "" : "s"}` : "");

// Markdown of a help text: blocks of code, paragraphs, lists and code in words.
const inlineOf = (text) => text.split("`").map((part, index) => (index % 2 ? make("code", {}, part) : part));
const helpOf = (text) =>
  text.split(/^(```\w*\n[^]*?^```$)/m).flatMap((part) => {
    const code = part.match(/^```\w*\n([^]*?)\n?```$/);
    if (code) return [make("pre", {}, code[1])];
    const blocks = part.split(/\n{2,}/).filter((block) => block.trim());
    return blocks.map((block) => make("p", { className: /\n +\S|^(\w+ \w+: |[-*] )/m.test(block) ? "lines" : "" }, ...inlineOf(block)));
  });

let shownPass = "";
const showPass = (pass) => {
  $("pass").hidden = !pass;
  if (!pass) return;
  const fields = pass.options.map(({ value, ...declared }) => declared);
  const asked = JSON.stringify({ ...pass, options: fields });
  if (asked !== shownPass) {
    shownPass = asked;
    const [, summary] = pass.help.match(/^[^\n]*?: ?([^\n]*)/) ?? [];
    $("pass").querySelector("summary").replaceChildren(make("code", {}, pass.name), ` ${summary ?? ""} `, make("small", {}, counted(fields.length, "option")));
    $("help").replaceChildren(...helpOf(pass.help.replace(/^[^\n]*\n+/, ""))); // the summary has its first line
    $("options").replaceChildren(...fields.map(optionField));
  }
  for (const { argument, value } of pass.options) {
    const field = $("options").elements.namedItem(argument);
    if (field !== document.activeElement) field.value = value ?? ""; // an answer must not undo what is typed
  }
};

let edits = Promise.resolve(); // one after the other: each changes what the last one left
const optionField = ({ argument, type, isList, choices, default: initial, description }) => {
  let field;
  if (!isList && choices.length) {
    field = make("select", {}, make("option", { value: "" }, initial || "not set"), ...choices.map((choice) => make("option", {}, choice)));
  } else {
    const isNumber = !isList && /^u?int\d+$/.test(type);
    field = make("input", { type: isNumber ? "number" : "text", placeholder: initial, spellcheck: false });
  }
  field.name = argument;
  field.onchange = () => {
    const value = field.value;
    edits = edits.then(async () => {
      const place = cursor();
      pipeline.value = (await ask("set_option", pipeline.value, place, argument, value)) ?? pipeline.value;
      pipeline.setSelectionRange(place, place);
      runAgain();
    });
  };
  return make("label", { title: description }, make("span", {}, make("code", {}, argument), make("small", {}, type)), field);
};
$("options").onsubmit = (event) => event.preventDefault();

// The texts in the link: JSON, compressed, or as links of other pages have it.
const squeeze = async (bytes, stream) => {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  let size = 0;
  for (let chunk; (chunk = (await reader.read()).value); chunks.push(chunk)) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error("the texts are too long");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
};

const encodeState = async () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ ir: ir.value, pipeline: pipeline.value }));
  const squeezed = await squeeze(bytes, new CompressionStream("deflate-raw"));
  const letters = Array.from(squeezed, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};

const decodeState = async (text) => {
  if (/^(%7B|{)/i.test(text)) return JSON.parse(decodeURIComponent(text));
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await squeeze(bytes, new DecompressionStream("deflate-raw"))));
};

const save = async () => {
  history.replaceState(null, "", `#${await encodeState()}`);
  $("alone").href = location.href;
};

const load = async () => {
  const example = document.documentElement.dataset.first; // of the site, if it has any
  if (example && location.hash.length < 2) {
    const state = JSON.parse(example);
    [ir.value, pipeline.value] = [state.ir, state.pipeline];
  }
  if (location.hash.length > 1)
    try {
      const state = await decodeState(location.hash.slice(1));
      if (typeof state.ir !== "string" || typeof state.pipeline !== "string") throw new Error("there are no texts");
      ir.value = state.ir;
      pipeline.value = state.pipeline;
    } catch {
      fail("The link is damaged: its end is missing, it was changed, or its texts are too long. The texts here are others.");
    }
  const first = pipeline.value.lastIndexOf("(") + 1;
  pipeline.setSelectionRange(first, first);
  showLines();
};

$("run").onclick = runAgain;
$("stop").onclick = stop;
$("link").onclick = async () => {
  await save();
  try {
    await navigator.clipboard.writeText(location.href);
    $("status").textContent = "The link is copied";
  } catch {
    $("status").textContent = "The link is in the address bar";
  }
};
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") runAgain();
});
addEventListener("hashchange", async () => {
  if (!$("stop").disabled) await stop();
  if (!$("run").disabled) fail("");
  await load();
  await run();
  assist({ opens: false });
});

const open = async () => {
  if (window !== parent) {
    document.documentElement.classList.add("embedded");
    $("alone").hidden = false;
    $("alone").href = location.href;
  }
  await load();
  if (location.protocol === "file:")
    return fail("This page was opened from disk, from where browsers load no Python. Serve the site: passgen site --serve -o FOLDER");
  const lacks = ["WebAssembly", "Worker", "CompressionStream"].filter((name) => !(name in window));
  if (lacks.length) return fail(`This browser lacks ${lacks.join(", ")}: a newer one runs the page.`);
  if (await start()) {
    await run();
    assist({ opens: false });
  }
};
open();
