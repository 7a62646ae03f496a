// RUN: split-file %s %t
func.func @f() {
  func.return
}
