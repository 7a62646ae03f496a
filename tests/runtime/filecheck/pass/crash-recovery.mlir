// RUN: not passgen-test-opt %s -pass-pipeline='builtin.module(builtin.module(test-module-pass,test-pass-failure))' -mlir-pass-pipeline-crash-reproducer=%t 2>&1 | filecheck %s
// RUN: passgen-test-opt %t | filecheck %s --check-prefix=REPRO
// RUN: passgen-test-opt %s -verify-diagnostics -pass-pipeline='builtin.module(builtin.module(test-module-pass,test-pass-failure))' -mlir-pass-pipeline-crash-reproducer=%t -mlir-pass-pipeline-local-reproducer -mlir-disable-threading
// RUN: passgen-test-opt %t | filecheck %s --check-prefix=REPRO_LOCAL
// RUN: passgen-test-opt %s -test-module-pass -test-module-pass -mlir-pass-pipeline-crash-reproducer=%t -mlir-pass-pipeline-local-reproducer -mlir-disable-threading | filecheck %s --check-prefix=FINE
// RUN: not passgen-test-opt %s -test-pass-failure 2>&1 | filecheck %s --check-prefix=HINT

// CHECK: error: Failures have been detected while processing an MLIR pass pipeline
// CHECK: note: Pipeline failed while executing [`TestFailurePass` on 'builtin.module' operation: @inner_mod1]: reproducer generated at

// REPRO: builtin.module @inner_mod1
// REPRO: builtin.module @foo
// REPRO: pipeline: "builtin.module(builtin.module(test-module-pass,test-pass-failure{gen-diagnostics=false}))",
// REPRO-NEXT: disable_threading: false
// REPRO-NEXT: verify_each: true

// REPRO_LOCAL: pipeline: "builtin.module(builtin.module(test-pass-failure{gen-diagnostics=false}))",
// REPRO_LOCAL-NEXT: disable_threading: true
// REPRO_LOCAL-NEXT: verify_each: true

// FINE: builtin.module @inner_mod1

// HINT: error: pass 'test-pass-failure' failed on 'builtin.module' operation
// HINT: note: for a reproducer, add --mlir-pass-pipeline-crash-reproducer=reproducer.mlir

module {
  // expected-error@+2 {{Failures have been detected while processing an MLIR pass pipeline}}
  // expected-note@+1 {{Pipeline failed while executing `TestFailurePass` on 'builtin.module' operation: @inner_mod1}}
  module @inner_mod1 {
    module @foo {}
  }
}
