// Records come in the order of their names, where numbers count by their digits.
include "mlir/Pass/PassBase.td"

def Stage10 : Pass<"stage-10">;
def Stage9 : Pass<"stage-9">;
def Stage02 : Pass<"stage-02">;
def Stage002 : Pass<"stage-2">;
def Stage2 : Pass<"stage-2">;
def Stage : Pass<"stage">;
def StageA : Pass<"stage-a">;
def Stage_1 : Pass<"stage-2">;
def Stage1x10 : Pass<"stage-2">;
def Stage1x9 : Pass<"stage-2">;
def Stage1x09 : Pass<"stage-2">;
def Stage1 : Pass<"stage-1">;
def Stage1x : Pass<"stage-1x">;
def Stage0 : Pass<"stage-0">;
def Stage00 : Pass<"stage-00">;
def stage3 : Pass<"stage-3">;
