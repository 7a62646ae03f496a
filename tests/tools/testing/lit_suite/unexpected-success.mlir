// XFAIL: fast
// RUN: passgen-opt %s | filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
