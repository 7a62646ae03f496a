// DEFINE: %{check} = --check-prefix=C
// RUN: passgen-opt %s %if fast %{ %if slow %{ --nix %} %else %{ | filecheck %{check} %s %} %}
// C: func.func @f
func.func @f() {
  func.return
}
