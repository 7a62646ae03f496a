// RUN: passgen-opt %s --pass-pipeline='builtin.module(builtin.module(symbol-dce))' | filecheck %s

// The operations around may use a nested symbol, unless its table hides it.

// CHECK:      builtin.module @public {
// CHECK-NEXT:   func.func nested @seen() -> ()
// CHECK-NEXT: }
builtin.module @public {
  func.func nested @seen()
  func.func private @dead()
}

// CHECK-NEXT: builtin.module @private
// CHECK-NEXT: }
builtin.module @private attributes {sym_visibility = "private"} {
  func.func nested @dead()
}

// CHECK-NEXT: builtin.module {
// CHECK-NEXT: }
builtin.module {
  func.func nested @dead()
}
