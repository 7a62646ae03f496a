// REQUIRES: local
// RUN: passgen-opt %s %pass | filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
