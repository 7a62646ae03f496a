# Of somebody else.
