// The vocabulary of `PlantedRight.td` and `PlantedWrong.td`.

include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"
include "mlir/Dialect/Math/IR/MathOps.td"

def ZeroOf : NativeCodeCall<"$_builder.getZeroAttr($0.getType())">;
def SumOf : NativeCodeCall<"addIntegerAttrs($_builder, $0, $1, $2)">;
def DifferenceOf : NativeCodeCall<"subIntegerAttrs($_builder, $0, $1, $2)">;
def ProductOf : NativeCodeCall<"mulIntegerAttrs($_builder, $0, $1, $2)">;
def FlagsOfBoth : NativeCodeCall<"mergeOverflowFlags($0, $1)">;
def Inverse : NativeCodeCall<"invertPredicate($0)">;

def SameType : Constraint<CPred<"$0.getType() == $1.getType()">>;
def Wider : Constraint<
    CPred<"getScalarOrElementWidth($0) > getScalarOrElementWidth($1)">>;
def IsOne : Constraint<CPred<"*getIntOrSplatIntValue($0) == 1">>;
def IsMinusOne : Constraint<CPred<"getIntOrSplatIntValue($0)->isAllOnes()">>;
def IsZero : Constraint<CPred<"getIntOrSplatIntValue($0)->isZero()">>;
def IsUnused : Constraint<CPred<"$0.use_empty()">>;

defvar None = ConstantEnumCase<Arith_IntegerOverflowAttr, "none">;
defvar Nsw = ConstantEnumCase<Arith_IntegerOverflowAttr, "nsw">;
defvar Nuw = ConstantEnumCase<Arith_IntegerOverflowAttr, "nuw">;
defvar Slt = ConstantEnumCase<Arith_CmpIPredicateAttr, "slt">;
defvar Sle = ConstantEnumCase<Arith_CmpIPredicateAttr, "sle">;
defvar Sgt = ConstantEnumCase<Arith_CmpIPredicateAttr, "sgt">;
defvar Sge = ConstantEnumCase<Arith_CmpIPredicateAttr, "sge">;
defvar Ult = ConstantEnumCase<Arith_CmpIPredicateAttr, "ult">;
defvar Ule = ConstantEnumCase<Arith_CmpIPredicateAttr, "ule">;
defvar No = ConstantAttr<I1Attr, "0">;
defvar Yes = ConstantAttr<I1Attr, "1">;
