print("what modules print is nobody's business here")


class Unroll0PassBase: ...


class Unroll0(Unroll0PassBase): ...


number = 5
