// RUN: passgen-opt %s | filecheck %s
// CHECK: func.func @g
func.func @f() {
  func.return
}
