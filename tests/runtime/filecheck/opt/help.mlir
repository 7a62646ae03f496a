// The help shows what passes and pipelines declare.
// DEFINE: %{opt} = passgen-test-opt
// DEFINE: %{check} = filecheck %s --match-full-lines --check-prefix

// RUN: %{opt} --list-passes | %{check}=LIST
// LIST: test-declared{{ +}}Be declared; nothing implements it (deprecated) (not implemented)
// LIST-NEXT: test-documented{{ +}}Be documented
// LIST: test-twice{{ +}}Do it twice

// RUN: %{opt} -help | %{check}=HELP
// HELP: usage: {{.*}} [FLAG]... [INPUT]
// HELP: {{ *}}--canonicalize[=OPTIONS]        Bring operations into their canonical form
// HELP-NEXT: {{ *}}top-down=bool               Visit operations in program order first;
// HELP-NEXT: {{ *}}otherwise in reverse (default: true)
// HELP: {{ *}}region-simplify=disabled|normal|aggressive
// HELP: {{ *}}--test-declared                 Be declared; nothing implements it
// HELP-NEXT: {{ *}}(deprecated) (not implemented)
// HELP: {{ *}}size=int64                  (default in C++: kSize) (deprecated)
// HELP: {{ *}}--test-twice[=OPTIONS]          Do it twice
// HELP-NEXT: {{ *}}times=int64                 (default: 2)

// RUN: %{opt} --help-pass=test-documented | %{check}=PASS
// RUN: %{opt} --help-pass test-documented | %{check}=PASS
// PASS: test-documented: Be documented
// PASS-EMPTY:
// PASS-NEXT: runs on: func.func
// PASS-NEXT: dependent dialects: arith
// PASS-NEXT: tags: first, second
// PASS-NEXT: runs after: a pass with tag 'lowering'
// PASS-NEXT: runs before, if present: 'cse'
// PASS-NEXT: needs a clean-up later: 'dce' or 'cse'
// PASS-NEXT: requires analyses: Schedule
// PASS-NEXT: provides analyses: Schedule
// PASS-NEXT: preserves analyses: all
// PASS-NEXT: defined by: {{.*}}.Documented (documented_passes.py:{{[0-9]+}})
// PASS-EMPTY:
// PASS-NEXT: At length.
// PASS-EMPTY:
// PASS-NEXT: options:
// PASS-NEXT:   size=int64 (default in C++: kSize)
// PASS-NEXT:   deprecated: Leave it out.

// RUN: %{opt} --help-pass=test-declared | %{check}=DECLARED
// DECLARED: deprecated: Use 'cse' instead.
// DECLARED-NEXT: runs on: operations that only C++ names: operation class xyz::Op

// RUN: %{opt} --help-pass=test-twice | %{check}=PIPELINE
// PIPELINE: consists of with default options:
// PIPELINE-NEXT: func.func(
// PIPELINE-NEXT:   test-documented,
// PIPELINE-NEXT:   test-documented
// PIPELINE-NEXT: )
// PIPELINE-EMPTY:

// RUN: %{opt} --help-pass=test-not-built | %{check}=NOT-BUILT
// NOT-BUILT: cannot be built with default options: {{.*}}: it raised ValueError: not today

// The class that implements a declared pass is named.
// RUN: %{opt} --help-pass=canonicalize | %{check}=IMPLEMENTED
// IMPLEMENTED: defined by: {{.*}}.Canonicalizer (canonicalize.py:{{[0-9]+}}), declared in specs/transforms.yaml
