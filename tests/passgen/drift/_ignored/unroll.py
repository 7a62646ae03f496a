from loops_passes import UnrollLoopsPassBase


class UnrollLoops(UnrollLoopsPassBase):
    def run_on_operation(self):
        self.num_unrolled += 1


from passgen_runtime import OperationPass


class OldLoops(OperationPass):
    argument: str = "old-loops"
