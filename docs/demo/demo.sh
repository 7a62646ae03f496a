#!/bin/sh
# Generates passes from specs, then runs passes on an .mlir file.
# Run it with `make demo`; the generated files stay in build/demo.
set -eu
cd "$(dirname "$0")/../.."
: "${BIN:=.venv/bin}"
OUT=build/demo
PIPELINE='builtin.module(
  func.func(
    affine-loop-normalize{promote-single-iter=true},
    affine-loop-invariant-code-motion,
    affine-loop-unroll{unroll-factor=4}
  ),
  canonicalize, cse, symbol-dce)'

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then BOLD=$(printf '\033[1m') PLAIN=$(printf '\033[0m'); else BOLD= PLAIN=; fi
say() { printf '\n%s# %s%s\n' "$BOLD" "$1" "$PLAIN"; }
show() { printf '%s$ %s%s\n' "$BOLD" "$1" "$PLAIN"; }

say "1. A pass is declared in a few lines of YAML (specs/affine.yaml):"
awk '
  /^  [^ ]/ { is_shown = /AffineLoopNormalize/ }
  /^    [^ ]/ { is_long = /^    (description|ignore):/ }
  is_shown && /^    description:/ { print "    description: ..." }
  is_shown && !is_long && NF' specs/affine.yaml

say "2. From it, passgen generates the boilerplate of a pass, and its documentation:"
mkdir -p "$OUT"
show "passgen --name Affine specs/affine.yaml -o $OUT"
"$BIN/passgen" --name Affine specs/affine.yaml -o "$OUT"
show "sed -n '/^class AffineLoopNormalizeOptions/,/^def create/p' $OUT/affine_passes.py"
sed -n '/^class AffineLoopNormalizeOptions/,/^def create/p' "$OUT/affine_passes.py" | grep -v '^def'

say "3. The passes run on a matrix multiplication (docs/demo/matmul.mlir):"
show "passgen-opt docs/demo/matmul.mlir"
"$BIN/passgen-opt" docs/demo/matmul.mlir

show "passgen-opt docs/demo/matmul.mlir --mlir-pass-statistics --pass-pipeline='$PIPELINE'"
"$BIN/passgen-opt" docs/demo/matmul.mlir --mlir-pass-statistics --pass-pipeline="$PIPELINE" 2>&1

say "4. The generated files are here:"
ls "$OUT"/*
