// Rewrites that are wrong for some integers, flags or constants.

include "Planted.td"

// Flags that a merge of constants must drop.
def AddTwiceKeepsFlags : Pat<
    (Arith_AddIOp:$sum (Arith_AddIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
                       (ConstantLikeMatcher APIntAttr:$d), $g),
    (Arith_AddIOp $x, (Arith_ConstantOp (SumOf $sum, $c, $d)), (FlagsOfBoth $f, $g))>;
def MultiplyTwiceKeepsSigned : Pat<
    (Arith_MulIOp:$all (Arith_MulIOp $x, (ConstantLikeMatcher APIntAttr:$c), Nsw),
                       (ConstantLikeMatcher APIntAttr:$d), Nsw),
    (Arith_MulIOp $x, (Arith_ConstantOp (ProductOf $all, $c, $d)), Nsw)>;
def TimesMinusOneKeepsFlags : Pat<
    (Arith_MulIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
    (Arith_SubIOp (Arith_ConstantOp (ZeroOf $x)), $x, $f), [(IsMinusOne $c)]>;
def DistributeKeepsFlags : Pat<(Arith_MulIOp (Arith_AddIOp $x, $y, Nsw), $z, Nsw),
    (Arith_AddIOp (Arith_MulIOp $x, $z, Nsw), (Arith_MulIOp $y, $z, Nsw), Nsw)>;

// Operands and constants.
def NegateDifferenceUnswapped : Pat<
    (Arith_SubIOp (ConstantLikeMatcher APIntAttr:$c), (Arith_SubIOp $x, $y, $f), $g),
    (Arith_SubIOp $x, $y, None), [(IsZero $c)]>;
def SubtractThenAddReversed : Pat<
    (Arith_AddIOp:$sum (Arith_SubIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
                       (ConstantLikeMatcher APIntAttr:$d), $g),
    (Arith_AddIOp $x, (Arith_ConstantOp (DifferenceOf $sum, $c, $d)), None)>;
def MaskTwiceAdds : Pat<
    (Arith_XOrIOp:$all (Arith_XOrIOp $x, (ConstantLikeMatcher APIntAttr:$c)),
                       (ConstantLikeMatcher APIntAttr:$d)),
    (Arith_XOrIOp $x, (Arith_ConstantOp (SumOf $all, $c, $d)))>;
def RemainderForZero : Pat<(Arith_XOrIOp $x, $x), (Arith_RemUIOp $x, $x)>;

// Shifts.
def ShiftTwiceTooFar : Pat<
    (Arith_ShLIOp:$all (Arith_ShLIOp $x, (ConstantLikeMatcher APIntAttr:$c), $f),
                       (ConstantLikeMatcher APIntAttr:$d), $g),
    (Arith_ShLIOp $x, (Arith_ConstantOp (SumOf $all, $c, $d)), None)>;
def ShiftUnsignedForSigned : Pat<(Arith_ShRSIOp $x, $y, $e),
    (Arith_ShRUIOp $x, $y, $e)>;
def ShiftSignedAndBackUnsigned : Pat<(Arith_ShRUIOp (Arith_ShLIOp $x, $y, Nsw), $y, $e),
    (replaceWithValue $x)>;
def ShiftExactThroughXor : Pat<(Arith_ShRUIOp (Arith_XOrIOp $x, $y), $z, $e),
    (Arith_XOrIOp (Arith_ShRUIOp $x, $z, $e), (Arith_ShRUIOp $y, $z, $e))>;

// Comparisons and choices.
def InvertToStrict : Pat<
    (Arith_XOrIOp (Arith_CmpIOp Slt, $x, $y), (ConstantLikeMatcher Yes)),
    (Arith_CmpIOp Sgt, $x, $y)>;
def InvertUnsignedToSigned : Pat<
    (Arith_XOrIOp (Arith_CmpIOp Ult, $x, $y), (ConstantLikeMatcher Yes)),
    (Arith_CmpIOp Sge, $x, $y)>;
def SelectIsNoAnd : Pat<(SelectOp $c, $x, (ConstantLikeMatcher No)),
    (Arith_AndIOp $c, $x)>;
def SelectLargerForSmaller : Pat<(SelectOp (Arith_CmpIOp Sle, $x, $y), $x, $y),
    (Arith_MaxSIOp $x, $y)>;

// Casts.
def ExtendUnsignedThenSignedIsSigned : Pat<(Arith_ExtSIOp (Arith_ExtUIOp $x)),
    (Arith_ExtSIOp $x)>;
def TruncateTwiceKeepsOuterFlags : Pat<(Arith_TruncIOp (Arith_TruncIOp $x, $f), $g),
    (Arith_TruncIOp $x, $g)>;
def ExtendLessSigned : Pat<(Arith_TruncIOp:$narrow (Arith_ExtUIOp $x), $f),
    (Arith_ExtSIOp $x), [(Wider $narrow, $x)]>;

// Several results.
def CarryIsNotMore : Pattern<(Arith_AddUIExtendedOp $x, $y),
    [(Arith_AddIOp:$sum $x, $y, None), (Arith_CmpIOp Ule, $sum, $x)]>;

// Another dialect.
def AbsoluteKeepsFlags : Pat<(Math_AbsIOp (Arith_SubIOp $x, $y, $f)),
    (Math_AbsIOp (Arith_SubIOp $y, $x, $f))>;
def CountOnesOfSigned : Pat<(Math_CtPopOp (Arith_ExtSIOp $x)),
    (Arith_ExtUIOp (Math_CtPopOp $x))>;
