// RUN: not-yet %s
func.func @f() {
  func.return
}
