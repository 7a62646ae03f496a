// RUN: passgen-test-opt %s -verify-each=true -pass-pipeline='builtin.module(func.func(test-stats-pass,test-stats-pass))' -mlir-pass-statistics -mlir-pass-statistics-display=list -o /dev/null 2>&1 | filecheck %s --check-prefix=LIST
// RUN: passgen-test-opt %s -verify-each=true -pass-pipeline='builtin.module(func.func(test-stats-pass,test-stats-pass))' -mlir-pass-statistics -mlir-pass-statistics-display=pipeline -mlir-disable-threading=false -o /dev/null 2>&1 | filecheck %s --check-prefix=PIPELINE
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(test-dynamic-pipeline{op-name=top dynamic-pipeline=func.func(test-stats-pass)})' -pass-statistics -o /dev/null 2>&1 | filecheck %s --check-prefix=DYNAMIC
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(func.func(test-stats-pass))' -pass-statistics -output-format=json -o /dev/null 2>&1 | filecheck %s --check-prefix=JSON

// LIST: Pass statistics report
// LIST: TestStatisticPass
// LIST-NEXT:  (S) 8 num-ops  - Number of operations counted
// LIST-NEXT:  (S) 8 num-ops2 - Number of operations counted one more time

// PIPELINE: Pass statistics report
// PIPELINE: 'func.func' Pipeline
// PIPELINE-NEXT:   TestStatisticPass
// PIPELINE-NEXT:     (S) 4 num-ops  - Number of operations counted
// PIPELINE-NEXT:     (S) 4 num-ops2 - Number of operations counted one more time
// PIPELINE-NEXT:   TestStatisticPass
// PIPELINE-NEXT:     (S) 4 num-ops  - Number of operations counted
// PIPELINE-NEXT:     (S) 4 num-ops2 - Number of operations counted one more time

// DYNAMIC: TestDynamicPipelinePass
// DYNAMIC-NEXT: 'builtin.module' Pipeline
// DYNAMIC-NEXT:   'func.func' Pipeline
// DYNAMIC-NEXT:     TestStatisticPass
// DYNAMIC-NEXT:       (S) 4 num-ops

// JSON: {"name": "'func.func' Pipeline", "passes": [{"name": "TestStatisticPass", "statistics": [{"name": "num-ops", "value": 4, "description": "Number of operations counted"}, {"name": "num-ops2", "value": 4, "description": "Number of operations counted one more time"}]}]}

module @top {
  func.func @foo() {
    return
  }
  func.func @bar() {
    return
  }
}
