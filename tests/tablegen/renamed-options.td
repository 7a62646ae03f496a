// Names that Python has taken, beside those that they would get instead.
include "mlir/Pass/PassBase.td"

def Renamed : Pass<"renamed"> {
  let summary = "Rename no more than needed";
  let options = [
    Option<"str", "str", "std::string", "", "A name of Python's">,
    Option<"str2", "str2", "std::string", "", "The next one">,
    Option<"tile_size", "tile_size", "unsigned", "1", "With an underscore">,
    Option<"tileSize", "tileSize", "unsigned", "1", "The same in Python">
  ];
  let statistics = [
    Statistic<"NumOps", "all", "With a capital">,
    Statistic<"numOps", "own", "Without">
  ];
}
