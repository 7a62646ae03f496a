// RUN: ROUNDTRIP
// CHECK: func.func @f
func.func @f() {
  func.return
}
