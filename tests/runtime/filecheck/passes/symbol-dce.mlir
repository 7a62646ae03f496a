// RUN: passgen-opt %s --mlir-pass-statistics \
// RUN:   --pass-pipeline='builtin.module(symbol-dce)' 2>&1 | filecheck %s
// RUN: passgen-opt %s --pass-pipeline='builtin.module(symbol-dce)' \
// RUN:   | filecheck %s --check-prefix GONE
// RUN: not passgen-opt %s --pass-pipeline='builtin.module(func.func(symbol-dce))' 2>&1 \
// RUN:   | filecheck %s --check-prefix ERROR

// ERROR: error: 'func.func' op  was scheduled to run under SymbolDCE, but does not define a symbol table

// CHECK: (S) 7 num-dce'd
// GONE-NOT: @dead

// CHECK: func.func private @used
// CHECK: func.func @main
func.func private @dead_declaration()
func.func private @used()
func.func nested @dead_nested()
func.func @main() {
  func.call @used() : () -> ()
  return
}

// No live operation refers to the cycle.
func.func private @dead_cycle_a() {
  func.call @dead_cycle_b() : () -> ()
  return
}
func.func private @dead_cycle_b() {
  func.call @dead_cycle_a() : () -> ()
  return
}

// References may be nested in attributes, and may name symbols of inner tables.
// CHECK: "test.op"
// CHECK: func.func private @in_array
// CHECK: builtin.module @inner
// CHECK: func.func private @in_inner
"test.op"() {uses = [{key = @in_array}, @inner::@in_inner]} : () -> ()
func.func private @in_array()
builtin.module @inner attributes {sym_visibility = "private"} {
  func.func private @in_inner()
  func.func private @dead_in_inner()
}

// Nested symbols are not visible outside of the module that the pass runs on.
// CHECK: builtin.module @public
builtin.module @public {
  func.func nested @dead_in_public()
}

// CHECK: builtin.module {
builtin.module {
  func.func nested @dead_in_nameless()
}
