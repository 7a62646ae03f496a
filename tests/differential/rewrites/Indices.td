// A rewrite of a dialect with two operations of constants, one for each type, and one
// that is an alternative of two patterns.

include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Index/IR/IndexOps.td"

def IsZero : Constraint<CPred<"getIntOrSplatIntValue($0)->isZero()">>;
def SameType : Constraint<CPred<"$0.getType() == $1.getType()">>;

def AddZero : Pat<(Index_AddOp $x, (ConstantLikeMatcher AnyAttr:$zero)),
    (replaceWithValue $x), [(IsZero $zero)]>;
def CastBack : Pat<(Index_CastSOp:$back (Index_CastSOp $x)),
    (replaceWithValue $x), [(SameType $back, $x)]>;
