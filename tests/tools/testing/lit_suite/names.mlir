// RUN: test -f %{fs-src-root}%:s && test %/s = %{fs-src-root}%:s
// RUN: passgen-opt %{/s:real} | sed 's@passgen-nix@%{/s:regex_replacement}@' | filecheck %s
// CHECK: func.func @f
func.func @f() {
  func.return
}
