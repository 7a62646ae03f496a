// RUN: split-file %s %t
//--- a
//--- a
func.func @f() {
  func.return
}
