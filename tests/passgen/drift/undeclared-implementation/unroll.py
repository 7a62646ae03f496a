from loops_passes import UnrollLoopsPassBase


class UnrollLoops(UnrollLoopsPassBase):
    def run_on_operation(self):
        self.num_unrolled += self.options.unroll_factor


class JamLoops(UnrollLoopsPassBase):
    """A second implementation is one all the same."""
