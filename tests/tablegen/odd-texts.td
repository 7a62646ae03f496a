// Texts of options and statistics with lines, blanks and quotes.
include "mlir/Pass/PassBase.td"

def Texts : Pass<"texts"> {
  let summary = "Have odd texts";
  let options = [
    Option<"empty", "empty", "bool", "false", "">,
    Option<"lines", "lines", "bool", "false", [{
      Two lines,
        one indented.
    }]>,
    Option<"quotes", "quotes", "bool", "false", "Says \"yes\": 'no' # or `maybe`">,
    Option<"blanks", "blanks", "bool", "false", " blanks ">,
    Option<"ends", "ends", "bool", "false", "ends a line\n">,
    Option<"percent", "percent", "bool", "false", "100% | {a} [b] \t tab">
  ];
  let statistics = [
    Statistic<"lines", "lines", "Two\nlines">,
    Statistic<"empty", "empty", "">
  ];
}
