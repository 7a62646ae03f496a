// Values of enums, in the file or behind a helper function.
include "mlir/Pass/PassBase.td"

def Modes : Pass<"modes"> {
  let summary = "Have modes";
  let options = [
    Option<"mode", "mode", "my::Mode", "my::Mode::Fast", "How to work",
           [{::llvm::cl::values(
             clEnumValN(my::Mode::Fast, "fast", "As fast as " "possible"),
             clEnumValN(my::Mode::Slow, "slow", ""))}]>,
    Option<"again", "again", "my::Mode", "my::Mode::Unknown", "The same",
           [{::llvm::cl::values(
             clEnumValN(my::Mode::Fast, "fast", "As fast as possible"),
             clEnumValN(my::Mode::Slow, "slow", ""))}]>,
    Option<"other", "other", "other::Mode", "other::Mode::Warm", "Others",
           "llvm::cl::values(clEnumVal(Warm, \"Warm\"), clEnumVal(Cold, \"Cold\"))">,
    Option<"hidden", "hidden", "my::Level", "my::Level::One", "Not here",
           "my::levelValues()">,
    Option<"mixed", "mixed", "my::Level", "", "Partly here",
           "llvm::cl::values(clEnumValN(my::Level::One, \"one\", \"One\"), MORE_VALUES)">,
    Option<"blank", "blank", "my::Level", "", "An empty value",
           "llvm::cl::values(clEnumValN(my::Level::One, \"\", \"One\"))">,
    Option<"regular", "regular", "Color", "Color::DarkRed", "As it is generated",
           [{::llvm::cl::values(clEnumValN(Color::DarkRed, "dark-red", "Dark"), clEnumValN(Color::Blue, "blue", ""))}]>,
    ListOption<"modes", "modes", "my::Mode", "Several",
           [{llvm::cl::ZeroOrMore, llvm::cl::values(
             clEnumValN(my::Mode::Fast, "fast", "Fast"),
             clEnumValN(my::Mode::Slow, "slow", "Slow"))}]>
  ];
}
