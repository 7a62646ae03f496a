from loops_passes import UnrollLoopsPassBase


class UnrollLoops(UnrollLoopsPassBase):
    def run_on_operation(self):
        self.remark_emitted()
        unroll(self.operation, self.remark_handed)


def unroll(operation, say):
    say(operation)
