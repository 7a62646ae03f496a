// RUN: passgen-test-opt %s -pass-pipeline='any(test-greedy-patterns{max-iterations=1})' | filecheck %s
// RUN: passgen-test-opt %s -pass-pipeline='builtin.module(any(test-patterns{max-iterations=1 top-down=false fold=false}))' | filecheck %s
// RUN: passgen-test-opt %s -test-patterns='max-iterations=0' | filecheck %s --check-prefix=NOT

// An operation that was changed in place is rewritten again, in the same round.
// CHECK-LABEL: func.func @increment
// CHECK-NEXT: "test.any_attr_of_i32_str"() {attr = 3 : i32}
// CHECK-NEXT: "test.any_attr_of_i32_str"() {attr = 7 : i32}
// CHECK-NEXT: "test.any_attr_of_i32_str"() {attr = "text"}

// NOT: {attr = 0 : i32}
func.func @increment() {
  "test.any_attr_of_i32_str"() {attr = 0 : i32} : () -> ()
  "test.any_attr_of_i32_str"() {attr = 7 : i32} : () -> ()
  "test.any_attr_of_i32_str"() {attr = "text"} : () -> ()
  return
}
