// RUN: not passgn-opt %s
func.func @f() {
  func.return
}
