// RUN: not passgen-opt %s
func.func @f() {
  func.return
}
