import loops_passes
from passgen_runtime import OperationPass, PassOptions


class SplitLoops(loops_passes.SplitLoopsPassBase):
    def run_on_operation(self):
        pass


class JamLoops(OperationPass[PassOptions]):
    argument = "jam-loops"

    def run_on_operation(self):
        pass


class Base(OperationPass[PassOptions]):
    """A base of others, which no pipeline names."""
