// RUN: passgen-opt %s \
// RUN:   %{flags} | \
// RUN:   filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
