include "mlir/Pass/PassBase.td"

// Options whose arguments name files or programs, and others that seem to.
def DumpLoops : Pass<"dump-loops"> {
  let summary = "Dump loops";
  let options = [
    Option<"file", "file", "std::string", "", "The file to write.">,
    ListOption<"libraryPaths", "library-paths", "std::string", "Folders.">,
    Option<"format", "tool", "::Format", /*default=*/"::Format::Text", "Of a type of its own.">,
    Option<"toFile", "to-file", "bool", /*default=*/"false", "Whether to write one.">,
    Option<"useTool", "use-tool", "std::optional<bool>", "", "Whether to use one.">,
    Option<"profile", "profile", "std::string", "", "No word of a file.">,
  ];
}
