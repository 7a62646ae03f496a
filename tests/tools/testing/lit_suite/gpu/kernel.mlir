// RUN: gpu-opt %s
func.func @f() {
  func.return
}
