// RUN: passgen-opt %s --pass-pipeline='builtin.module(symbol-privatize{exclude=main,kept})' | filecheck %s
// RUN: passgen-opt %s --pass-pipeline='builtin.module(symbol-privatize)' | filecheck %s --check-prefix ALL

// CHECK: func.func @main()
// CHECK: func.func @kept()
// CHECK: func.func private @other()
// CHECK: func.func private @nested()
// ALL:   func.func private @main()
// ALL:   func.func private @kept()
// ALL:   func.func private @other()
// ALL:   func.func private @nested()
func.func @main() {
  return
}
func.func @kept() {
  return
}
func.func @other() {
  return
}
func.func nested @nested() {
  return
}

// Symbols of inner tables do not change.
// CHECK: builtin.module @inner attributes {sym_visibility = "private"} {
// CHECK:   func.func @in_inner()
builtin.module @inner {
  func.func @in_inner() {
    return
  }
}
