// Rewrites that are right, and rewrites with a mistake of one kind each.

include "mlir/IR/PatternBase.td"
include "mlir/Dialect/Arith/IR/ArithOps.td"

def Zero : NativeCodeCall<"$_builder.getZeroAttr($0.getType())">;
def Sum : NativeCodeCall<"addIntegerAttrs($_builder, $0, $1, $2)">;
def Difference : NativeCodeCall<"subIntegerAttrs($_builder, $0, $1, $2)">;
def Product : NativeCodeCall<"mulIntegerAttrs($_builder, $0, $1, $2)">;
def FlagsOfBoth : NativeCodeCall<"mergeOverflowFlags($0, $1)">;
def Inverse : NativeCodeCall<"invertPredicate($0)">;
def SameType : Constraint<CPred<"$0.getType() == $1.getType()">>;

defvar NoFlags = ConstantEnumCase<Arith_IntegerOverflowAttr, "none">;
defvar Slt = ConstantEnumCase<Arith_CmpIPredicateAttr, "slt">;
defvar Sle = ConstantEnumCase<Arith_CmpIPredicateAttr, "sle">;
defvar Ult = ConstantEnumCase<Arith_CmpIPredicateAttr, "ult">;
defvar Ule = ConstantEnumCase<Arith_CmpIPredicateAttr, "ule">;
defvar Eq = ConstantEnumCase<Arith_CmpIPredicateAttr, "eq">;

// Sums and differences.
def RightSubSelf : Pat<(Arith_SubIOp $x, $x, $_), (Arith_ConstantOp (Zero $x))>;
def WrongAddSelf : Pat<(Arith_AddIOp $x, $x, $_), (Arith_ConstantOp (Zero $x))>;
def RightAddAdd : Pat<
    (Arith_AddIOp:$r (Arith_AddIOp $x, (ConstantLikeMatcher APIntAttr:$c), $_),
                     (ConstantLikeMatcher APIntAttr:$d), $_),
    (Arith_AddIOp $x, (Arith_ConstantOp (Sum $r, $c, $d)), NoFlags)>;
def WrongAddAdd : Pat<
    (Arith_AddIOp:$r (Arith_AddIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
                     (ConstantLikeMatcher APIntAttr:$d), $g),
    (Arith_AddIOp $x, (Arith_ConstantOp (Sum $r, $c, $d)), (FlagsOfBoth $f, $g))>;
def RightSubSub : Pat<
    (Arith_SubIOp:$r (Arith_SubIOp $x, (ConstantLikeMatcher APIntAttr:$c), $_),
                     (ConstantLikeMatcher APIntAttr:$d), $_),
    (Arith_SubIOp $x, (Arith_ConstantOp (Sum $r, $c, $d)), NoFlags)>;
def WrongSubSub : Pat<
    (Arith_SubIOp:$r (Arith_SubIOp $x, (ConstantLikeMatcher APIntAttr:$c), $_),
                     (ConstantLikeMatcher APIntAttr:$d), $_),
    (Arith_SubIOp $x, (Arith_ConstantOp (Difference $r, $c, $d)), NoFlags)>;
def RightMulMul : Pat<
    (Arith_MulIOp:$r (Arith_MulIOp $x, (ConstantLikeMatcher APIntAttr:$c), $_),
                     (ConstantLikeMatcher APIntAttr:$d), $_),
    (Arith_MulIOp $x, (Arith_ConstantOp (Product $r, $c, $d)), NoFlags)>;
def WrongMulMul : Pat<
    (Arith_MulIOp:$r (Arith_MulIOp $x, (ConstantLikeMatcher APIntAttr:$c), $_),
                     (ConstantLikeMatcher APIntAttr:$d), $_),
    (Arith_MulIOp $x, (Arith_ConstantOp (Sum $r, $c, $d)), NoFlags)>;
def RightAddSub : Pat<(Arith_AddIOp (Arith_SubIOp $x, $y, $_), $y, $_),
    (replaceWithValue $x)>;
def WrongAddSub : Pat<(Arith_AddIOp (Arith_SubIOp $x, $y, $_), $x, $_),
    (replaceWithValue $y)>;
def RightSubAdd : Pat<(Arith_SubIOp (Arith_AddIOp $x, $y, $_), $x, $_),
    (replaceWithValue $y)>;
def WrongSubAdd : Pat<(Arith_SubIOp $x, (Arith_AddIOp $x, $y, $_), $_),
    (replaceWithValue $y)>;
def RightCommute : Pat<(Arith_AddIOp $x, $y, $f), (Arith_AddIOp $y, $x, $f)>;
def WrongCommute : Pat<(Arith_SubIOp $x, $y, $f), (Arith_SubIOp $y, $x, $f)>;

// Bits.
def RightAbsorb : Pat<(Arith_OrIOp $x, (Arith_AndIOp $x, $y)), (replaceWithValue $x)>;
def WrongAbsorb : Pat<(Arith_OrIOp $x, (Arith_AndIOp $x, $y)), (replaceWithValue $y)>;
def RightXorTwice : Pat<(Arith_XOrIOp (Arith_XOrIOp $x, $y), $y),
    (replaceWithValue $x)>;
def WrongXorTwice : Pat<(Arith_XOrIOp (Arith_OrIOp $x, $y), $y),
    (replaceWithValue $x)>;
def RightDistribute : Pat<(Arith_OrIOp (Arith_AndIOp $x, $y), (Arith_AndIOp $x, $z)),
    (Arith_AndIOp $x, (Arith_OrIOp $y, $z))>;
def WrongDistribute : Pat<(Arith_OrIOp (Arith_AndIOp $x, $y), (Arith_AndIOp $x, $z)),
    (Arith_OrIOp $x, (Arith_AndIOp $y, $z))>;

// Comparisons.
def RightInverse : Pat<
    (Arith_XOrIOp (Arith_CmpIOp $p, $x, $y), (ConstantLikeMatcher ConstantAttr<I1Attr, "1">)),
    (Arith_CmpIOp (Inverse $p), $x, $y)>;
def WrongInverse : Pat<
    (Arith_XOrIOp (Arith_CmpIOp $p, $x, $y), (ConstantLikeMatcher ConstantAttr<I1Attr, "1">)),
    (Arith_CmpIOp (Inverse $p), $y, $x)>;
def RightLess : Pat<(Arith_CmpIOp Slt, $x, $x),
    (Arith_ConstantOp ConstantAttr<I1Attr, "0">)>;
def WrongLess : Pat<(Arith_CmpIOp Sle, $x, $x),
    (Arith_ConstantOp ConstantAttr<I1Attr, "0">)>;
def RightExtended : Pat<(Arith_CmpIOp Slt, (Arith_ExtSIOp $x), (Arith_ExtSIOp $y)),
    (Arith_CmpIOp Slt, $x, $y), [(SameType $x, $y)]>;
def WrongExtended : Pat<(Arith_CmpIOp Slt, (Arith_ExtUIOp $x), (Arith_ExtUIOp $y)),
    (Arith_CmpIOp Slt, $x, $y), [(SameType $x, $y)]>;
def RightUnsigned : Pat<(Arith_CmpIOp Slt, (Arith_ExtUIOp $x), (Arith_ExtUIOp $y)),
    (Arith_CmpIOp Ult, $x, $y), [(SameType $x, $y)]>;
def WrongUnsigned : Pat<(Arith_CmpIOp Ult, (Arith_ExtUIOp $x), (Arith_ExtUIOp $y)),
    (Arith_CmpIOp Ule, $x, $y), [(SameType $x, $y)]>;

// Choices.
def RightSelectSame : Pat<(SelectOp $c, $x, $x), (replaceWithValue $x)>;
def WrongSelectSame : Pat<(SelectOp $c, $x, $y), (replaceWithValue $x)>;
def RightSelectEqual : Pat<(SelectOp (Arith_CmpIOp Eq, $x, $y), $x, $y),
    (replaceWithValue $y)>;
def WrongSelectEqual : Pat<(SelectOp (Arith_CmpIOp Slt, $x, $y), $x, $y),
    (replaceWithValue $y)>;
def RightSmaller : Pat<(SelectOp (Arith_CmpIOp Slt, $x, $y), $x, $y),
    (Arith_MinSIOp $x, $y)>;
def WrongSmaller : Pat<(SelectOp (Arith_CmpIOp Slt, $x, $y), $x, $y),
    (Arith_MinUIOp $x, $y)>;

// Casts.
def RightExtendTwice : Pat<(Arith_ExtSIOp (Arith_ExtSIOp $x)), (Arith_ExtSIOp $x)>;
def WrongExtendTwice : Pat<(Arith_ExtSIOp (Arith_ExtUIOp $x)), (Arith_ExtSIOp $x)>;
def RightTruncate : Pat<(Arith_TruncIOp:$r (Arith_ExtSIOp $x), $_),
    (replaceWithValue $x), [(SameType $r, $x)]>;
def WrongTruncate : Pat<(Arith_ExtSIOp:$r (Arith_TruncIOp $x, $_)),
    (replaceWithValue $x), [(SameType $r, $x)]>;

// Products and shifts.
def RightMulOnce : Pat<(Arith_MulIOp $x, $y, $f), (Arith_MulIOp $y, $x, $f)>;
def WrongMulOnce : Pat<(Arith_MulIOp (Arith_AddIOp $x, $y, $_), $y, $f),
    (Arith_AddIOp (Arith_MulIOp $x, $y, $f), $y, NoFlags)>;
def RightShiftFlags : Pat<(Arith_ShLIOp $x, $y, $_), (Arith_ShLIOp $x, $y, NoFlags)>;
def WrongShiftFlags : Pat<(Arith_ShLIOp $x, $y, $_),
    (Arith_ShLIOp $x, $y, ConstantEnumCase<Arith_IntegerOverflowAttr, "nsw">)>;
