// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(builtin.module(test-dynamic-pipeline{op-name=first dynamic-pipeline=func.func(cse,canonicalize)}))' -mlir-print-ir-before-all -mlir-disable-threading 2>&1 | filecheck %s --check-prefix=ONE
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(builtin.module(test-dynamic-pipeline{op-name=first,second dynamic-pipeline=func.func(cse)}))' -mlir-print-ir-before-all -mlir-disable-threading 2>&1 | filecheck %s --check-prefix=BOTH
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(test-dynamic-pipeline{op-name=all run-on-nested-operations=1 dynamic-pipeline=cse})' -mlir-print-ir-before=cse -mlir-disable-threading 2>&1 | filecheck %s --check-prefix=NESTED
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(builtin.module(test-dynamic-pipeline{op-name=first run-on-parent=1 dynamic-pipeline=cse}))' 2>&1 | filecheck %s --check-prefix=PARENT
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(builtin.module(test-dynamic-pipeline{op-name=first dynamic-pipeline=func.func(test-pass-failure)}))' 2>&1 | filecheck %s --check-prefix=FAILS
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(test-dynamic-pipeline)' -mlir-disable-threading 2>&1 | filecheck %s --check-prefix=EMPTY

// ONE: IR Dump Before TestDynamicPipelinePass (test-dynamic-pipeline)
// ONE: Dynamic execute 'func.func(cse,canonicalize)' on builtin.module
// ONE: IR Dump Before CSE (cse)
// ONE-NEXT: func.func @f
// ONE: IR Dump Before Canonicalizer (canonicalize)
// ONE-NEXT: func.func @f
// ONE: dynamic-pipeline skip op name: second
// ONE-NOT: IR Dump Before CSE

// BOTH: IR Dump Before CSE (cse)
// BOTH-NEXT: func.func @f
// BOTH: IR Dump Before CSE (cse)
// BOTH-NEXT: func.func @g

// NESTED: Run on nested op
// NESTED: IR Dump Before CSE (cse)
// NESTED-NEXT: builtin.module @first
// NESTED: IR Dump Before CSE (cse)
// NESTED-NEXT: builtin.module @second

// PARENT: 'builtin.module' op Trying to schedule a dynamic pipeline on an operation that isn't nested under the current operation the pass is processing

// FAILS: error: pass 'test-pass-failure' failed on 'func.func' operation: @f

// EMPTY: Dynamic execute '' on builtin.module
// EMPTY-NEXT: Empty pipeline

module @all {
  module @first {
    func.func @f() {
      return
    }
  }
  module @second {
    func.func @g() {
      return
    }
  }
}
