// Runs pytest on folders in Pyodide: node run.mjs SITE_PACKAGES... -- ARGUMENTS...
// Each call of this program runs one folder: a whole run overflows the stack of node.
import { loadPyodide } from "../../build/pyodide/node_modules/pyodide/pyodide.mjs";

const given = process.argv.slice(2);
const end = given.indexOf("--");
const python = await loadPyodide({ env: { HOME: "/tmp", PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1", PYTHONDONTWRITEBYTECODE: "1" } });
const folders = ["/repository", "/repository/runtime", "/repository/runtime/tools"];
python.FS.mkdirTree("/repository");
python.mountNodeFS("/repository", process.cwd());
given.slice(0, end).forEach((folder, number) => {
  const place = `/packages/${number}`;
  python.FS.mkdirTree(place);
  python.mountNodeFS(place, folder);
  folders.push(place);
});
python.globals.set("folders", python.toPy(folders));
python.globals.set("arguments", python.toPy(given.slice(end + 1)));
process.exitCode = python.runPython(`
import os, sys
sys.path[:0] = folders[:3]
sys.path += folders[3:]
os.chdir("/repository")
import pytest
int(pytest.main(arguments))
`);
