"""What `passgen` takes for the files that `mlir-tblgen` writes, next to that.

    python tests/benchmarks/tablegen.py [--rounds N]

All `Passes.td` that LLVM installs are imported once; then, in turn, one `passgen` writes
the four kinds of files for all groups, and `mlir-tblgen` is called once a file and kind.
Prints the median ratio of the rounds and exits 1 when it misses its target.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from passgen import tablegen_dump, tablegen_import, tablegen_tool
from passgen.source import SourceFile

TARGET_RATIO = 0.5
GENERATORS = {
    "cpp": ("-gen-pass-decls", "-name=Group"),
    "capi-header": ("-gen-pass-capi-header", "--prefix=Group"),
    "capi-impl": ("-gen-pass-capi-impl", "--prefix=Group"),
    "mlir-markdown": ("-gen-pass-doc",),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--mlir-tblgen", default=shutil.which("mlir-tblgen-22"))
    arguments = parser.parse_args()
    if arguments.mlir_tblgen is None:
        parser.error("mlir-tblgen-22 was not found: name it with --mlir-tblgen")
    include = Path(arguments.mlir_tblgen).resolve().parents[1] / "include"
    files = sorted(include.rglob("Passes.td"))
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder, "ours"), Path(folder, "theirs")
        theirs.mkdir()
        specs = _specs(files, include, Path(folder))
        one = [str(Path(sys.executable).with_name("passgen")), "-o", str(ours), *specs]
        for target in GENERATORS:
            one += ["--target", target]
        many = [
            [
                *(arguments.mlir_tblgen, *flags, str(file)),
                *(f"-I{include}", "-o", str(theirs / f"{number}.{target}")),
            ]
            for number, file in enumerate(files)
            for target, flags in GENERATORS.items()
        ]
        _seconds([one])  # compiles what Python and the templates keep compiled
        pairs = [(_seconds([one]), _seconds(many)) for _ in range(arguments.rounds)]
    ratio = statistics.median(mine / other for mine, other in pairs)
    mine, other = (statistics.median(each) for each in zip(*pairs, strict=True))
    print(f"{len(files)} groups, {len(many)} files")
    print(f"passgen, one call: {mine:.2f} s")
    print(f"mlir-tblgen, {len(many)} calls: {other:.2f} s")
    print(f"ratio: {ratio:.2f}, target {TARGET_RATIO}")
    return int(ratio > TARGET_RATIO)


def _specs(files: list[Path], include: Path, folder: Path) -> list[str]:
    specs = []
    for number, file in enumerate(files):
        dump = tablegen_tool.dump(file, [str(include)])
        source = SourceFile(str(file), file.read_text("utf-8"))
        name = f"Group{number}"
        read = tablegen_dump.read(dump, source)
        spec = folder / f"group{number}.yaml"
        spec.write_text(
            tablegen_import.import_dump(read, file.name, name).text, "utf-8"
        )
        specs.append(str(spec))
    return specs


def _seconds(commands: list[list[str]]) -> float:
    # An installation has compiled modules, whatever this shell says.
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    for command in commands:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
