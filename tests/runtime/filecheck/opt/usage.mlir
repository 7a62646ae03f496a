// Wrong usage is said in one message.
// DEFINE: %{wrong} = not passgen-opt %s
// DEFINE: %{check} = filecheck %s --match-full-lines --check-prefix

// RUN: %{wrong} --csee 2>&1 | %{check}=MISSPELT
// RUN: %{wrong} ---csee 2>&1 | %{check}=MISSPELT
// MISSPELT: {{.*}}: Unknown command line argument '{{-+}}csee'.  Try: '{{.*}} --help'
// MISSPELT-NEXT: {{.*}}: Did you mean '--cse'?
// MISSPELT-NOT: {{.}}

// RUN: %{wrong} --xyzzy-nothing-alike=1 2>&1 | %{check}=UNKNOWN
// UNKNOWN: {{.*}}: Unknown command line argument '--xyzzy-nothing-alike=1'.  Try: '{{.*}} --help'
// UNKNOWN-NOT: {{.}}

// RUN: %{wrong} --verify-each=maybe 2>&1 | %{check}=BOOLEAN
// BOOLEAN: {{.*}}: for the --verify-each option: 'maybe' is invalid value for boolean argument! Try 0 or 1
// BOOLEAN-NOT: {{.}}

// RUN: %{wrong} --mlir-elide-elementsattrs-if-larger=-1 2>&1 | %{check}=NUMBER
// NUMBER: {{.*}}: for the --mlir-elide-elementsattrs-if-larger option: '-1' value invalid for uint argument!
// NUMBER-NOT: {{.}}

// RUN: %{wrong} --pass-pipeline 2>&1 | %{check}=VALUE
// RUN: %{wrong} -o 2>&1 | %{check}=VALUE
// VALUE: {{.*}}: for the {{--pass-pipeline|-o}} option: requires a value!
// VALUE-NOT: {{.}}

// RUN: %{wrong} --cse --pass-pipeline='builtin.module(cse)' 2>&1 | %{check}=TWO-PIPELINES
// TWO-PIPELINES: {{.*}}: '-pass-pipeline' option can't be used with individual pass options
// TWO-PIPELINES-NOT: {{.}}

// RUN: %{wrong} other.mlir 2>&1 | %{check}=TWO-INPUTS
// TWO-INPUTS: {{.*}}: Too many positional arguments specified!
// TWO-INPUTS-NEXT: {{.*}}: Can specify at most 1 positional arguments: See: {{.*}} --help
// TWO-INPUTS-NOT: {{.}}

// RUN: %{wrong} --help-pass=csee 2>&1 | %{check}=HELP
// HELP: {{.*}}: 'csee' does not refer to a registered pass or pass pipeline
// HELP-NEXT: {{.*}}: did you mean 'cse'?
// HELP-NOT: {{.}}

// RUN: %{wrong} --help-pass=sccp 2>&1 | %{check}=HELP-OF-MLIRS
// HELP-OF-MLIRS: {{.*}}: 'sccp' does not refer to a registered pass or pass pipeline
// HELP-OF-MLIRS-NEXT: {{.*}}: 'sccp' is a pass of MLIR's: --ir=mlir runs it
// HELP-OF-MLIRS-NOT: {{.}}

// RUN: %{wrong} --sccp 2>&1 | %{check}=MLIRS
// MLIRS: {{.*}}: --sccp is not supported: 'sccp' is a pass of MLIR's: --ir=mlir runs it
// MLIRS-NOT: {{.}}

// RUN: %{wrong} --mlir-print-ir-diff --mlir-print-ir-tree-dir=%t 2>&1 | %{check}=TREE
// TREE: {{.*}}--mlir-print-ir-diff prints none{{.*}}

// One dash is as good as two.
// RUN: passgen-opt %s -cse -verify-each=false -o /dev/null 2>&1 | filecheck %s --check-prefix=FINE --allow-empty
// RUN: passgen-opt %s --cse --verify-each=false -o /dev/null 2>&1 | filecheck %s --check-prefix=FINE --allow-empty
// FINE-NOT: {{.}}

// An empty name, as of an unset variable, is no file.
// RUN: not passgen-opt %s -cse --mlir-generate-reproducer= 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not passgen-opt %s -cse --mlir-pass-pipeline-crash-reproducer= 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not passgen-opt %s -cse -o= 2>&1 | filecheck %s --check-prefix=EMPTY
// EMPTY: passgen-opt: '-{{.*}}=' has none
