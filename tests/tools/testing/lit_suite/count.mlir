// RUN: passgen-opt %s | count 5
// RUN: not count 6 < %s
func.func @f() {
  func.return
}
