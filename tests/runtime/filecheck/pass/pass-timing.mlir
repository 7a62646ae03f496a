// RUN: passgen-test-opt %s -mlir-disable-threading -verify-each=true -pass-pipeline='builtin.module(func.func(cse,canonicalize,cse))' -mlir-timing -mlir-timing-display=list -o /dev/null 2>&1 | filecheck %s --check-prefix=LIST
// RUN: passgen-test-opt %s -mlir-disable-threading -verify-each=true -pass-pipeline='builtin.module(func.func(cse,canonicalize,cse))' -mlir-timing -mlir-timing-display=tree -o /dev/null 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: passgen-test-opt %s -mlir-disable-threading=false -pass-pipeline='builtin.module(func.func(cse,canonicalize,cse))' -timing -o /dev/null 2>&1 | filecheck %s --check-prefix=THREADS
// RUN: passgen-test-opt %s -mlir-disable-threading -pass-pipeline='builtin.module(func.func(cse))' -mlir-timing -mlir-output-format=json -o /dev/null 2>&1 | filecheck %s --check-prefix=JSON
// RUN: passgen-test-opt %s -mlir-disable-threading -cse -mlir-timing -info-output-file=%t -o /dev/null 2>&1 | filecheck %s --check-prefix=NOTHING --allow-empty

// LIST: Execution time report
// LIST: Total Execution Time:
// LIST: Name
// LIST-DAG: Canonicalizer
// LIST-DAG: CSE
// LIST-DAG: (A) DominanceInfo
// LIST: Total

// PIPELINE: Execution time report
// PIPELINE: Total Execution Time:
// PIPELINE: Name
// PIPELINE-NEXT: Parser
// PIPELINE-NEXT: 'func.func' Pipeline
// PIPELINE-NEXT:   CSE
// PIPELINE-NEXT:     (A) DominanceInfo
// PIPELINE-NEXT:   Canonicalizer
// PIPELINE-NEXT:   CSE
// PIPELINE-NEXT:     (A) DominanceInfo
// PIPELINE-NEXT: Output
// PIPELINE-NEXT: Rest
// PIPELINE-NEXT: Total

// THREADS: ----User Time----  ----Wall Time----  ----Name----
// THREADS: 'func.func' Pipeline
// THREADS-NEXT: CSE
// THREADS: Total

// JSON: [
// JSON-NEXT: {"wall": {"duration": {{ +[0-9.]+}}, "percentage": {{ *[0-9.]+}}}, "name": "Parser", "passes": [
// JSON-NEXT: {}]},
// JSON-NEXT: "name": "'func.func' Pipeline", "passes": [
// JSON-NEXT: "name": "CSE", "passes": [
// JSON-NEXT: "name": "(A) DominanceInfo", "passes": [
// JSON: "name": "Total"}
// JSON-NEXT: ]

// NOTHING-NOT: {{.}}

func.func @foo() {
  return
}

func.func @bar() {
  return
}
