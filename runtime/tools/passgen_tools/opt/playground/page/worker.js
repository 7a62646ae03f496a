// Python beside the page: it begins at once, then answers one call after another.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const PACKAGES = "/lib/python3.14/site-packages";
const EMPTY_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
let session;

const start = async (plugins) => {
  const say = (step, text) => postMessage({ step, text });
  say(1, "Loading Python");
  // Where a policy forbids it, this fails, but loading Python would never end.
  await WebAssembly.compile(EMPTY_MODULE);
  const packages = fetch("packages.zip").then((answer) => {
    if (!answer.ok) throw new Error(`packages.zip: ${answer.status} ${answer.statusText}`);
    return answer.arrayBuffer();
  });
  packages.catch(() => {});
  const python = await loadPyodide();
  say(2, "Unpacking the passes");
  python.unpackArchive(await packages, "zip", { extractDir: PACKAGES });
  say(3, "Importing the passes");
  python.globals.set("plugins", plugins);
  session = python.runPython(
    "from passgen_tools.opt.playground.session import Session\nSession(plugins.to_py())",
  );
  say(4, "");
};

const answer = async ({ id, call, values }) => {
  try {
    postMessage({ id, result: await (call === "start" ? start(...values) : session[call](...values)) });
  } catch (error) {
    postMessage({ id, error: String(error.message ?? error) });
  }
};

let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};
