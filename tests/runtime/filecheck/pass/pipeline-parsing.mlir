// The timing tree shows the nesting of a pipeline.
// RUN: passgen-test-opt %s -mlir-disable-threading -mlir-timing -pass-pipeline='builtin.module(builtin.module(test-module-pass,func.func(test-function-pass)),func.func(test-function-pass),func.func(cse,canonicalize))' -verify-each=1 -o /dev/null 2>&1 | filecheck %s
// RUN: passgen-test-opt %s -mlir-disable-threading -mlir-timing -test-textual-pm-nested-pipeline -o /dev/null 2>&1 | filecheck %s --check-prefix=TEXTUAL
// RUN: passgen-test-opt %s -mlir-disable-threading -mlir-timing -pass-pipeline='builtin.module(builtin.module(test-module-pass),any(test-interface-pass),any(test-interface-pass),func.func(test-function-pass),any(canonicalize),func.func(cse))' -o /dev/null 2>&1 | filecheck %s --check-prefix=GENERIC_MERGE
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(test-module-pass,func.func(test-function-pass)' 2>&1 | filecheck %s --check-prefix=UNBALANCED
// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(test-function-pass)' 2>&1 | filecheck %s --check-prefix=RESTRICTED

// CHECK: Pipeline Collection : ['builtin.module', 'func.func']
// CHECK-NEXT:   'builtin.module' Pipeline
// CHECK-NEXT:     TestModulePass
// CHECK-NEXT:     'func.func' Pipeline
// CHECK-NEXT:       TestFunctionPass
// CHECK-NEXT:   'func.func' Pipeline
// CHECK-NEXT:     TestFunctionPass
// CHECK-NEXT:     CSE
// CHECK-NEXT:       (A) DominanceInfo
// CHECK-NEXT:     Canonicalizer

// TEXTUAL: Pipeline Collection : ['builtin.module', 'func.func']
// TEXTUAL-NEXT:   'builtin.module' Pipeline
// TEXTUAL-NEXT:     TestModulePass
// TEXTUAL-NEXT:     'func.func' Pipeline
// TEXTUAL-NEXT:       TestFunctionPass
// TEXTUAL-NEXT:   'func.func' Pipeline
// TEXTUAL-NEXT:     TestFunctionPass

// GENERIC_MERGE: Pipeline Collection : ['builtin.module', 'any']
// GENERIC_MERGE-NEXT: 'builtin.module' Pipeline
// GENERIC_MERGE-NEXT:   TestModulePass
// GENERIC_MERGE: 'any' Pipeline
// GENERIC_MERGE-NEXT:   TestInterfacePass
// GENERIC_MERGE: 'func.func' Pipeline
// GENERIC_MERGE-NEXT:   TestFunctionPass
// GENERIC_MERGE: Canonicalizer
// GENERIC_MERGE: CSE

// UNBALANCED: error: {{encountered unbalanced parentheses while parsing pipeline|expected pass pipeline to be wrapped with the anchor operation type}}

// RESTRICTED: error: Can't add pass 'TestFunctionPass' restricted to 'func.func' on a PassManager intended to run on 'builtin.module', did you intend to nest?

module {
  module {
    func.func @inner() {
      return
    }
  }
  func.func @outer() {
    return
  }
}
