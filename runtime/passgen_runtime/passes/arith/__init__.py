"""Functions that the patterns of the group Arith call."""
